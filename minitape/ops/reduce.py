"""Ops that make one number of many, other than sum and mean: the largest, the product, norms, counts, places."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import as_dtype
from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import f, primitive, shape_of
from ..refusal import called
from ..silence import silently
from ..tensor import Operand, Tensor
from .arguments import axes, from_end
from .choose import where
from .elementwise import abs, conj, exp, is_finite, log, power, sqrt, square, stop_gradient, zeros_like
from .linear import cast, inverse, reduce_mean, reduce_sum, reshape, spread


def shared(g: Any, x: Any, z: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The gradient of the largest (or smallest): it goes to that number; where several tie, each gets its share."""
    shape = shape_of(x)
    tied = f.where(x == spread(z, shape, axis, keepdims), f.ones_like(x), f.zeros_like(x))
    return spread(g, shape, axis, keepdims) * (tied / f.reduce_sum(tied, axis=axis, keepdims=True))


def others(x: Any, axis: tuple[int, ...]) -> Any:
    """For each number the product of all the others along these axes: exact, with zeros too."""
    shape = shape_of(x)
    kept = tuple(at for at in range(-len(shape), 0) if at not in axis)
    perm = kept + axis
    turned = f.transpose(x, perm=perm)
    rows = f.reshape(turned, shape=(*(shape[at] for at in kept), int(np.prod([shape[at] for at in axis], dtype=int))))
    before = f.cumprod(rows, axis=-1, exclusive=True, reverse=False)
    after = f.cumprod(rows, axis=-1, exclusive=True, reverse=True)
    return f.transpose(f.reshape(before * after, shape=shape_of(turned)), perm=inverse(perm))


#: Of many rows of fewer numbers than this NumPy finds the largest sooner column by column: of 1000 rows of 10 in a tenth.
FEW = 30


