"""Ops that multiply and add up: matrix products, tensordot, einsum."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from ..errors import InvalidArgumentError, say
from ..operands import operand, operands
from ..primitive import f, front, linear, primitive, shape_of
from ..record import binary
from ..refusal import called
from ..silence import silently
from ..tensor import Operand, Tensor
from .arguments import numbers
from .elementwise import conj
from .linear import reshape

#: Names for axes, as einsum takes them.
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def contract(*arrays: np.ndarray, equation: str, shapes: Any = None) -> np.ndarray:
    """`np.einsum`, by way of matrix products where it can; `shapes` is for the way back."""
    return np.asarray(silently(np.einsum, equation, *arrays, optimize=len(arrays) > 1))


def contract_back(g: Any, other: Any, equation: str, shapes: tuple[tuple[int, ...], ...], slot: int) -> Any:
    """The gradient of a contraction for one input: g contracted with the other input over what that one lacks.

    A label that stands in this input alone was summed over, so each number along it gets the same; one that stands in
    it twice took a diagonal, so the gradient lies on a diagonal; an axis of length 1 was stretched, so it is summed.
    """
    left, _, out = equation.partition("->")
    terms = left.split(",")
    mine, shape = terms[slot], shapes[slot]
    rest = "".join(terms[:slot] + terms[slot + 1 :])
    once = "".join(label for label in dict.fromkeys(mine) if label in out + rest)
    ahead = [letter for letter in LETTERS if letter not in equation][: len(front(g, len(out)))]
    rows = "".join(ahead)
    if other is None:
        grad = f.einsum_one(g, equation=f"{rows}{out}->{rows}{once}", shapes=(shape_of(g),))
    else:
        sizes = shape_of(g), shape_of(other)
        grad = f.einsum(g, other, equation=f"{rows}{out},{rest}->{rows}{once}", shapes=sizes)
    if mine == once and shape_of(grad)[len(shape_of(grad)) - len(mine) :] == shape:
        return grad
    lead, have = front(grad, len(once)), dict(zip(once, shape_of(grad)[len(shape_of(grad)) - len(once) :], strict=True))
    first = [mine.index(label) == at and label in once for at, label in enumerate(mine)]
    grad = f.reshape(
        grad, shape=lead + tuple(have[label] if keep else 1 for label, keep in zip(mine, first, strict=True))
    )
    stretched = tuple(at - len(mine) for at, size in enumerate(shape) if size == 1 and first[at])
    grad = f.reduce_sum(grad, axis=stretched, keepdims=True)
    places = np.indices(shape, sparse=True)
    on_diagonal = np.ones(shape, bool)
    for at, label in enumerate(mine):
        on_diagonal &= places[at] == places[mine.index(label)]
    return grad * on_diagonal.astype(grad.array.dtype if isinstance(grad, Operand) else grad.dtype)


# fmt: off
matmul_   = primitive("matmul",    np.matmul,  inputs="x y",  x=lambda g, y: g @ f.adjoint(y),  y=lambda g, x: f.adjoint(x) @ g,  kernel="MatMul",  call=binary,  takes="iufc")
swap_     = linear("adjoint",      attrgetter("mT"),  transpose=lambda g: f.adjoint(g))
einsum_   = primitive("einsum",    contract,   inputs="x y",  x=lambda g, y, equation, shapes: contract_back(g, y, equation, shapes, 0),
                                                              y=lambda g, x, equation, shapes: contract_back(g, x, equation, shapes, 1),  says="g contracted with the other input",  takes="iufc")
one_      = linear("einsum_one",   contract,   transpose=lambda g, equation, shapes: contract_back(g, None, equation, shapes, 0),  kernel="Einsum",  says="g in the input's shape",  takes="iufc")
# fmt: on


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrix product; leading axes are a batch and broadcast (`tf.matmul`, `a @ b`).

    transpose_a, transpose_b: take that matrix transposed (adjoint: and conjugated).
    Raises InvalidArgumentError where an operand is not a matrix, or the inner sizes or the dtypes differ.

    >>> import minitape as tf
    >>> print(tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]))
    tf.Tensor([[11.]], shape=(1, 1), dtype=float32)
    """
    if not (isinstance(a, Operand) and isinstance(b, Operand)):
        a, b = operands((a, b))
    if len(a.spec.shape) < 2 or len(b.spec.shape) < 2:
        flat, which = (a, "the first operand") if len(a._shape) < 2 else (b, "the second operand")
        raise InvalidArgumentError(
            say(
                f"matmul takes matrices, and {called(flat, which)} has shape {flat._shape}",
                f"tf.reshape({called(flat, 'v')}, [-1, 1]), or tf.linalg.matvec",
                (
                    "In[0] ndims must be >= 2"
                    if flat is a
                    else f"In[0] and In[1] has different ndims: {_dims(a)} vs. {_dims(b)}"
                )
                + " [Op:MatMul] name: ",
            )
        )
    a = conjugated(a) if adjoint_a else swap_(a) if transpose_a else a
    b = conjugated(b) if adjoint_b else swap_(b) if transpose_b else b
    if a.spec.shape[-1] != b.spec.shape[-2]:
        raise InvalidArgumentError(
            say(
                f"matmul: {called(a, 'the first')} has shape {a._shape} and {called(b, 'the second')} {b._shape}: "
                f"{a._shape[-1]} columns meet {b._shape[-2]} rows",
                f"tf.matmul({called(a, 'a')}, {called(b, 'b')}, transpose_b=True)",
                f"Matrix size-incompatible: In[0]: {_dims(a)}, In[1]: {_dims(b)} [Op:MatMul] name: ",
            )
        )
    try:
        if len(a.spec.shape) > 2 < len(b.spec.shape):
            np.broadcast_shapes(a._shape[:-2], b._shape[:-2])
    except ValueError:
        raise InvalidArgumentError(
            say(
                f"matmul: {called(a, 'the first')} has shape {a._shape} and {called(b, 'the second')} {b._shape}: "
                "their leading axes do not go together",
                "the same number of matrices in both, or one alone",
                f"In[0] and In[1] must have compatible batch dimensions: {_dims(a)} vs. {_dims(b)} "
                "[Op:BatchMatMulV2] name: ",
            )
        ) from None
    return matmul_(a, b)


