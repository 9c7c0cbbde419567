"""Linear algebra: inverses, determinants, equations, factors of matrices, and their diagonals.

Matrices are the last two axes; what stands before is a batch. In a rule `f.adjoint` is the transpose.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import f, linear, primitive, shape_of
from ..refusal import called
from ..silence import silently
from ..tensor import Operand, Tensor
from .choose import where
from .elementwise import log, real
from .join import concat
from .linear import reduce_sum
from .product import conjugated, matmul, swap_


def regular(function: Any, kernel: str) -> Any:
    """A function of NumPy's that needs an invertible matrix."""

    def call(*matrices: np.ndarray) -> Any:
        try:
            return function(*matrices)
        except np.linalg.LinAlgError:
            raise InvalidArgumentError(
                say(
                    f"{function.__name__}: the matrix has no inverse: its determinant is 0",
                    "tf.linalg.lstsq(a, b), or a + 1e-6 * tf.eye(n)",
                    f"Input {'matrix ' if kernel == 'MatrixSolve' else ''}is not invertible. [Op:{kernel}] name: ",
                )
            ) from None

    return call


def factor(x: np.ndarray) -> np.ndarray:
    """The lower triangle whose product with its transpose is x."""
    try:
        return np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        raise InvalidArgumentError(
            say(
                "cholesky: the matrix is not positive definite",
                "a @ tf.transpose(a) + 1e-6 * tf.eye(n)",
                "Cholesky decomposition was not successful. The input might not be valid. [Op:Cholesky] name: ",
            )
        ) from None


