"""What an op says of inputs that it cannot take: in the learner's names, with a way out, and as TensorFlow says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import InvalidArgumentError, OpError, say
from .place import learner_frame, name_of

if TYPE_CHECKING:
    from .primitive import Primitive
    from .tensor import Operand


def mismatched(op: Primitive, x: Operand, y: Operand) -> InvalidArgumentError:
    """The error where two dtypes meet: TensorFlow never promotes one tensor to another's."""
    return InvalidArgumentError(
        say(
            f"{op.name}: {called(x, 'the first input')} is {x.dtype.name}, "
            f"and {called(y, 'the second')} is {y.dtype.name}",
            f"tf.cast({called(y, 'y')}, tf.{x.dtype.name})",
            f"cannot compute {op.kernel} as input #1(zero-based) was expected to be a {x.dtype.word} tensor "
            f"but is a {y.dtype.word} tensor [Op:{op.kernel}]",
        )
    )


#: TensorFlow's words for the kinds of numbers, and how to come by one.
KINDS = {
    "f": ("floats", "bfloat16, half, float, double", "tf.cast({x}, tf.float32)"),
    "u": ("whole numbers", "uint8, uint16, uint32, uint64", "tf.cast({x}, tf.int32)"),
    "i": ("whole numbers", "int8, int16, int32, int64", "tf.cast({x}, tf.int32)"),
    "c": ("complex numbers", "complex64, complex128", "tf.cast({x}, tf.complex64)"),
    "b": ("True and False", "bool", "{x} > 0"),
}


def refused(op: Primitive, x: Operand) -> InvalidArgumentError:
    """The error of an op that does not take an input's kind of numbers."""
    words, dtypes, fixes = zip(*(KINDS[kind] for kind in KINDS if kind in op.takes), strict=True)
    *others, last = dict.fromkeys(words)
    kinds = [", ".join(others), last] if others else [last]
    fix = "tf.abs({x})" if x.dtype.is_complex and "f" in op.takes else fixes[0]
    return InvalidArgumentError(
        say(
            f"{op.name} works on {' and '.join(kinds)}, and {called(x, 'its input')} is {x.dtype.name}",
            fix.format(x=called(x, "x")),
            f"cannot compute {op.kernel} as input #0(zero-based) was expected to be a bool tensor but is a "
            f"{x.dtype.word} tensor [Op:{op.kernel}] name: "
            if op.takes == "b"
            else f"Value for attr 'T' of {x.dtype.word} is not in the list of allowed values: "
            f"{', '.join(dtypes)} [Op:{op.kernel}]",
        )
    )


def failed(op: Primitive, error: Exception, *inputs: Operand) -> Exception:
    """What NumPy raised, in our words; an error that is ours already stays as it is."""
    if isinstance(error, OpError):
        return error
    if inputs and inputs[0].spec.dtype.kind not in op.takes:
        return refused(op, inputs[0])
    shapes = " and ".join(f"{called(x, 'an input')} has shape {x._shape}" for x in inputs)
    dims = " vs. ".join("[" + ",".join(map(str, x._shape)) + "]" for x in inputs)
    broadcast = "broadcast" in str(error)
    return InvalidArgumentError(
        say(
            f"{op.name} cannot be computed: {shapes}" if broadcast else f"{op.name}: {error} ({shapes})",
            op.hint,
            f"Incompatible shapes: {dims} [Op:{op.kernel}] name: " if broadcast else None,
        )
    )


def called(x: Operand, otherwise: str) -> str:
    """The learner's own name for a tensor."""
    return name_of(x, learner_frame()) or otherwise
