"""TensorFlow is the judge, op by op: the value, the gradients and the edge points that it recorded in ops.csv."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitape as tf

ROWS = list(csv.DictReader((Path(__file__).parent / "ops.csv").read_text(encoding="utf-8").splitlines()))

#: How each row calls its op, where the op's own name and the inputs alone do not say it.
CALLS: dict[str, Any] = {
    "round": tf.round,
    "leaky_relu": lambda x: tf.nn.leaky_relu(x, alpha=0.2),
    "gelu": lambda x: tf.nn.gelu(x, approximate=False),
    "where (3 args)": lambda x, y: tf.where([True, False], x, y),
    "where (1 arg)": lambda x: tf.where(x > 0),
    "reduce_any": lambda x: tf.reduce_any(x > 0),
    "reduce_all": lambda x: tf.reduce_all(x > 0),
    "logical_not": lambda x: tf.logical_not(x > 0),
    "add_n": lambda x, y: tf.add_n([x, y]),
    "accumulate_n": lambda x, y: tf.math.accumulate_n([x, y]),
    "top_k.values": lambda x: tf.math.top_k(x, k=2).values,
    "top_k.indices": lambda x: tf.math.top_k(x, k=2).indices,
    "unique.y": lambda x: tf.unique(x).y,
    "clip_by_value": lambda x: tf.clip_by_value(x, -1.0, 1.0),
    "clip_by_norm": lambda x: tf.clip_by_norm(x, 1.0),
    "clip_by_global_norm": lambda x: tf.clip_by_global_norm([x], 1.0)[0][0],
    "boolean_mask": lambda x: tf.boolean_mask(x, x > 0),
    "bincount": lambda x: tf.math.bincount(tf.cast(x, tf.int32)),
    "reshape": lambda x: tf.reshape(x, [-1]),
    "expand_dims": lambda x: tf.expand_dims(x, 0),
    "concat": lambda x, y: tf.concat([x, y], 0),
    "stack": lambda x, y: tf.stack([x, y]),
    "unstack": lambda x: tf.unstack(x)[0],
    "split": lambda x: tf.split(x, 2)[0],
    "tile": lambda x: tf.tile(x, [3]),
    "repeat": lambda x: tf.repeat(x, 3),
    "broadcast_to": lambda x: tf.broadcast_to(x, [3, 2]),
    "pad": lambda x: tf.pad(x, [[1, 1]]),
    "reverse": lambda x: tf.reverse(x, [0]),
    "roll": lambda x: tf.roll(x, 1, 0),
    "slice": lambda x: tf.slice(x, [0], [1]),
    "strided_slice / t[...]": lambda x: x[::-1],
    "meshgrid": lambda x, y: tf.meshgrid(x, y)[0],
    "fill": lambda x: tf.fill([2], x),
    "linspace": lambda x, y: tf.linspace(x, y, 3),
    "ensure_shape": lambda x: tf.ensure_shape(x, [2]),
    "sequence_mask": lambda x: tf.sequence_mask(tf.cast(x, tf.int32), 3),
    "one_hot (on_value)": lambda x: tf.one_hot([0, 1], 2, on_value=x),
    "space_to_depth": lambda x: tf.nn.space_to_depth(x, 2),
    "depth_to_space": lambda x: tf.nn.depth_to_space(tf.nn.space_to_depth(x, 2), 2),
    "gather axis=0": lambda x: tf.gather(x, [1, 1]),
    "gather axis=1": lambda x: tf.gather(x, [1, 1], axis=1),
    "gather batch_dims=1": lambda x: tf.gather(x, [[0], [1]], batch_dims=1),
    "gather_nd": lambda x: tf.gather_nd(x, [[0, 1], [0, 1]]),
    "gather_nd 1-d": lambda x: tf.gather_nd(x, [[1], [1]]),
    "embedding_lookup": lambda x: tf.nn.embedding_lookup(x, [1, 1]),
    "scatter_nd": lambda x: tf.scatter_nd([[1], [1]], x, [3]),
    "tensor_scatter_nd_update": lambda x, y: tf.tensor_scatter_nd_update(x, [[0]], y),
    "tensor_scatter_nd_add": lambda x, y: tf.tensor_scatter_nd_add(x, [[0]], y),
    "tensor_scatter_nd_sub": lambda x, y: tf.tensor_scatter_nd_sub(x, [[0]], y),
    "tensor_scatter_nd_min": lambda x, y: tf.tensor_scatter_nd_min(x, [[0]], y),
    "tensor_scatter_nd_max": lambda x, y: tf.tensor_scatter_nd_max(x, [[0]], y),
    **{
        f"unsorted_segment_{how}": lambda x, how=how: getattr(tf.math, f"unsorted_segment_{how}")(x, [0, 0, 1], 2)
        for how in ("sum", "mean", "max", "min", "prod", "sqrt_n")
    },
    **{
        f"segment_{how}": lambda x, how=how: getattr(tf.math, f"segment_{how}")(x, [0, 0, 1])
        for how in ("sum", "mean", "max", "min", "prod")
    },
    "cast float64": lambda x: tf.cast(x, tf.float64),
    "cast int32": lambda x: tf.cast(x, tf.int32),
    "cast bool": lambda x: tf.cast(x, tf.bool),
    "cast complex": lambda x: tf.cast(x, tf.complex64),
    "convert_to_tensor([x,x])": lambda x: tf.convert_to_tensor([x, x]),
    "math.imag": lambda x: tf.math.imag(tf.complex(tf.zeros_like(x), x)),
    "math.real": lambda x: tf.math.real(tf.complex(x, tf.zeros_like(x))),
    "tensordot": lambda x, y: tf.tensordot(x, y, 1),
    "einsum": lambda x, y: tf.einsum("ij,jk->ik", x, y),
    "norm ord=1": lambda x: tf.norm(x, ord=1),
    "norm ord=inf": lambda x: tf.norm(x, ord=np.inf),
    "linalg.slogdet": lambda x: tf.linalg.slogdet(x)[1],
    "linalg.qr": lambda x: tf.linalg.qr(x)[0],
    "linalg.band_part": lambda x: tf.linalg.band_part(x, 0, -1),
    "sparse_softmax_cross_entropy_with_logits": lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([1], x),
    "conv1d": lambda x, k: tf.nn.conv1d(x, k, 1, "SAME"),
    "conv2d": lambda x, k: tf.nn.conv2d(x, k, 1, "SAME"),
    "conv2d_transpose": lambda x, k: tf.nn.conv2d_transpose(x, k, [1, 8, 8, 1], 2, "SAME"),
    "depthwise_conv2d": lambda x, k: tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME"),
    "max_pool2d": lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"),
    "avg_pool2d": lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID"),
    "moments.mean": lambda x: tf.nn.moments(x, [0])[0],
    "moments.variance": lambda x: tf.nn.moments(x, [0])[1],
    "batch_normalization": lambda x, mean, variance: tf.nn.batch_normalization(x, mean, variance, None, None, 1e-3),
    "dropout rate=0": lambda x: tf.nn.dropout(x, rate=0.0),
    "stateless_dropout": lambda x: tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]),
    "in_top_k": lambda x: tf.math.in_top_k([1], x, 1),
    "random.normal(mean=x)": lambda x: tf.random.normal([2], mean=x),
    "map_fn": lambda x: tf.map_fn(lambda row: row * row, x),
    "foldl": lambda x: tf.foldl(lambda a, b: a * b, x),
    "scan": lambda x: tf.scan(lambda a, b: a + b, x),
    "while_loop": lambda x: tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * x), [tf.constant(0), x])[1],
    "cond": lambda x: tf.cond(x > 0, lambda: x * x, lambda: x),
    "debugging.check_numerics": lambda x: tf.debugging.check_numerics(x, "x"),
    "searchsorted": lambda x: tf.searchsorted(x, [1.0]),
    "nn.softmax axis=0": lambda x: tf.nn.softmax(x, axis=0),
    "numpy_function": lambda x: tf.numpy_function(lambda a: 2 * a, [x], tf.float32),
    "py_function": lambda x: tf.py_function(lambda a: a * a, [x], tf.float32),
}

#: The inputs of an edge point, where its name does not say them as plain numbers.
EDGES: dict[tuple[str, str], list[Any]] = {
    ("maximum", "tie"): [1.0, 1.0],
    ("minimum", "tie"): [1.0, 1.0],
    ("squared_difference", "tie"): [1.0, 1.0],
    ("tensor_scatter_nd_min", "tie"): [[1.0, 1.5], [1.0]],
    ("tensor_scatter_nd_max", "tie"): [[1.0, 1.5], [1.0]],
    ("norm ord=inf", "tie [2,-2]"): [[2.0, -2.0]],
    ("sigmoid_cross_entropy_with_logits", "z=0,l=1"): [1.0, 0.0],
    ("max_pool2d", "all ones 2x2"): [[[[[1.0], [1.0]], [[1.0], [1.0]]]]],
    ("linalg.det", "singular"): [[[1.0, 2.0], [2.0, 4.0]]],
}

#: Where minitape does another, saner thing on purpose: docs/differences.md says so, row by row.
SANER = {
    "argsort": {"gradient"},  # None, as for any other op without a derivative, and not zeros
    "top_k.indices": {"gradient"},
    "is_nan": {"gradient"},  # None, and not a LookupError
    "is_inf": {"gradient"},
    "is_finite": {"gradient"},
    "unique.y": {"gradient"},
    "bincount": {"gradient"},
    "in_top_k": {"gradient"},
    "softsign": {"second_order"},  # the second derivative, and not a LookupError
    "cumprod": {"edge_points"},  # right where a number is 0
    "py_function": {"second_order"},  # called at once, so every order is there
    "stateless_dropout": {"value"},  # another stream of random numbers
    "random.normal(mean=x)": {"value"},
    "random.shuffle": {"value"},
}
#: Kinds that rounding decides: TensorFlow's second derivative is some 1e-8, which is 0 but for rounding.
ROUNDING = {"nn.softmax axis=0"}


def find(name: str) -> Any:
    """The function that a row is about: the first of its public names, or None where minitape lacks it."""
    thing: Any = tf
    for part in re.sub(r"\(.*", "", name).removeprefix("tf.").split("."):
        thing = getattr(thing, part, None)
    return thing


def here(row: dict[str, str]) -> bool:
    return find(row["public_names"].split("|")[0]) is not None


HERE = [pytest.param(row, id=row["op"]) for row in ROWS if here(row)]


def op(row: dict[str, str]) -> Any:
    return CALLS.get(row["op"]) or find(row["public_names"].split("|")[0])


def inputs(row: dict[str, str]) -> list[Any]:
    return [tf.constant(eval(part.split("=", 1)[1])) for part in row["inputs"].split("; ")]


def parse(text: str) -> Any:
    """A value as ops.csv writes it: nested lists, with nan, inf, True, False and complex numbers."""
    return eval(text, {"nan": np.nan, "inf": np.inf})


def parts(text: str, count: int) -> list[str]:
    found = [part.strip() for part in text.split(";")]
    assert len(found) == count, text
    return found


def close(got: Any, wanted: Any) -> None:
    got = np.asarray(got.numpy())
    wanted = np.asarray(wanted)
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def agrees(got: Any, wanted: str) -> None:
    """A gradient: None, IndexedSlices, or numbers."""
    if wanted == "None":
        assert got is None
    elif wanted.startswith("IndexedSlices"):
        values, indices = re.fullmatch(r"IndexedSlices\(values=(.*),indices=(.*)\)", wanted).groups()
        assert isinstance(got, tf.IndexedSlices)
        close(got.values, parse(values))
        close(got.indices, parse(indices))
    else:
        assert isinstance(got, tf.Tensor)
        close(got, parse(wanted))


def gradients(row: dict[str, str], points: list[Any], weighted: bool = False) -> tuple[Any, list[Any]]:
    """The value and its gradients; of the sum of all numbers, or of 1, 2, 3, ... times them."""
    with tf.GradientTape() as tape:
        tape.watch(points)
        y = op(row)(*points)
    weights = np.arange(1, y.array.size + 1, dtype=y.array.dtype).reshape(y.shape) if weighted else None
    return y, tape.gradient(y, points, None if weights is None else tf.constant(weights))


@pytest.mark.parametrize("row", HERE)
def test_value(row):
    points = inputs(row)
    y = op(row)(*points)
    if row["value_dtype"]:
        assert y.dtype.name == row["value_dtype"]
    if "value" in SANER.get(row["op"], ()) or row["value"].endswith("..."):
        assert (
            y.shape == tf.constant(parse(row["value"])).shape if not row["value"].endswith("...") else y.shape[0] == 1
        )
    elif row["value"]:
        close(y, parse(row["value"]))


@pytest.mark.parametrize("row", HERE)
def test_gradient(row):
    points = inputs(row)
    y, grads = gradients(row, points)
    if "gradient" in SANER.get(row["op"], ()):
        assert grads == [None] * len(points)
        return
    if row["op"] == "stateless_dropout":  # its own mask: what was kept counts twice
        close(grads[0], y.numpy())
        return
    for grad, wanted in zip(grads, parts(row["gradient"], len(points)), strict=True):
        agrees(grad, wanted)
    for grad, x in zip(grads, points, strict=True):
        assert grad is None or grad.dtype == x.dtype


@pytest.mark.parametrize("row", [case for case in HERE if case.values[0]["gradient_with_cotangent_1_2_3"]])
def test_gradient_with_a_cotangent(row):
    points = inputs(row)
    y, grads = gradients(row, points, weighted=True)
    if row["op"] == "stateless_dropout":
        close(grads[0], y.numpy() * [1, 2, 3, 4])
        return
    for grad, wanted in zip(grads, parts(row["gradient_with_cotangent_1_2_3"], len(points)), strict=True):
        agrees(grad, wanted)


@pytest.mark.parametrize("row", [case for case in HERE if case.values[0]["second_order"] not in ("", "n/a")])
def test_the_second_derivative_is_none_or_zero_or_a_value(row):
    points = inputs(row)
    with tf.GradientTape() as outer:
        outer.watch(points)
        _, grads = gradients(row, points)
        total = [tf.convert_to_tensor(grad) for grad in grads if grad is not None]
    second = outer.gradient(total, points)
    if "second_order" in SANER.get(row["op"], ()):
        assert all(grad is not None for grad in second)
        return
    if row["second_order"].startswith("error"):
        assert second == [None] * len(points)
        return
    for grad, kind in zip(second, row["second_order"].split("|"), strict=True):
        if kind == "None":
            assert grad is None
        elif kind == "zeros" or row["op"] in ROUNDING:
            np.testing.assert_allclose(grad.numpy(), np.zeros(grad.shape), atol=1e-5)
        else:
            assert kind == "value"
            assert np.any(grad.numpy() != 0)


#: Calls that name a dtype themselves.
OWN_DTYPE = {"cast float64", "cast complex", "complex", "numpy_function", "py_function", "random.normal(mean=x)"}


@pytest.mark.parametrize("row", HERE)
def test_float64_stays_float64_and_has_the_same_numbers(row):
    if row["op"] in OWN_DTYPE:
        return
    tf.random.set_seed(0)
    y, grads = gradients(row, [tf.cast(x, tf.float64) for x in inputs(row)])
    assert y.dtype.name == row["value_dtype"].replace("float32", "float64") or not row["value_dtype"]
    tf.random.set_seed(0)
    single, firsts = gradients(row, inputs(row))
    np.testing.assert_allclose(y.numpy(), single.numpy(), rtol=1e-5, atol=1e-6)
    for grad, first in zip(grads, firsts, strict=True):
        assert (grad is None) == (first is None)
        if grad is not None:
            assert grad.dtype == tf.float64
            np.testing.assert_allclose(tf.convert_to_tensor(grad), tf.convert_to_tensor(first), rtol=1e-5, atol=1e-6)


def edges() -> list[Any]:
    return [
        pytest.param(row, *edge.split(": ", 1), id=f"{row['op']}: {edge.split(': ', 1)[0]}")
        for row in ROWS
        if here(row) and row["edge_points"]
        for edge in row["edge_points"].split(" // ")
    ]


def at_edge(name: str, label: str) -> list[Any]:
    """The inputs that an edge point's name stands for: "x=0", "1/0", "0**-1", "nan,1", "[2,0,4]"."""
    if (name, label) in EDGES:
        return EDGES[name, label]
    bare = re.sub(r"^ties |\*w$| \(.*\)$|[ab]=", "", label)
    if bare.startswith("["):
        return [parse(bare)]
    if bare.startswith("x="):
        return [[float(bare[2:])]]
    number = r"(-?[\w.]+)"
    found = re.fullmatch(rf"{number}(?:,|/|\*\*|\*){number}", bare)
    return [[float(part)] for part in found.groups()] if found else [[float(bare)]]