def sign_and_log(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The determinant's sign, and the logarithm of its size."""
    sign, size = silently(np.linalg.slogdet, x)
    return np.asarray(sign), np.asarray(size)


def band(x: np.ndarray, lower: int, upper: int) -> np.ndarray:
    """The matrix with zeros outside a band around its diagonal; -1 for all of a triangle."""
    rows, columns = np.arange(x.shape[-2])[:, None], np.arange(x.shape[-1])
    inside = ((lower < 0) | (rows - columns <= lower)) & ((upper < 0) | (columns - rows <= upper))
    return np.asarray(np.where(inside, x, np.zeros((), x.dtype)))


def diagonal(x: np.ndarray, k: int, shape: tuple[int, int]) -> np.ndarray:
    """The k-th diagonal of matrices of this shape."""
    return np.asarray(np.diagonal(x, k, -2, -1))


def on_diagonal(x: np.ndarray, k: int, shape: tuple[int, int]) -> np.ndarray:
    """Matrices of this shape, 0 but for their k-th diagonal."""
    z = np.zeros(x.shape[:-1] + shape, x.dtype)
    at = np.arange(x.shape[-1])
    z[..., at + max(-k, 0), at + max(k, 0)] = x
    return z


def triangle(x: np.ndarray, y: np.ndarray, lower: bool, adjoint: bool) -> np.ndarray:
    """Solve with one triangle of x; the other counts as 0."""
    half = np.tril(x) if lower else np.triu(x)
    z: np.ndarray = regular(np.linalg.solve, "MatrixTriangularSolve")(np.swapaxes(half, -1, -2) if adjoint else half, y)
    return z


def grown(g: Any) -> Any:
    """A number for each matrix, shaped to be multiplied with it."""
    return f.reshape(g, shape=(*shape_of(g), 1, 1))


def of_triangle(x: Any, y: Any, lower: bool) -> Any:
    """x times y transposed, of which only one triangle counts."""
    both = f.matmul(x, f.adjoint(y))
    return -(f.band_part(both, lower=-1, upper=0) if lower else f.band_part(both, lower=0, upper=-1))


def of_cholesky(g: Any, z: Any) -> Any:
    """The gradient of z with z zᵀ = x, made symmetric as x is."""
    inner = f.matmul(f.adjoint(z), g)
    inner = f.band_part(inner, lower=-1, upper=0) - 0.5 * f.band_part(inner, lower=0, upper=0)
    root = f.inv(z)
    grad = f.matmul(f.adjoint(root), f.matmul(inner, root))
    return 0.5 * (grad + f.adjoint(grad))


def of_qr(g: list[Any], x: Any) -> Any:
    """The gradient of q r = x with orthonormal columns q and an upper triangle r."""
    (to_q, to_r), (q, r) = g, f.qr(x)
    skew = f.matmul(r, f.adjoint(to_r)) - f.matmul(f.adjoint(to_q), q)
    below = f.band_part(skew, lower=-1, upper=0)
    symmetric = below + f.adjoint(below - f.band_part(skew, lower=0, upper=0))
    return f.matmul(to_q + f.matmul(q, symmetric), f.adjoint(f.inv(r)))


# fmt: off
inv_      = primitive("inv",      regular(np.linalg.inv, "MatrixInverse"),  x=lambda g, z: -f.matmul(f.adjoint(z), f.matmul(g, f.adjoint(z))),  takes="fc",  kernel="MatrixInverse")
det_      = primitive("det",      partial(silently, np.linalg.det),         x=lambda g, x, z: grown(g * z) * f.adjoint(f.inv(x)),                takes="fc",  kernel="MatrixDeterminant")
slogdet_  = primitive("slogdet",  sign_and_log,                             vjp=lambda g, x: [grown(g[1]) * f.adjoint(f.inv(x))],                takes="fc",  many=True,  kernel="LogMatrixDeterminant",  says="g / x, transposed")
solve_    = primitive("solve",    regular(np.linalg.solve, "MatrixSolve"),  inputs="x y",  x=lambda g, x, z: -f.matmul(f.solve(f.adjoint(x), g), f.adjoint(z)),
                                                                                           y=lambda g, x: f.solve(f.adjoint(x), g),              takes="fc",  kernel="MatrixSolve",  broadcasts=True)
triangle_ = primitive("triangular_solve", triangle,                         inputs="x y",  x=lambda g, x, z, lower, adjoint: of_triangle(z, f.triangular_solve(x, g, lower=lower, adjoint=False), lower) if adjoint
                                                                                                       else of_triangle(f.triangular_solve(x, g, lower=lower, adjoint=True), z, lower),
                                                                                           y=lambda g, x, lower, adjoint: f.triangular_solve(x, g, lower=lower, adjoint=not adjoint),  takes="fc",  kernel="MatrixTriangularSolve",  broadcasts=True,  says="g solved with the transpose")
cholesky_ = primitive("cholesky", factor,                                   x=lambda g, z: of_cholesky(g, z),                                    takes="fc",  kernel="Cholesky",  says="g through the triangle, made symmetric")
qr_       = primitive("qr",       lambda x: tuple(np.linalg.qr(x)),         vjp=lambda g, x: [of_qr(g, x)],                                      takes="fc",  many=True,  kernel="Qr",  says="g through both factors")
full_qr_  = primitive("full_qr",  lambda x: tuple(np.linalg.qr(x, "complete")),                                                                  takes="fc",  many=True,  kernel="Qr")
band_     = linear("band_part",   band,         transpose=lambda g, lower, upper: f.band_part(g, lower=lower, upper=upper),  kernel="MatrixBandPart",  says="g in the band, else 0")
diag_     = linear("diag",        on_diagonal,  transpose=lambda g, k, shape: f.diag_part(g, k=k, shape=shape),  kernel="MatrixDiagV3",      says="g's diagonal")
part_     = linear("diag_part",   diagonal,     transpose=lambda g, k, shape: f.diag(g, k=k, shape=shape),       kernel="MatrixDiagPartV3",  says="g on the diagonal, else 0")
cross_    = primitive("cross",    partial(silently, np.cross),  inputs="x y",  x=lambda g, y: f.cross(y, g),  y=lambda g, x: f.cross(g, x),  kernel="Cross",  broadcasts=True)
# fmt: on


def _matrix(value: Any, name: str, square: bool = True) -> Operand:
    x = operand(value)
    if x.ndim < 2 or (square and x._shape[-1] != x._shape[-2]):
        raise InvalidArgumentError(
            say(
                f"{name} takes {'square ' * square}matrices, and {called(x, 'this tensor')} has shape {x._shape}",
                "print the shape, and tf.reshape(...) it",
                f"input must be at least 2-dim, received shape: {_dims(x)}"
                if x.ndim < 2
                else "Input matrix must be square.",
            )
        )
    return x


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of a square matrix (`tf.linalg.inv`); InvalidArgumentError where it has none.

    >>> import minitape as tf
    >>> print(tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]))
    tf.Tensor(
    [[0.5  0.  ]
     [0.   0.25]], shape=(2, 2), dtype=float32)
    """
    x = _matrix(input, "inv")
    return inv_(conjugated(x) if adjoint else x)


def det(input: Any, name: str | None = None) -> Tensor:
    """The determinant of a square matrix (`tf.linalg.det`); where it is 0 the gradient raises InvalidArgumentError.

    >>> import minitape as tf
    >>> print(tf.linalg.det([[2.0, 0.0], [0.0, 4.0]]))
    tf.Tensor(8.0, shape=(), dtype=float32)
    """
    return det_(_matrix(input, "det"))


def slogdet(input: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The determinant's sign, and the logarithm of its size, which does not overflow (`tf.linalg.slogdet`).

    >>> import minitape as tf
    >>> sign, size = tf.linalg.slogdet([[2.0, 0.0], [0.0, -4.0]])
    >>> print(sign, size)
    tf.Tensor(-1.0, shape=(), dtype=float32) tf.Tensor(2.0794415, shape=(), dtype=float32)
    """
    sign, size = slogdet_(_matrix(input, "slogdet"))
    return sign, size


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of a positive definite matrix, by its Cholesky factor (`tf.linalg.logdet`).

    >>> import minitape as tf
    >>> print(tf.linalg.logdet([[1.0, 0.0], [0.0, 1.0]]))
    tf.Tensor(0.0, shape=(), dtype=float32)
    """
    parts = diag_part(cholesky(matrix))
    return 2.0 * reduce_sum(log(real(parts) if parts.dtype.is_complex else parts), axis=-1)


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The x with matrix @ x = rhs, where rhs is a matrix, too (`tf.linalg.solve`).

    Raises InvalidArgumentError where the matrix has no inverse, or the shapes do not go together.

    >>> import minitape as tf
    >>> print(tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]))
    tf.Tensor(
    [[1. ]
     [0.5]], shape=(2, 1), dtype=float32)
    """
    a, b = _equations(matrix, rhs, "solve")
    return solve_(conjugated(a) if adjoint else a, b)


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The x with matrix @ x = rhs, where one triangle of the matrix counts (`tf.linalg.triangular_solve`).

    >>> import minitape as tf
    >>> print(tf.linalg.triangular_solve([[2.0, 9.0], [2.0, 4.0]], [[2.0], [6.0]]))
    tf.Tensor(
    [[1.]
     [1.]], shape=(2, 1), dtype=float32)
    """
    a, b = _equations(matrix, rhs, "triangular_solve")
    return triangle_(a, b, lower=lower, adjoint=adjoint)


def _equations(matrix: Any, rhs: Any, name: str) -> tuple[Operand, Operand]:
    like = next((x for x in (matrix, rhs) if isinstance(x, Operand)), None)
    a, b = _matrix(operand(matrix, like), name), _matrix(operand(rhs, like), name, square=False)
    if a._shape[-1] != b._shape[-2]:
        raise InvalidArgumentError(
            say(
                f"{name}: {called(a, 'the matrix')} has {a._shape[-2]} rows and {called(b, 'the right side')} {b._shape[-2]}",
                f"tf.reshape({called(b, 'rhs')}, [-1, 1])",
                f"Input matrix and rhs are incompatible. {_dims(a)} vs. {_dims(b)}",
            )
        )
    return a, b


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """The x with chol @ cholᵀ @ x = rhs, for a factor that `cholesky` gave (`tf.linalg.cholesky_solve`).

    >>> import minitape as tf
    >>> print(tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [3.0]]))
    tf.Tensor(
    [[1.]
     [3.]], shape=(2, 1), dtype=float32)
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def lstsq(matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None) -> Tensor:
    """The x for which matrix @ x comes closest to rhs, by the normal equations (`tf.linalg.lstsq`).

    >>> import minitape as tf
    >>> print(tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]))
    tf.Tensor([[2.]], shape=(1, 1), dtype=float32)
    """
    like = next((x for x in (matrix, rhs) if isinstance(x, Operand)), None)
    a, b = _matrix(operand(matrix, like), "lstsq", square=False), _matrix(operand(rhs, like), "lstsq", square=False)
    rows, columns = a._shape[-2:]
    wide = rows < columns
    square = matmul(a, a, adjoint_a=not wide, adjoint_b=wide)
    if l2_regularizer:
        square = square + np.eye(min(rows, columns), dtype=a.array.dtype) * l2_regularizer
    factor = cholesky(square)
    if wide:
        return matmul(a, cholesky_solve(factor, b), adjoint_a=True)
    return cholesky_solve(factor, matmul(a, b, adjoint_a=True))


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangle l with l @ lᵀ = the matrix, which is positive definite (`tf.linalg.cholesky`).

    Raises InvalidArgumentError where it is not.

    >>> import minitape as tf
    >>> print(tf.linalg.cholesky([[4.0, 2.0], [2.0, 2.0]]))
    tf.Tensor(
    [[2. 0.]
     [1. 1.]], shape=(2, 2), dtype=float32)
    """
    return cholesky_(_matrix(input, "cholesky"))


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """q with orthonormal columns and an upper triangle r with q @ r = the matrix (`tf.linalg.qr`).

    No gradient passes with full_matrices.

    >>> import minitape as tf
    >>> q, r = tf.linalg.qr([[3.0], [4.0]])
    >>> print(tf.abs(r))
    tf.Tensor([[5.]], shape=(1, 1), dtype=float32)
    """
    x = _matrix(input, "qr", square=False)
    rows, columns = x._shape[-2:]
    if full_matrices:
        q, r = full_qr_(x)
    elif rows >= columns:
        q, r = qr_(x)
    else:  # the first columns give q, which turns the others
        q, first = qr_(x[..., :rows])
        r = concat([first, matmul(q, x[..., rows:], adjoint_a=True)], -1)
    return q, r


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the diagonal (`tf.linalg.trace`).

    >>> import minitape as tf
    >>> print(tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]]))
    tf.Tensor(5.0, shape=(), dtype=float32)
    """
    return reduce_sum(diag_part(x), axis=-1)


