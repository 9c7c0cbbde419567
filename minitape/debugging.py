"""`tf.debugging`: assertions about numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InvalidArgumentError, say
from .missing import absent
from .ops.composed import convert_to_tensor
from .ops.elementwise import identity
from .tensor import Tensor


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor itself, once it is sure that it holds no nan and no inf (`tf.debugging.check_numerics`).

    Raises InvalidArgumentError, with your message, where it does.

    >>> import minitape as tf
    >>> print(tf.debugging.check_numerics([1.0, 2.0], "the loss"))
    tf.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    x = convert_to_tensor(tensor)
    found = [what for what, test in (("NaN", np.isnan), ("Inf", np.isinf)) if test(x.array).any()]
    if found:
        raise InvalidArgumentError(
            say(
                f"{message}: the tensor holds {' and '.join(found)}",
                "minitape.find_nan(...) shows where it began",
                f"{message} : Tensor had {' and '.join(found)} values [Op:CheckNumericsV2] name: ",
            )
        )
    return identity(x)


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """The same as `check_numerics` (`tf.debugging.assert_all_finite`).

    >>> import minitape as tf
    >>> print(tf.debugging.assert_all_finite([1.0], "x"))
    tf.Tensor([1.], shape=(1,), dtype=float32)
    """
    return check_numerics(x, message)


def assert_near(
    x: Any,
    y: Any,
    rtol: float | None = None,
    atol: float | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise InvalidArgumentError unless two tensors agree number by number (`tf.debugging.assert_near`).

    rtol, atol: how much they may differ, relative and absolute; 10 steps of the dtype by default.

    >>> import minitape as tf
    >>> tf.debugging.assert_near([1.0], [1.0000001])
    """
    a, b = convert_to_tensor(x), convert_to_tensor(y)
    small = 10 * float(np.finfo(a.array.dtype).eps) if a.dtype.is_floating else 0.0
    if not np.allclose(a.array, b.array, small if rtol is None else rtol, small if atol is None else atol):
        raise InvalidArgumentError(
            say(
                f"{message or 'the tensors differ'}: {a.numpy()} and {b.numpy()}",
                "tf.debugging.assert_near(x, y, rtol=1e-3)",
                f"{message or ''} Condition x and y not equal to tolerance rtol = {rtol}, atol = {atol} did not hold.",
            )
        )


__getattr__ = absent(__name__)

__all__ = ["assert_all_finite", "assert_near", "check_numerics"]
