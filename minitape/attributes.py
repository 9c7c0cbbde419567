"""Names that arrays and other libraries' tensors have and TensorFlow's have not: what to write instead."""

from __future__ import annotations

from typing import NoReturn

from .errors import say

INSTEAD = {
    "T": "tf.transpose(t)",
    "mT": "tf.linalg.matrix_transpose(t)",
    "item": "t.numpy()",
    "tolist": "t.numpy().tolist()",
    "astype": "tf.cast(t, tf.float32)",
    "reshape": "tf.reshape(t, [...])",
    "ravel": "tf.reshape(t, [-1])",
    "flatten": "tf.reshape(t, [-1])",
    "view": "tf.reshape(t, [...])",
    "transpose": "tf.transpose(t)",
    "size": "tf.size(t)",
    "sum": "tf.reduce_sum(t)",
    "mean": "tf.reduce_mean(t)",
    "max": "tf.reduce_max(t)",
    "min": "tf.reduce_min(t)",
    "std": "tf.math.reduce_std(t)",
    "var": "tf.math.reduce_variance(t)",
    "prod": "tf.reduce_prod(t)",
    "any": "tf.reduce_any(t)",
    "all": "tf.reduce_all(t)",
    "argmax": "tf.argmax(t)",
    "argmin": "tf.argmin(t)",
    "dot": "tf.tensordot(a, b, 1)",
    "matmul": "a @ b",
    "clip": "tf.clip_by_value(t, low, high)",
    "copy": "tf.identity(t)",
    "clone": "tf.identity(t)",
    "detach": "tf.stop_gradient(t)",
    "grad": "tape.gradient(loss, t)",
    "backward": "tape.gradient(loss, sources)",
    "requires_grad": "tape.watch(t)",
    "assign": "v = tf.Variable(t); v.assign(...)",
    "name": "v = tf.Variable(t, name='...')",
    "op": "minitape.observe() shows which op made it",
    "graph": "leave it out: there is no graph, every op runs at once",
}
#: What exists in TensorFlow, for graphs alone.
GRAPH = ("name", "op", "graph")


class Absent:
    """Stands for an attribute that a tensor does not have: to read it is an error that says what to write instead."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: object, kind: type) -> NoReturn:
        raise missing(self.name)


def missing(name: str) -> AttributeError:
    """The error for an attribute that a tensor does not have."""
    text = f"EagerTensor object has no attribute {name!r}. "
    return AttributeError(
        say(
            f"a tensor has no .{name}",
            INSTEAD.get(name, "dir(t) lists what it has"),
            f"Tensor.{name} is undefined when eager execution is enabled." if name in GRAPH else text,
        )
    )