def diag(diagonal: Any, name: str | None = None, k: int = 0) -> Tensor:
    """A matrix with these numbers on its diagonal (or k above it), zeros elsewhere (`tf.linalg.diag`).

    >>> import minitape as tf
    >>> print(tf.linalg.diag([1.0, 2.0]))
    tf.Tensor(
    [[1. 0.]
     [0. 2.]], shape=(2, 2), dtype=float32)
    """
    x = operand(diagonal)
    size = x._shape[-1] + abs(k)
    return diag_(x, k=k, shape=(size, size))


def diag_part(input: Any, name: str | None = None, k: int = 0) -> Tensor:
    """The diagonal of a matrix, or the k-th above it (`tf.linalg.diag_part`).

    >>> import minitape as tf
    >>> print(tf.linalg.diag_part([[1.0, 2.0], [3.0, 4.0]]))
    tf.Tensor([1. 4.], shape=(2,), dtype=float32)
    """
    x = _matrix(input, "diag_part", square=False)
    return part_(x, k=k, shape=x._shape[-2:])


def set_diag(input: Any, diagonal: Any, name: str | None = None, k: int = 0) -> Tensor:
    """A matrix with other numbers on its diagonal (`tf.linalg.set_diag`).

    >>> import minitape as tf
    >>> print(tf.linalg.set_diag([[1.0, 2.0], [3.0, 4.0]], [9.0, 8.0]))
    tf.Tensor(
    [[9. 2.]
     [3. 8.]], shape=(2, 2), dtype=float32)
    """
    x = _matrix(input, "set_diag", square=False)
    new = diag_(operand(diagonal, x), k=k, shape=x._shape[-2:])
    return where(np.eye(x._shape[-2], x._shape[-1], k, dtype=bool), new, x)


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """A matrix with zeros outside a band: so many diagonals below and above the main one, -1 for all (`tf.linalg.band_part`).

    >>> import minitape as tf
    >>> print(tf.linalg.band_part([[1.0, 2.0], [3.0, 4.0]], 0, -1))
    tf.Tensor(
    [[1. 2.]
     [0. 4.]], shape=(2, 2), dtype=float32)
    """
    return band_(_matrix(input, "band_part", square=False), lower=int(num_lower), upper=int(num_upper))


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The cross product of vectors of 3 numbers, along the last axis (`tf.linalg.cross`).

    >>> import minitape as tf
    >>> print(tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    tf.Tensor([0. 0. 1.], shape=(3,), dtype=float32)
    """
    like = next((x for x in (a, b) if isinstance(x, Operand)), None)
    x, y = operand(a, like), operand(b, like)
    if x._shape != y._shape or x._shape[-1:] != (3,):
        raise InvalidArgumentError(
            say(
                f"cross takes vectors of 3 numbers, and {called(x, 'the first')} has shape {x._shape}, "
                f"{called(y, 'the second')} {y._shape}",
                "tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])",
                f"Cross-products are only defined for 3-element vectors. {_dims(x)} and {_dims(y)}",
            )
        )
    return cross_(x, y)


def matrix_transpose(a: Any, name: str | None = None, conjugate: bool = False) -> Tensor:
    """A matrix with rows and columns exchanged; a batch stays in its place (`tf.linalg.matrix_transpose`).

    >>> import minitape as tf
    >>> tf.linalg.matrix_transpose(tf.zeros([5, 2, 3])).shape
    TensorShape([5, 3, 2])
    """
    x = _matrix(a, "matrix_transpose", square=False)
    return conjugated(x) if conjugate else swap_(x)


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """A matrix with rows and columns exchanged and its numbers conjugated (`tf.linalg.adjoint`).

    >>> import minitape as tf
    >>> tf.linalg.adjoint(tf.zeros([2, 3])).shape
    TensorShape([3, 2])
    """
    return conjugated(_matrix(matrix, "adjoint", square=False))


def _dims(x: Operand) -> str:
    return "[" + ",".join(map(str, x._shape)) + "]"
