"""Convolution and pooling: windows of an image, seen by NumPy strides, and matrix products over them.

Images are (batch, height, width, channels), kernels (height, width, in, out). The three ops of convolution are linear
in each of their inputs, and each one's rules are the other two.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import f, linear, primitive
from ..refusal import called
from ..tensor import Operand, Tensor
from .arguments import numbers, sizes
from .join import expand_dims, squeeze
from .linear import reshape
from .rearrange import pick


class Windows(NamedTuple):
    """How windows lie on an image, for height and width each."""

    size: tuple[int, int]  # of a window
    stride: tuple[int, int]  # from one window to the next
    spread: tuple[int, int]  # from one number in a window to the next (dilation)
    margin: tuple[tuple[int, int], tuple[int, int]]  # put around the image
    number: tuple[int, int]  # of windows, down and across
    image: tuple[int, int]  # the image's height and width


def windows(x: np.ndarray, w: Windows, fill: float = 0.0) -> np.ndarray:
    """Every window of images: (..., windows down, windows across, channels, height, width); a view, but for the margin."""
    margin = ((0, 0),) * (x.ndim - 3) + (*w.margin, (0, 0))
    x = np.pad(x, margin, constant_values=fill) if np.any(w.margin) else x
    reach = tuple((size - 1) * spread + 1 for size, spread in zip(w.size, w.spread, strict=True))
    seen = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(-3, -2))
    return seen[..., :: w.stride[0], :: w.stride[1], :, :: w.spread[0], :: w.spread[1]]


def fold(g: np.ndarray, w: Windows) -> np.ndarray:
    """The transpose of `windows`: every number of every window added where it was seen."""
    height, width = (size + sum(margin) for size, margin in zip(w.image, w.margin, strict=True))
    z = np.zeros((*g.shape[:-5], height, width, g.shape[-3]), g.dtype)
    for i in range(w.size[0]):
        for j in range(w.size[1]):
            down = slice(i * w.spread[0], i * w.spread[0] + (w.number[0] - 1) * w.stride[0] + 1, w.stride[0])
            across = slice(j * w.spread[1], j * w.spread[1] + (w.number[1] - 1) * w.stride[1] + 1, w.stride[1])
            z[..., down, across, :] += g[..., i, j]
    (top, _), (left, _) = w.margin
    return z[..., top : top + w.image[0], left : left + w.image[1], :]


def columns(x: np.ndarray, w: Windows, groups: int) -> np.ndarray:
    """The windows of each group of channels as rows of one matrix: (..., groups, windows, numbers in a window)."""
    seen = windows(x, w)
    *lead, n, down, across, channels, height, width = seen.shape
    seen = seen.reshape(*lead, n, down, across, groups, channels // groups, height, width)
    seen = np.moveaxis(seen, -4, -7)  # groups first
    return seen.reshape(*lead, groups, n * down * across, channels // groups * height * width)


def matrix(k: np.ndarray, groups: int) -> np.ndarray:
    """A kernel as a matrix for each group: (..., groups, numbers in a window, channels out)."""
    *lead, height, width, channels, out = k.shape
    k = np.moveaxis(k.reshape(*lead, height, width, channels, groups, out // groups), (-2, -3), (-5, -4))
    return k.reshape(*lead, groups, channels * height * width, out // groups)


def grouped(g: np.ndarray, groups: int) -> np.ndarray:
    """An image's numbers as rows, a matrix for each group: (..., groups, windows, channels of the group)."""
    *lead, n, down, across, out = g.shape
    return np.moveaxis(g.reshape(*lead, n * down * across, groups, out // groups), -2, -3)


def convolve(x: np.ndarray, y: np.ndarray, w: Windows, groups: int) -> np.ndarray:
    """Images x through a kernel y."""
    z: np.ndarray = np.moveaxis(columns(x, w, groups) @ matrix(y, groups), -3, -2)
    return z.reshape(*z.shape[:-3], x.shape[-4], *w.number, y.shape[-1])


def to_image(x: np.ndarray, y: np.ndarray, w: Windows, groups: int) -> np.ndarray:
    """The transpose of `convolve` in the images: what x gives back through the kernel y."""
    seen = grouped(x, groups) @ np.swapaxes(matrix(y, groups), -1, -2)
    channels = y.shape[-2] * groups
    seen = seen.reshape(*seen.shape[:-3], groups, x.shape[-4], *w.number, y.shape[-2], *w.size)
    seen = np.moveaxis(seen, -7, -4)
    return fold(seen.reshape(*seen.shape[:-4], channels, *w.size), w)


def to_kernel(x: np.ndarray, y: np.ndarray, w: Windows, groups: int) -> np.ndarray:
    """The transpose of `convolve` in the kernel: what y gives back from the images x."""
    k: np.ndarray = np.swapaxes(columns(x, w, groups), -1, -2) @ grouped(y, groups)
    channels, out = x.shape[-1] // groups, y.shape[-1]
    k = k.reshape(*k.shape[:-2], channels, *w.size, out // groups)
    k = np.moveaxis(k, (-5, -4), (-2, -3))
    return k.reshape(*k.shape[:-2], out)


def means(x: np.ndarray, w: Windows) -> np.ndarray:
    """The mean of each window, over the numbers that are really there."""
    return np.asarray(np.add.reduce(windows(x, w), (-2, -1), x.dtype) / there(w).astype(x.dtype))


def means_back(g: np.ndarray, w: Windows) -> np.ndarray:
    """The transpose of `means`: each number of a window gets an equal share."""
    share = (g / there(w).astype(g.dtype))[..., None, None]
    return fold(np.broadcast_to(share, g.shape + w.size), w)


def there(w: Windows) -> np.ndarray:
    """How many numbers of each window are not margin: (windows down, windows across, 1)."""
    return np.asarray(windows(np.ones((*w.image, 1)), w).sum((-2, -1)))


def largest(x: np.ndarray, w: Windows) -> np.ndarray:
    """The place of each window's largest number in the whole tensor; of equal ones the first."""
    low = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    seen = windows(x, w, low)
    flat = seen.reshape(*seen.shape[:-2], -1)
    real = windows(np.arange(x.size).reshape(x.shape), w, -1).reshape(flat.shape)
    best = np.argmax(np.where((real < 0) | (flat != flat), low, flat), axis=-1)[..., None]  # a nan is not the largest
    return np.take_along_axis(real, best, -1)[..., 0]


# fmt: off
conv_      = primitive("conv2d",           convolve,   inputs="x y",  x=lambda g, y, w, groups: f.conv2d_to_image(g, y, w=w, groups=groups),   y=lambda g, x, w, groups: f.conv2d_to_kernel(x, g, w=w, groups=groups),   broadcasts=True,  kernel="Conv2D",                says="g through the kernel turned round",  takes="iuf")
to_image_  = primitive("conv2d_to_image",  to_image,   inputs="x y",  x=lambda g, y, w, groups: f.conv2d(g, y, w=w, groups=groups),            y=lambda g, x, w, groups: f.conv2d_to_kernel(g, x, w=w, groups=groups),   broadcasts=True,  kernel="Conv2DBackpropInput",   says="g through the kernel")
to_kernel_ = primitive("conv2d_to_kernel", to_kernel,  inputs="x y",  x=lambda g, y, w, groups: f.conv2d_to_image(y, g, w=w, groups=groups),   y=lambda g, x, w, groups: f.conv2d(x, g, w=w, groups=groups),             broadcasts=True,  kernel="Conv2DBackpropFilter",  says="the images through g")
avg_pool_  = linear("avg_pool2d",          means,       transpose=lambda g, w: f.avg_pool2d_back(g, w=w),  kernel="AvgPool",      says="g / n for every number of the window",  takes="f")
avg_back_  = linear("avg_pool2d_back",     means_back,  transpose=lambda g, w: f.avg_pool2d(g, w=w),       kernel="AvgPoolGrad",  says="the mean of g")
max_pool_  = linear("max_pool2d",          pick,        transpose=lambda g, x, at, shape: f.steady(f.drop(g, at=at, shape=shape), x),  kernel="MaxPool",  says="g where the largest number was, else 0",  takes="iuf")
# fmt: on


def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A kernel moved over images: at each place the sum of its numbers times what lies below (`tf.nn.conv2d`).

    input: (batch, height, width, channels); filters: (height, width, channels in, channels out);
    padding: "VALID", or "SAME" for an image of the same size (with stride 1); strides, dilations: a number or two.
    Raises InvalidArgumentError where the channels do not go together.

    >>> import minitape as tf
    >>> x, k = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    >>> print(tf.squeeze(tf.nn.conv2d(x, k, strides=1, padding="VALID")))
    tf.Tensor(
    [[4. 4.]
     [4. 4.]], shape=(2, 2), dtype=float32)
    """
    x, k = _image_and_kernel(input, filters, "conv2d")
    _last_axis_channels(data_format)
    w = _windows(x._shape[1:3], k._shape[:2], strides, padding, dilations, "conv2d", "Conv2D")
    groups = x._shape[3] // k._shape[2] if k._shape[2] else 0
    if groups * k._shape[2] != x._shape[3] or not groups or k._shape[3] % groups:
        raise InvalidArgumentError(
            say(
                f"conv2d: {called(x, 'the image')} has {x._shape[3]} channels, and {called(k, 'the kernel')} of shape "
                f"{k._shape} takes {k._shape[2]}",
                "filters of shape (height, width, channels in, channels out)",
                f"input depth must be evenly divisible by filter depth: {x._shape[3]} vs {k._shape[2]} [Op:Conv2D] name: ",
            )
        )
    return conv_(x, k, w=w, groups=groups)


def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A kernel moved along sequences (`tf.nn.conv1d`). input: (batch, width, channels); filters: (width, in, out).

    >>> import minitape as tf
    >>> x, k = tf.constant([[[1.0], [2.0], [3.0]]]), tf.constant([[[1.0]], [[2.0]]])
    >>> print(tf.squeeze(tf.nn.conv1d(x, k, stride=1, padding="VALID")))
    tf.Tensor([5. 8.], shape=(2,), dtype=float32)
    """
    x, k = operand(input), operand(filters)
    steps, gaps = numbers(stride)[-1 if np.ndim(stride) == 0 else 0], 1 if dilations is None else numbers(dilations)[0]
    out = conv2d(expand_dims(x, 1), expand_dims(k, 0), [1, steps], padding, dilations=[1, gaps])
    return squeeze(out, [1])


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv2d`: each number spread over the image by the kernel (`tf.nn.conv2d_transpose`).

    filters: (height, width, channels out, channels in); output_shape: the larger image's whole shape.

    >>> import minitape as tf
    >>> y = tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), [1, 4, 4, 1], strides=2)
    >>> print(tf.reduce_sum(y))
    tf.Tensor(16.0, shape=(), dtype=float32)
    """
    x, k = _image_and_kernel(input, filters, "conv2d_transpose")
    _last_axis_channels(data_format)
    shape = sizes(output_shape)
    w = _windows(shape[1:3], k._shape[:2], strides, padding, dilations, "conv2d_transpose", "Conv2DBackpropInput")
    if w.number != x._shape[1:3] or k._shape[3] != x._shape[3] or shape != (x._shape[0], *shape[1:3], k._shape[2]):
        raise InvalidArgumentError(
            say(
                f"conv2d_transpose: {called(x, 'the image')} of shape {x._shape} and {called(k, 'the kernel')} of shape "
                f"{k._shape} do not make an image of shape {shape}",
                "output_shape=[batch, height * stride, width * stride, channels out]",
                f"Conv2DBackpropInput: Size of out_backprop doesn't match computed: actual = {list(x._shape[1:3])}, "
                f"computed = {list(w.number)}",
            )
        )
    return to_image_(x, k, w=w, groups=1)


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A convolution for each channel on its own (`tf.nn.depthwise_conv2d`). filter: (height, width, channels, times).

    >>> import minitape as tf
    >>> tf.nn.depthwise_conv2d(tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 3]), [1, 1, 1, 1], "SAME").shape
    TensorShape([1, 3, 3, 6])
    """
    x, k = _image_and_kernel(input, filter, "depthwise_conv2d")
    if k._shape[2] != x._shape[3]:
        raise InvalidArgumentError(
            say(
                f"depthwise_conv2d: {called(x, 'the image')} has {x._shape[3]} channels, and "
                f"{called(k, 'the kernel')} of shape {k._shape} takes {k._shape[2]}",
                "filter of shape (height, width, channels, times)",
                f"input depth must be evenly divisible by filter depth: {x._shape[3]} vs {k._shape[2]}",
            )
        )
    height, width, channels, times = k._shape
    return conv2d(x, reshape(k, (height, width, 1, channels * times)), strides, padding, data_format, dilations)


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A convolution for each channel, then one that mixes the channels (`tf.nn.separable_conv2d`).

    >>> import minitape as tf
    >>> k, mix = tf.ones([2, 2, 2, 1]), tf.ones([1, 1, 2, 4])
    >>> tf.nn.separable_conv2d(tf.ones([1, 3, 3, 2]), k, mix, [1, 1, 1, 1], "SAME").shape
    TensorShape([1, 3, 3, 4])
    """
    apart = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format or "NHWC", dilations)
    return conv2d(apart, pointwise_filter, 1, "VALID")


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """The largest number of each window of an image (`tf.nn.max_pool2d`); its gradient goes there, to the first that ties.

    input: (batch, height, width, channels); ksize, strides: a number or two; padding: "VALID" or "SAME".

    >>> import minitape as tf
    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> print(tf.squeeze(tf.nn.max_pool2d(x, 2, 2, "VALID")))
    tf.Tensor(
    [[ 5.  7.]
     [13. 15.]], shape=(2, 2), dtype=float32)
    """
    x, w = _pool(input, ksize, strides, padding, data_format, "max_pool2d", "MaxPool")
    return max_pool_(x, at=largest(x.array, w), shape=x._shape)


def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """The mean of each window of an image, over the numbers that are really there (`tf.nn.avg_pool2d`).

    input: (batch, height, width, channels); ksize, strides: a number or two; padding: "VALID" or "SAME".

    >>> import minitape as tf
    >>> print(tf.squeeze(tf.nn.avg_pool2d(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), 2, 2, "VALID")))
    tf.Tensor(
    [[ 2.5  4.5]
     [10.5 12.5]], shape=(2, 2), dtype=float32)
    """
    x, w = _pool(input, ksize, strides, padding, data_format, "avg_pool2d", "AvgPool")
    return avg_pool_(x, w=w)


def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC", name: str | None = None
) -> Tensor:
    """The largest number of each stretch of a sequence (`tf.nn.max_pool1d`). input: (batch, width, channels).

    >>> import minitape as tf
    >>> print(tf.squeeze(tf.nn.max_pool1d(tf.constant([[[1.0], [3.0], [2.0], [0.0]]]), 2, 2, "VALID")))
    tf.Tensor([3. 2.], shape=(2,), dtype=float32)
    """
    out = max_pool2d(expand_dims(operand(input), 1), [1, *numbers(ksize)[:1]], [1, *numbers(strides)[:1]], padding)
    return squeeze(out, [1])


def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC", name: str | None = None
) -> Tensor:
    """The mean of each stretch of a sequence (`tf.nn.avg_pool1d`). input: (batch, width, channels).

    >>> import minitape as tf
    >>> print(tf.squeeze(tf.nn.avg_pool1d(tf.constant([[[1.0], [3.0], [2.0], [0.0]]]), 2, 2, "VALID")))
    tf.Tensor([2. 1.], shape=(2,), dtype=float32)
    """
    out = avg_pool2d(expand_dims(operand(input), 1), [1, *numbers(ksize)[:1]], [1, *numbers(strides)[:1]], padding)
    return squeeze(out, [1])


def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Tensor:
    """`max_pool2d` for images, `max_pool1d` for sequences (`tf.nn.max_pool`).

    >>> import minitape as tf
    >>> tf.nn.max_pool(tf.zeros([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    return (max_pool1d if operand(input).ndim == 3 else max_pool2d)(input, ksize, strides, padding)


def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Tensor:
    """`avg_pool2d` for images, `avg_pool1d` for sequences (`tf.nn.avg_pool`).

    >>> import minitape as tf
    >>> tf.nn.avg_pool(tf.zeros([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    return (avg_pool1d if operand(input).ndim == 3 else avg_pool2d)(input, ksize, strides, padding)


# --- reading the arguments --------------------------------------------------------------------------------------------


def _image_and_kernel(x: Any, k: Any, name: str) -> tuple[Operand, Operand]:
    like = next((t for t in (x, k) if isinstance(t, Operand)), None)
    x, k = operand(x, like), operand(k, like)
    for t, what, shape in (
        (x, "the image", "(batch, height, width, channels)"),
        (k, "the kernel", "(height, width, channels in, channels out)"),
    ):
        if t.ndim != 4:
            raise InvalidArgumentError(
                say(
                    f"{name}: {called(t, what)} has shape {t._shape}, and needs {shape}",
                    f"tf.reshape({called(t, 'x')}, {shape.replace('(', '[').replace(')', ']')})",
                    f"{'input' if t is x else 'filter'} must be 4-dimensional: {str(list(t._shape)).replace(' ', '')}",
                )
            )
    return x, k


def _last_axis_channels(data_format: str) -> None:
    if data_format != "NHWC":
        raise ValueError(
            say(
                f"data_format is {data_format!r}, and minitape knows images with the channels last alone",
                "tf.transpose(image, [0, 2, 3, 1])",
                "The Conv2D op currently only supports the NHWC tensor format on the CPU.",
            )
        )


def _pair(value: Any, name: str) -> tuple[int, int]:
    """A number or two, or four with ones for batch and channels."""
    found = numbers(value)
    if len(found) == 1:
        return found[0], found[0]
    if len(found) == 4 and found[0] == found[3] == 1:
        return found[1], found[2]
    if len(found) == 2:
        return found[0], found[1]
    raise ValueError(
        say(
            f"{name} is a number, or one for height and one for width, and {value!r} is neither",
            f"{name}=2",
            f"{name} should be of length 1, 2 or 4. Received: {name}={value} of length {len(found)}",
        )
    )


def _windows(
    image: tuple[int, ...], size: tuple[int, ...], strides: Any, padding: Any, dilations: Any, name: str, kernel: str
) -> Windows:
    stride, spread = _pair(strides, "strides"), _pair(1 if dilations is None else dilations, "dilations")
    margins, counts = [], []
    explicit = None if isinstance(padding, str) else [tuple(numbers(pair)) for pair in padding][1:3]
    if isinstance(padding, str) and padding not in ("SAME", "VALID"):
        raise ValueError(
            say(
                f"padding is {padding!r}",
                'padding="SAME" or padding="VALID"',
                f'Value for attr \'padding\' of "{padding}" is not in the list of allowed values: "SAME", "VALID"',
            )
        )
    for at, (whole, part, stride_, spread_) in enumerate(zip(image, size, stride, spread, strict=True)):
        reach = (part - 1) * spread_ + 1
        if explicit is not None:
            before, after = explicit[at]
        elif padding == "SAME":  # the odd one goes to the end
            lacking = max((math.ceil(whole / stride_) - 1) * stride_ + reach - whole, 0)
            before, after = lacking // 2, lacking - lacking // 2
        else:
            before = after = 0
        count = (whole + before + after - reach) // stride_ + 1
        if count < 1:
            raise InvalidArgumentError(
                say(
                    f"{name}: a window of {size[0]} x {size[1]} does not fit into an image of {image[0]} x {image[1]}",
                    'padding="SAME"',
                    f"Computed output size would be negative: {count} [input_size: {whole}, effective_filter_size: {reach}, "
                    f"stride: {stride_}] [Op:{kernel}] name: ",
                )
            )
        margins.append((before, after))
        counts.append(count)
    return Windows(
        (size[0], size[1]), stride, spread, (margins[0], margins[1]), (counts[0], counts[1]), (image[0], image[1])
    )


def _pool(
    x: Any, ksize: Any, strides: Any, padding: Any, data_format: str, name: str, kernel: str
) -> tuple[Operand, Windows]:
    _last_axis_channels(data_format)
    x = operand(x)
    if x.ndim != 4:
        raise InvalidArgumentError(
            say(
                f"{name} takes images of shape (batch, height, width, channels), and {called(x, 'this')} has {x._shape}",
                "tf.reshape(image, [1, height, width, channels])",
                f"Input must be 4 or 5-dimensional [Op:{kernel}] name: ",
            )
        )
    return x, _windows(x._shape[1:3], _pair(ksize, "ksize"), strides, padding, None, name, kernel)
