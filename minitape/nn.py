"""`tf.nn`: activations, losses, normalisation, convolution and pooling."""

from types import SimpleNamespace as _Namespace

# isort: off
from .ops.elementwise import sigmoid, tanh
from .ops.nn import (
    batch_normalization, bias_add, crelu, dropout, elu, gelu, l2_loss, l2_normalize, leaky_relu, moments,
    relu, relu6, selu, sigmoid_cross_entropy_with_logits, silu, silu as swish, softplus, softsign,
    stateless_dropout as _stateless_dropout, weighted_cross_entropy_with_logits, zero_fraction,
)  # fmt: skip
from .ops.conv import (
    avg_pool, avg_pool1d, avg_pool2d, conv1d, conv2d, conv2d_transpose, depthwise_conv2d, max_pool, max_pool1d,
    max_pool2d, separable_conv2d,
)  # fmt: skip
from .ops.index import embedding_lookup
from .ops.rearrange import depth_to_space, space_to_depth, top_k
from .ops.search import in_top_k
from .missing import absent as _absent
from .ops.softmax import (
    log_softmax, softmax, softmax_cross_entropy_with_logits, sparse_softmax_cross_entropy_with_logits,
)  # fmt: skip
# isort: on

experimental = _Namespace(stateless_dropout=_stateless_dropout)

__getattr__ = _absent(__name__)

__all__ = [
    "avg_pool", "avg_pool1d", "avg_pool2d", "batch_normalization", "bias_add", "conv1d", "conv2d",
    "conv2d_transpose", "crelu", "depth_to_space", "depthwise_conv2d", "dropout", "elu", "embedding_lookup",
    "experimental", "gelu", "in_top_k", "l2_loss", "l2_normalize", "leaky_relu", "log_softmax", "max_pool",
    "max_pool1d", "max_pool2d", "moments", "relu", "relu6", "selu", "separable_conv2d", "sigmoid",
    "sigmoid_cross_entropy_with_logits", "silu", "softmax", "softmax_cross_entropy_with_logits", "softplus",
    "softsign", "space_to_depth", "sparse_softmax_cross_entropy_with_logits", "swish", "tanh", "top_k",
    "weighted_cross_entropy_with_logits", "zero_fraction",
]  # fmt: skip
