"""TensorFlow 2.21 says which dtypes an op takes: the same are taken here, give the same, and all others are refused."""

import json

import pytest

import minitape as tf

from .dtypes import DTYPES, FILE, answers, function

#: By function: how many inputs it has, and the answer's dtype for each dtype that TensorFlow takes.
RECORDED = json.loads(FILE.read_text(encoding="utf-8"))
SMALL = "int8", "int16", "uint8", "uint16"
#: Taken here and not by TensorFlow: small dtypes for which it has no kernel (see docs/differences.md).
MORE = {
    "squared_difference": {"int8": "int8", "int16": "int16"},
    "multiply": {"bool": "bool"},
    **{key: {"float16": "float16"} for key in ["nextafter", "polygamma", "rint"]},
    **{key: {name: name for name in [*SMALL, "uint32", "uint64"]} for key in ["matmul", "tensordot", "einsum"]},
    "conv2d": {name: name for name in [*SMALL, "int64", "uint32", "uint64"]},
    "max_pool2d": {name: name for name in ["uint32", "uint64"]},
    "complex": {"float16": "complex64"},
}


@pytest.mark.parametrize("name", RECORDED)
def test_what_is_taken_and_given(name):
    inputs, wanted = RECORDED[name]
    assert answers(tf, name, inputs) == wanted | MORE.get(name, {})


PLAIN = "add", "negative", "maximum", "erf", "less", "logical_not", "floor", "is_nan", "pow"


@pytest.mark.parametrize("name", [*PLAIN, "matmul", "segment_sum"])
def test_what_is_refused_is_told_with_a_way_out(name):
    inputs, taken = RECORDED[name]
    for dtype in set(DTYPES) - set(taken) - set(MORE.get(name, ())):
        x = tf.cast(tf.constant([[1.0, 1.0], [1.0, 1.0]]), dtype)
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"^{name} works on .* is {dtype}\nfix: "):
            function(tf, name)(*[x] * inputs)