def extreme(ufunc: Any, least: bool) -> Any:
    """The largest or smallest along axes; of nothing it is the lowest or highest number of the dtype."""

    def reduce(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> Any:
        if x.dtype.kind == "f":
            start: Any = np.inf if least else -np.inf
        else:
            start = np.iinfo(x.dtype).max if least else np.iinfo(x.dtype).min
        if axis == (-1,) and x.ndim == 2 and 0 < x.shape[1] < FEW < x.shape[0]:
            z = ufunc.reduce(np.ascontiguousarray(x.T), axis=0)
            return z[:, np.newaxis] if keepdims else z
        return ufunc.reduce(x, axis=axis, keepdims=keepdims, initial=start)

    return reduce


largest, smallest = extreme(np.maximum, least=False), extreme(np.minimum, least=True)


def product(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The product in the dtype of its numbers."""
    return silently(np.prod, x, axis=axis, keepdims=keepdims, dtype=x.dtype)


def without_nan(x: np.ndarray, instead: float) -> np.ndarray:
    """A nan is neither the largest number nor the smallest."""
    return np.where(np.isnan(x), instead, x) if x.dtype.kind == "f" else x


# fmt: off
max_  = primitive("reduce_max",  largest,   x=lambda g, x, z, axis, keepdims: shared(g, x, z, axis, keepdims),  kernel="Max",  takes="iufc",  says="g, shared by the largest")
min_  = primitive("reduce_min",  smallest,  x=lambda g, x, z, axis, keepdims: shared(g, x, z, axis, keepdims),  kernel="Min",  takes="iufc",  says="g, shared by the smallest")
prod_ = primitive("reduce_prod", product,   x=lambda g, x, axis, keepdims: spread(g, shape_of(x), axis, keepdims) * others(x, axis),  kernel="Prod",  takes="iufc",  says="g times the product of the others")
any_  = primitive("reduce_any",  np.any,    kernel="Any")
all_  = primitive("reduce_all",  np.all,    kernel="All")
argmax_ = primitive("argmax",    lambda x, axis, dtype: np.argmax(without_nan(x, -np.inf), axis).astype(dtype),  kernel="ArgMax",  takes="biuf")
argmin_ = primitive("argmin",    lambda x, axis, dtype: np.argmin(without_nan(x, np.inf), axis).astype(dtype),  kernel="ArgMin",  takes="biuf")
count_  = primitive("count_nonzero", lambda x, axis, keepdims, dtype: np.count_nonzero(x, axis=axis, keepdims=keepdims).astype(dtype))
# fmt: on


def reduce_max(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The largest number: of all of them, or along an axis (`tf.reduce_max`); numbers that tie share the gradient.

    The largest of nothing is -inf. Raises InvalidArgumentError for an axis that is not there.

    >>> import minitape as tf
    >>> print(tf.reduce_max([[1.0, 4.0], [3.0, 2.0]], axis=1))
    tf.Tensor([4. 3.], shape=(2,), dtype=float32)
    """
    x = operand(input_tensor)
    return max_(x, axis=axes(axis, x), keepdims=keepdims)


def reduce_min(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The smallest number: of all of them, or along an axis (`tf.reduce_min`); numbers that tie share the gradient.

    The smallest of nothing is inf. Raises InvalidArgumentError for an axis that is not there.

    >>> import minitape as tf
    >>> print(tf.reduce_min([[1.0, 4.0], [3.0, 2.0]], axis=1))
    tf.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    x = operand(input_tensor)
    return min_(x, axis=axes(axis, x), keepdims=keepdims)


def reduce_prod(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The product of a tensor's numbers: of all of them, or along an axis (`tf.reduce_prod`).

    The gradient is right where numbers are 0, too. The product of nothing is 1.

    >>> import minitape as tf
    >>> print(tf.reduce_prod([2.0, 3.0, 4.0]))
    tf.Tensor(24.0, shape=(), dtype=float32)
    """
    x = operand(input_tensor)
    return prod_(x, axis=axes(axis, x), keepdims=keepdims)


def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """log(sum(exp(x))) without overflow: the largest number is taken out first (`tf.reduce_logsumexp`).

    >>> import minitape as tf
    >>> print(f"{tf.reduce_logsumexp([1000.0, 1000.0]):.2f}")
    1000.69
    """
    x = operand(input_tensor)
    top = reduce_max(x, axis, keepdims=True)
    top = stop_gradient(where(is_finite(top), top, zeros_like(top)))
    out = log(reduce_sum(exp(x - top), axis, keepdims=True)) + top
    return (
        out
        if keepdims
        else reshape(out, [size for at, size in enumerate(x._shape) if at - x.ndim not in axes(axis, x)])
    )


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The length of a vector: the root of the sum of squares (`tf.math.reduce_euclidean_norm`); at 0 its slope is nan.

    >>> import minitape as tf
    >>> print(tf.math.reduce_euclidean_norm([3.0, 4.0]))
    tf.Tensor(5.0, shape=(), dtype=float32)
    """
    x = operand(input_tensor)
    if x.dtype.is_integer:
        return cast(reduce_euclidean_norm(cast(x, "float64"), axis, keepdims), x.dtype)
    return sqrt(reduce_sum(square(abs(x) if x.dtype.is_complex else x), axis, keepdims))


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The mean squared distance from the mean (`tf.math.reduce_variance`).

    >>> import minitape as tf
    >>> print(tf.math.reduce_variance([1.0, 3.0]))
    tf.Tensor(1.0, shape=(), dtype=float32)
    """
    x = operand(input_tensor)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise TypeError(
            say(
                f"a variance is that of floats, and {called(x, 'this tensor')} is {x.dtype.name}",
                f"tf.cast({called(x, 't')}, tf.float32)",
                f"Input must be either real or complex. Received integer type {x.dtype}.",
            )
        )
    apart = x - reduce_mean(x, axis, keepdims=True)
    return reduce_mean(square(abs(apart) if x.dtype.is_complex else apart), axis, keepdims)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The root of the variance (`tf.math.reduce_std`); where all numbers are equal its gradient is nan.

    >>> import minitape as tf
    >>> print(tf.math.reduce_std([1.0, 3.0]))
    tf.Tensor(1.0, shape=(), dtype=float32)
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


def reduce_any(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Is any of them True? Of all, or along an axis (`tf.reduce_any`).

    >>> import minitape as tf
    >>> print(tf.reduce_any([True, False]))
    tf.Tensor(True, shape=(), dtype=bool)
    """
    x = _bools(input_tensor, "reduce_any", "Any")
    return any_(x, axis=axes(axis, x), keepdims=keepdims)


def reduce_all(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Are all of them True? Of all, or along an axis (`tf.reduce_all`).

    >>> import minitape as tf
    >>> print(tf.reduce_all([True, False]))
    tf.Tensor(False, shape=(), dtype=bool)
    """
    x = _bools(input_tensor, "reduce_all", "All")
    return all_(x, axis=axes(axis, x), keepdims=keepdims)


def _bools(value: Any, name: str, kernel: str) -> Operand:
    x = operand(value)
    if x.array.dtype.kind != "b":
        raise InvalidArgumentError(
            say(
                f"{name} asks about True and False, and {called(x, 'this tensor')} is {x.dtype.name}",
                f"tf.{name}({called(x, 't')} > 0)",
                f"cannot compute {kernel} as input #0(zero-based) was expected to be a bool tensor but is a "
                f"{x.dtype.word} tensor [Op:{kernel}] name: ",
            )
        )
    return x


def argmax(input: Any, axis: int | None = None, output_type: Any = "int64", name: str | None = None) -> Tensor:
    """The place of the largest number along an axis, the first by default (`tf.argmax`); no gradient passes.

    >>> import minitape as tf
    >>> print(tf.argmax([1.0, 3.0, 2.0]))
    tf.Tensor(1, shape=(), dtype=int64)
    """
    x = operand(input)
    return argmax_(x, axis=from_end(axis or 0, x.ndim, x), dtype=as_dtype(output_type).numpy_dtype)


def argmin(input: Any, axis: int | None = None, output_type: Any = "int64", name: str | None = None) -> Tensor:
    """The place of the smallest number along an axis, the first by default (`tf.argmin`); no gradient passes.

    >>> import minitape as tf
    >>> print(tf.argmin([1.0, 3.0, 2.0]))
    tf.Tensor(0, shape=(), dtype=int64)
    """
    x = operand(input)
    return argmin_(x, axis=from_end(axis or 0, x.ndim, x), dtype=as_dtype(output_type).numpy_dtype)


def count_nonzero(
    input: Any, axis: Any = None, keepdims: bool = False, dtype: Any = "int64", name: str | None = None
) -> Tensor:
    """How many numbers are not 0 (`tf.math.count_nonzero`); no gradient passes.

    >>> import minitape as tf
    >>> print(tf.math.count_nonzero([0.0, 2.0, 3.0]))
    tf.Tensor(2, shape=(), dtype=int64)
    """
    x = operand(input)
    return count_(x, axis=axes(axis, x), keepdims=keepdims, dtype=as_dtype(dtype).numpy_dtype)


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """How long a vector is, or how large a matrix (`tf.norm`); over all numbers, or along one axis or two.

    ord: "euclidean" (the root of the sum of squares), 1, 2, any p > 0, or inf; for two axes "fro", 1 or inf.
    At 0 the gradient of the euclidean norm is nan. Raises ValueError for another ord.

    >>> import minitape as tf
    >>> print(tf.norm([3.0, 4.0]), tf.norm([3.0, -4.0], ord=1))
    tf.Tensor(5.0, shape=(), dtype=float32) tf.Tensor(7.0, shape=(), dtype=float32)
    """
    x = operand(tensor)
    matrix = isinstance(axis, list | tuple) and len(axis) == 2
    known = ("euclidean", "fro", 1, np.inf) if matrix else ("euclidean", 1, 2, np.inf)
    if ord not in known and (matrix or isinstance(ord, str) or not ord > 0):
        raise ValueError(
            say(
                f"norm does not know ord={ord!r} here",
                "tf.norm(t), tf.norm(t, ord=1) or tf.norm(t, ord=np.inf)",
                f"'ord' must be a supported {'matrix' if matrix else 'vector'} norm in {list(known)}, got {ord}",
            )
        )
    if ord in ("euclidean", "fro") or (ord == 2 and not matrix):
        return sqrt(reduce_sum(x * (conj(x) if x.dtype.is_complex else x), axis, keepdims))
    if matrix:
        rows, columns = axes([axis[0]], x)[0], axes([axis[1]], x)[0]
        added, left = (rows, columns) if ord == 1 else (columns, rows)
        out = reduce_max(reduce_sum(abs(x), added, keepdims=True), left, keepdims=True)
        return (
            out
            if keepdims
            else reshape(out, [size for at, size in enumerate(x._shape) if at - x.ndim not in (rows, columns)])
        )
    if ord == 1:
        return reduce_sum(abs(x), axis, keepdims)
    if ord == np.inf:
        return reduce_max(abs(x), axis, keepdims)
    return power(reduce_sum(power(abs(x), float(ord)), axis, keepdims), 1.0 / ord)