@pytest.mark.parametrize(("row", "label", "outcome"), edges())
def test_edge_point(row, label, outcome):
    points = [tf.constant(x, tf.float32) for x in at_edge(row["op"], label)]
    if outcome == "InvalidArgumentError":
        with pytest.raises(tf.errors.InvalidArgumentError):
            gradients(row, points)
        return
    value, wanted = re.fullmatch(r"y=(.*), grad=(.*)", outcome).groups()
    y, grads = gradients(row, points)
    np.testing.assert_allclose(np.ravel(y.numpy()), np.ravel(parse(value)), rtol=1e-5, atol=1e-6)
    for grad, x, numbers in zip(grads, points, parts(wanted, len(points)), strict=True):
        if "edge_points" in SANER.get(row["op"], ()):
            assert np.all(grad.numpy() == TRUE_SLOPES[label])
        else:
            assert grad.shape == x.shape
            np.testing.assert_allclose(np.ravel(grad.numpy()), np.ravel(parse(numbers)), rtol=1e-5, atol=1e-6)


TRUE_SLOPES = {"[2,0,3]": [1, 8, 0], "[0,2,3]": [9, 0, 0]}


def test_every_row_is_here_or_in_the_coverage_table():
    table = (Path(__file__).parents[2] / "docs" / "coverage.md").read_text(encoding="utf-8")
    for row in ROWS:
        assert f"| {row['op']} |" in table, row["op"]


def test_what_differs_is_in_the_differences():
    assert set(SANER) <= {row["op"] for row in ROWS if here(row)}
