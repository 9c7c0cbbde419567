"""`tf.linalg`: linear algebra; matrices are the last two axes, what stands before is a batch."""

# isort: off
from .ops.linalg import (
    adjoint, band_part, cholesky, cholesky_solve, cross, det, diag, diag_part, inv, logdet, lstsq, matrix_transpose, qr,
    set_diag, slogdet, solve, trace, triangular_solve,
)  # fmt: skip
from .ops.product import einsum, matmul, matvec, tensordot
from .ops.reduce import norm
from .ops.choose import global_norm
from .ops.create import eye
from .ops.nn import l2_normalize
from .missing import absent as _absent
# isort: on

__getattr__ = _absent(__name__)

__all__ = [
    "adjoint", "band_part", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "einsum", "eye",
    "global_norm", "inv", "l2_normalize", "logdet", "lstsq", "matmul", "matrix_transpose", "matvec", "norm",
    "qr", "set_diag", "slogdet", "solve", "tensordot", "trace", "triangular_solve",
]  # fmt: skip