def conjugated(x: Operand) -> Tensor:
    """A matrix transposed, and conjugated where it is complex."""
    return swap_(conj(x) if x.dtype.is_complex else x)


def matvec(a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, name: str | None = None) -> Tensor:
    """Matrix times vector; leading axes are a batch (`tf.linalg.matvec`).

    >>> import minitape as tf
    >>> print(tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]))
    tf.Tensor([3. 7.], shape=(2,), dtype=float32)
    """
    like = next((x for x in (a, b) if isinstance(x, Operand)), None)
    a, b = operand(a, like), operand(b, like)
    out = matmul(a, reshape(b, (*b._shape, 1)), transpose_a=transpose_a, adjoint_a=adjoint_a)
    return reshape(out, out._shape[:-1])


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Multiply and add up over axes of both: the last n of a with the first n of b, or the given ones (`tf.tensordot`).

    axes: a number n, or two lists of axes, one for each tensor. Raises InvalidArgumentError where lengths differ.

    >>> import minitape as tf
    >>> print(tf.tensordot([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0], axes=1))
    tf.Tensor([3. 7.], shape=(2,), dtype=float32)
    """
    like = next((x for x in (a, b) if isinstance(x, Operand)), None)
    a, b = operand(a, like), operand(b, like)
    if np.ndim(axes) == 0:
        count = int(axes)
        of_a, of_b = list(range(a.ndim - count, a.ndim)), list(range(count))
    else:
        of_a, of_b = (numbers(part) for part in axes)
        of_a, of_b = [at % a.ndim for at in of_a], [at % b.ndim for at in of_b]
    if [a._shape[at] for at in of_a] != [b._shape[at] for at in of_b]:
        raise InvalidArgumentError(
            say(
                f"tensordot: {called(a, 'the first')} has shape {a._shape} and {called(b, 'the second')} {b._shape}: "
                f"axes {of_a} and {of_b} differ in length",
                "tf.tensordot(a, b, axes=[[1], [0]])",
                f"Matrix size-incompatible: In[0]: {_dims(a)}, In[1]: {_dims(b)} [Op:MatMul] name: ",
            )
        )
    letters = iter(LETTERS)
    left = [next(letters) for _ in range(a.ndim)]
    right = [left[of_a[of_b.index(at)]] if at in of_b else next(letters) for at in range(b.ndim)]
    out = [x for at, x in enumerate(left) if at not in of_a] + [x for at, x in enumerate(right) if at not in of_b]
    return einsum_(a, b, equation=f"{''.join(left)},{''.join(right)}->{''.join(out)}", shapes=(a._shape, b._shape))


def einsum(equation: str, *inputs: Any, name: str | None = None, **options: Any) -> Tensor:
    """Multiply and add up as an equation of axis names says, "ij,jk->ik" for a matrix product (`tf.einsum`).

    A name that is missing on the right is summed over; `...` stands for any leading axes.
    Raises ValueError where the equation does not fit the inputs.

    >>> import minitape as tf
    >>> print(tf.einsum("ij,j->i", [[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]))
    tf.Tensor([3. 7.], shape=(2,), dtype=float32)
    """
    like = next((x for x in inputs if isinstance(x, Operand)), None)
    parts = [operand(x, like) for x in inputs]
    terms, out = _labels(equation, parts)
    left, label = parts[0], terms[0]
    if len(parts) == 1:
        return one_(left, equation=f"{label}->{out}", shapes=(left._shape,))
    for number, (right, other) in enumerate(zip(parts[1:], terms[1:], strict=True), start=1):
        later = out + "".join(terms[number + 1 :])
        kept = out if number == len(parts) - 1 else "".join(x for x in dict.fromkeys(label + other) if x in later)
        left = einsum_(left, right, equation=f"{label},{other}->{kept}", shapes=(left._shape, right._shape))
        label = kept
    return left  # type: ignore[return-value]


def _labels(equation: str, parts: list[Operand]) -> tuple[list[str], str]:
    """The equation with a letter for each axis, also for those that `...` stands for, and with its right side."""
    left, arrow, out = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    spare = "".join(letter for letter in LETTERS if letter not in equation)
    widest = ""
    fits = len(terms) == len(parts)
    for at, (term, x) in enumerate(zip(terms, parts, strict=False)):
        free = x.ndim - len(term.replace("...", "")) if "..." in term else 0
        fits = fits and free >= 0 and len(term.replace("...", "")) + free == x.ndim
        letters = spare[:free][::-1]  # the last of these axes has the first spare letter in every input
        widest = letters if len(letters) > len(widest) else widest
        terms[at] = term.replace("...", letters)
    if not arrow:
        once = sorted(
            letter for letter in set("".join(terms)) if "".join(terms).count(letter) == 1 and letter not in widest
        )
        out = "..." + "".join(once)
    out = out.replace("...", widest)
    unknown = set(out) - set("".join(terms))
    if not fits or unknown:
        shapes = ", ".join(str(x._shape) for x in parts)
        raise ValueError(
            say(
                f"einsum: the equation {equation!r} does not fit inputs of shape {shapes}",
                'tf.einsum("ij,jk->ik", a, b): a letter for each axis, a term for each input',
                f'Got {len(parts)} inputs for equation "{equation}", expecting {len(terms)}'
                if len(terms) != len(parts)
                else f"Output subscripts contain the label {min(unknown)} not present in the input subscripts."
                if unknown
                else "A term does not have a label for each axis of its input.",
            )
        )
    known: dict[str, int] = {}
    for term, x in zip(terms, parts, strict=True):
        for axis, (label, size) in enumerate(zip(term, x._shape, strict=True)):
            if known.setdefault(label, size) != size and label not in widest:
                raise InvalidArgumentError(
                    say(
                        f"einsum: in {equation!r} the name {label!r} stands for axes of length {known[label]} and {size}",
                        "give axes of different length different names",
                        f"Expected dimension {known[label]} at axis {axis} of the input shaped {_dims(x)} but got "
                        f"dimension {size} [Op:Einsum] name: ",
                    )
                )
    return terms, out


def _dims(x: Operand) -> str:
    return "[" + ",".join(map(str, x._shape)) + "]"
