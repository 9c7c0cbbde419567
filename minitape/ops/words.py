"""What each op of the elementwise table is, in a sentence, with an example: the tables' docstrings are made of these."""

from __future__ import annotations

from . import elementwise

# fmt: off
#: name: (its public name, what it is, an example, what that prints)
WORDS = {
    # two inputs
    "add":                ("tf.add",                     "x + y",                                            "tf.add([1.0, 2.0], 3.0)",            "[4. 5.]"),
    "subtract":           ("tf.subtract",                "x - y",                                            "tf.subtract([5.0, 2.0], 3.0)",       "[ 2. -1.]"),
    "multiply":           ("tf.multiply",                "x * y",                                            "tf.multiply([1.0, 2.0], 3.0)",       "[3. 6.]"),
    "power":              ("tf.pow",                     "x to the power y",                                 "tf.pow([2.0, 3.0], 2.0)",            "[4. 9.]"),
    "maximum":            ("tf.maximum",                 "The larger of x and y; where they tie, the gradient goes to x", "tf.maximum([1.0, 5.0], 3.0)",  "[3. 5.]"),
    "minimum":            ("tf.minimum",                 "The smaller of x and y; where they tie, the gradient goes to x", "tf.minimum([1.0, 5.0], 3.0)", "[1. 3.]"),
    "floordiv":           ("tf.math.floordiv",           "x / y, rounded down; no gradient passes",          "tf.math.floordiv([7.0, -7.0], 2.0)", "[ 3. -4.]"),
    "floormod":           ("tf.math.floormod",           "What is left of x after whole multiples of y; it has the sign of y", "tf.math.floormod([7.0, -7.0], 4.0)", "[3. 1.]"),
    "squared_difference": ("tf.math.squared_difference", "(x - y) squared",                                  "tf.math.squared_difference([1.0, 2.0], 5.0)", "[16.  9.]"),
    "multiply_no_nan":    ("tf.math.multiply_no_nan",    "x * y, and 0 where y is 0, even if x is inf or nan", "tf.math.multiply_no_nan([np.inf, 2.0], [0.0, 3.0])", "[0. 6.]"),
    "xlogy":              ("tf.math.xlogy",              "x * log(y), and 0 where x is 0",                   "tf.math.xlogy([0.0, 2.0], [0.0, 1.0])", "[0. 0.]"),
    "xlog1py":            ("tf.math.xlog1py",            "x * log(1 + y), and 0 where x is 0",               "tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0])", "[0. 0.]"),
    "xdivy":              ("tf.math.xdivy",              "x / y, and 0 where x is 0",                        "tf.math.xdivy([0.0, 6.0], [0.0, 3.0])", "[0. 2.]"),
    # one input
    "negative":           ("tf.negative",                "-x",                                               "tf.negative([1.0, -2.0])",           "[-1.  2.]"),
    "abs":                ("tf.abs",                     "x without its sign; the slope at 0 is 0",          "tf.abs([-1.5, 2.0])",                "[1.5 2. ]"),
    "conj":               ("tf.math.conj",               "The complex conjugate",                            "tf.math.conj([1 + 2j])",             "[1.-2.j]"),
    "sign":               ("tf.sign",                    "-1, 0 or 1; the slope is 0",                       "tf.sign([-1.5, 0.0, 2.0])",          "[-1.  0.  1.]"),
    "square":             ("tf.square",                  "x squared",                                        "tf.square([2.0, -3.0])",             "[4. 9.]"),
    "sqrt":               ("tf.sqrt",                    "The square root; the slope at 0 is inf",           "tf.sqrt([4.0, 9.0])",                "[2. 3.]"),
    "rsqrt":              ("tf.math.rsqrt",              "1 / sqrt(x)",                                      "tf.math.rsqrt([4.0, 0.25])",         "[0.5 2. ]"),
    "reciprocal":         ("tf.math.reciprocal",         "1 / x",                                            "tf.math.reciprocal([2.0, 0.5])",     "[0.5 2. ]"),
    "reciprocal_no_nan":  ("tf.math.reciprocal_no_nan",  "1 / x, and 0 where x is 0",                        "tf.math.reciprocal_no_nan([2.0, 0.0])", "[0.5 0. ]"),
    "exp":                ("tf.exp",                     "e to the power x",                                 "tf.exp([0.0])",                      "[1.]"),
    "expm1":              ("tf.math.expm1",              "exp(x) - 1, exact for small x",                    "tf.math.expm1([0.0])",               "[0.]"),
    "log":                ("tf.math.log",                "The natural logarithm",                            "tf.math.log([1.0, 0.0])",            "[  0. -inf]"),
    "log1p":              ("tf.math.log1p",              "log(1 + x), exact for small x",                    "tf.math.log1p([0.0])",               "[0.]"),
    "sin":                ("tf.sin",                     "The sine of an angle in radians",                  "tf.sin([0.0])",                      "[0.]"),
    "cos":                ("tf.cos",                     "The cosine of an angle in radians",                "tf.cos([0.0])",                      "[1.]"),
    "tan":                ("tf.tan",                     "The tangent of an angle in radians",               "tf.tan([0.0])",                      "[0.]"),
    "asin":               ("tf.asin",                    "The angle whose sine is x, in radians",            "tf.asin([0.0])",                     "[0.]"),
    "acos":               ("tf.acos",                    "The angle whose cosine is x, in radians",          "tf.acos([1.0])",                     "[0.]"),
    "atan":               ("tf.atan",                    "The angle whose tangent is x, in radians",         "tf.atan([0.0])",                     "[0.]"),
    "sinh":               ("tf.sinh",                    "The hyperbolic sine",                              "tf.sinh([0.0])",                     "[0.]"),
    "cosh":               ("tf.cosh",                    "The hyperbolic cosine",                            "tf.cosh([0.0])",                     "[1.]"),
    "tanh":               ("tf.tanh",                    "The hyperbolic tangent, between -1 and 1",         "tf.tanh([0.0, 100.0])",              "[0. 1.]"),
    "asinh":              ("tf.asinh",                   "The number whose hyperbolic sine is x",            "tf.asinh([0.0])",                    "[0.]"),
    "acosh":              ("tf.acosh",                   "The number whose hyperbolic cosine is x",          "tf.acosh([1.0])",                    "[0.]"),
    "atanh":              ("tf.atanh",                   "The number whose hyperbolic tangent is x",         "tf.atanh([0.0])",                    "[0.]"),
    "erf":                ("tf.math.erf",                "The error function",                               "tf.math.erf([0.0])",                 "[0.]"),
    "erfc":               ("tf.math.erfc",               "1 - erf(x), exact for large x",                    "tf.math.erfc([0.0])",                "[1.]"),
    "lgamma":             ("tf.math.lgamma",             "The logarithm of the size of the gamma function",  "tf.math.lgamma([1.0])",              "[0.]"),
    "digamma":            ("tf.math.digamma",            "The slope of lgamma",                              "tf.math.digamma([-1.0])",            "[nan]"),
    "sigmoid":            ("tf.sigmoid",                 "1 / (1 + exp(-x)), between 0 and 1",               "tf.sigmoid([0.0, 100.0])",           "[0.5 1. ]"),
    # no derivative
    "floor":              ("tf.floor",                   "x rounded down; no gradient passes",               "tf.floor([1.7, -1.7])",              "[ 1. -2.]"),
    "ceil":               ("tf.math.ceil",               "x rounded up; no gradient passes",                 "tf.math.ceil([1.2, -1.2])",          "[ 2. -1.]"),
    "rint":               ("tf.math.rint",               "x rounded, halves to the even neighbour; no gradient passes", "tf.math.rint([0.5, 1.5])", "[0. 2.]"),
    "round":              ("tf.round",                   "x rounded, halves to the even neighbour; no gradient passes", "tf.round([0.5, 1.5])",    "[0. 2.]"),
    "is_nan":             ("tf.math.is_nan",             "Is it nan?",                                       "tf.math.is_nan([1.0, np.nan])",      "[False  True]"),
    "is_inf":             ("tf.math.is_inf",             "Is it inf or -inf?",                               "tf.math.is_inf([1.0, np.inf])",      "[False  True]"),
    "is_finite":          ("tf.math.is_finite",          "Is it neither inf nor nan?",                       "tf.math.is_finite([1.0, np.inf])",   "[ True False]"),
    "equal":              ("tf.equal",                   "Are x and y equal?",                               "tf.equal([1.0, 2.0], 2.0)",          "[False  True]"),
    "not_equal":          ("tf.not_equal",               "Do x and y differ?",                               "tf.not_equal([1.0, 2.0], 2.0)",      "[ True False]"),
    "less":               ("tf.less",                    "Is x below y?",                                    "tf.less([1.0, 2.0], 2.0)",           "[ True False]"),
    "less_equal":         ("tf.less_equal",              "Is x at most y?",                                  "tf.less_equal([1.0, 2.0], 2.0)",     "[ True  True]"),
    "greater":            ("tf.greater",                 "Is x above y?",                                    "tf.greater([2.0, 3.0], 2.0)",        "[False  True]"),
    "greater_equal":      ("tf.greater_equal",           "Is x at least y?",                                 "tf.greater_equal([2.0, 3.0], 2.0)",  "[ True  True]"),
    "logical_and":        ("tf.logical_and",             "Are both True?",                                   "tf.logical_and([True, False], True)", "[ True False]"),
    "logical_or":         ("tf.logical_or",              "Is one of them True?",                             "tf.logical_or([True, False], False)", "[ True False]"),
    "logical_xor":        ("tf.math.logical_xor",        "Is just one of them True?",                        "tf.math.logical_xor([True, False], True)", "[False  True]"),
    "logical_not":        ("tf.logical_not",             "Is it False?",                                     "tf.logical_not([True, False])",      "[False  True]"),
}
# fmt: on

FLOATS = "{} of any shape; the dtype stays. Raises InvalidArgumentError for integers."
NUMBERS = "{} of any shape; the dtype stays."
PAIR = "x, y: tensors of one dtype; shapes broadcast. Raises InvalidArgumentError where dtypes or shapes do not fit."


def docstring(name: str) -> str:
    """The docstring of a function of the elementwise table."""
    public, what, example, printed = WORDS[name]
    op = getattr(elementwise, name).op
    inputs = PAIR if len(op.inputs) == 2 else (NUMBERS if "i" in op.takes else FLOATS).format("x: numbers")
    made = f"print({example}.numpy())"
    numpy = ">>> import numpy as np\n    " if "np." in example else ""
    return (
        f"{what}{'' if what.endswith('?') else ','} number by number (`{public}`).\n\n    {inputs}\n\n"
        f"    >>> import minitape as tf\n    {numpy}>>> {made}\n    {printed}\n    "
    )


for _name in WORDS:
    getattr(elementwise, _name).__doc__ = docstring(_name)
