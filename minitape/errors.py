"""The exception classes, and the one way to word a message: what happened, then the fix as code."""

from __future__ import annotations


class OpError(Exception):
    """Base class of the errors that ops raise, as in TensorFlow's `tf.errors`."""

    @property
    def message(self) -> str:
        """The text of the error."""
        return str(self)


class InvalidArgumentError(OpError):
    """An op was given values, shapes or dtypes that do not go together (`tf.errors.InvalidArgumentError`)."""


def say(what: str, fix: str, tensorflow: str | None = None) -> str:
    """A message in two lines, and TensorFlow's own wording below them where it has one.

    >>> print(say("x is a float", "x = tf.constant(3.0)", "Passed in object 3.0"))
    x is a float
    fix: x = tf.constant(3.0)
    TensorFlow: Passed in object 3.0
    """
    return f"{what}\nfix: {fix}" + (f"\nTensorFlow: {tensorflow}" if tensorflow else "")
