"""Loops and branches as functions. minitape runs them as Python's own `for`, `while` and `if`, which do as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import say
from ..nest import flatten, map_structure, pack_as
from ..operands import operand
from .composed import convert_to_tensor
from .join import stack, unstack


def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """A function of each entry along the first axis, the results stacked (`tf.map_fn`).

    elems: a tensor, or a structure of tensors of one length, which the function then gets.

    >>> import minitape as tf
    >>> print(tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0, 3.0])))
    tf.Tensor([1. 4. 9.], shape=(3,), dtype=float32)
    """
    return _stacked([fn(part) for part in _entries(elems)])


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Entries combined from the first to the last: fn(fn(a, b), c) (`tf.foldl`).

    >>> import minitape as tf
    >>> print(tf.foldl(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])))
    tf.Tensor(123, shape=(), dtype=int32)
    """
    return _scanned(fn, _entries(elems), initializer)[-1]


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Entries combined from the last to the first (`tf.foldr`).

    >>> import minitape as tf
    >>> print(tf.foldr(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])))
    tf.Tensor(321, shape=(), dtype=int32)
    """
    return _scanned(fn, _entries(elems)[::-1], initializer)[-1]


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """What `foldl` has so far, after every entry, stacked (`tf.scan`); from the end for reverse.

    >>> import minitape as tf
    >>> print(tf.scan(lambda a, x: a + x, tf.constant([1.0, 2.0, 3.0])))
    tf.Tensor([1. 3. 6.], shape=(3,), dtype=float32)
    """
    parts = _entries(elems)
    states = _scanned(fn, parts[::-1] if reverse else parts, initializer, first=initializer is None)
    return _stacked(states[::-1] if reverse else states)


def _entries(elems: Any) -> list[Any]:
    """The entries along the first axis, each in the structure of `elems`."""
    columns = [unstack(leaf) for leaf in flatten(elems)]
    return [pack_as(elems, row) for row in zip(*columns, strict=True)]


def _scanned(fn: Callable[[Any, Any], Any], parts: list[Any], initializer: Any, first: bool = True) -> list[Any]:
    """Every state; with the one it started from, or (first=False) without."""
    if initializer is None and not parts:
        raise ValueError(
            say(
                "there is nothing to fold, and no initializer", "tf.foldl(fn, elems, initializer=0.0)", "elems is empty"
            )
        )
    states = [parts[0] if initializer is None else map_structure(convert_to_tensor, initializer)]
    for part in parts[initializer is None :]:
        states.append(fn(states[-1], part))
    return states if first else states[1:]


def _stacked(results: list[Any]) -> Any:
    if not results:
        return stack([])
    columns = zip(*(flatten(result) for result in results), strict=True)
    return pack_as(results[0], [stack(column) for column in columns])


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """`while cond(*loop_vars): loop_vars = body(*loop_vars)` (`tf.while_loop`); every round is recorded.

    >>> import minitape as tf
    >>> rounds, x = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), [tf.constant(0), tf.constant(1.0)])
    >>> print(x)
    tf.Tensor(8.0, shape=(), dtype=float32)
    """
    many = isinstance(loop_vars, list | tuple)
    state = tuple(map_structure(convert_to_tensor, loop_vars)) if many else (convert_to_tensor(loop_vars),)
    left = None if maximum_iterations is None else int(maximum_iterations)
    while (left is None or left > 0) and cond(*state):
        made = body(*state)
        made = tuple(made) if isinstance(made, list | tuple) else (made,)
        state = tuple(map_structure(convert_to_tensor, made))
        left = None if left is None else left - 1
    return pack_as(loop_vars, flatten(state)) if many else state[0]


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """`true_fn() if pred else false_fn()` (`tf.cond`); the other function is not called.

    >>> import minitape as tf
    >>> print(tf.cond(tf.constant(True), lambda: tf.constant(1.0), lambda: tf.constant(2.0)))
    tf.Tensor(1.0, shape=(), dtype=float32)
    """
    chosen = true_fn if pred else false_fn
    if not callable(chosen):
        raise TypeError(
            say(
                "tf.cond takes functions, so that only one of them is called",
                "tf.cond(x > 0, lambda: x, lambda: -x)",
                f"'{'true' if pred else 'false'}_fn' must be callable.",
            )
        )
    return chosen()


def case(
    pred_fn_pairs: Any, default: Callable[[], Any] | None = None, exclusive: bool = False, name: str | None = None
) -> Any:
    """The result of the first function whose condition is true, or of `default` (`tf.case`).

    >>> import minitape as tf
    >>> print(tf.case([(tf.constant(False), lambda: tf.constant(1.0))], default=lambda: tf.constant(2.0)))
    tf.Tensor(2.0, shape=(), dtype=float32)
    """
    for pred, fn in pred_fn_pairs:
        if pred:
            return cond(True, fn)
    if default is None:
        raise ValueError(
            say(
                "no condition is true, and there is no default",
                "tf.case(pairs, default=lambda: x)",
                "None of the conditions evaluated as True.",
            )
        )
    return cond(True, default)


def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: str = "switch_case"
) -> Any:
    """The result of the function with this number, or of `default`, or of the last (`tf.switch_case`).

    >>> import minitape as tf
    >>> print(tf.switch_case(tf.constant(1), [lambda: tf.constant(1.0), lambda: tf.constant(2.0)]))
    tf.Tensor(2.0, shape=(), dtype=float32)
    """
    pairs = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    functions: dict[int, Callable[[], Any]] = dict(
        pair if isinstance(pair, tuple) else (at, pair) for at, pair in enumerate(pairs)
    )
    return cond(True, functions.get(int(branch_index), default or functions[max(functions)]))


def py_function(func: Callable[..., Any], inp: Any, Tout: Any, name: str | None = None) -> Any:  # noqa: N803
    """A Python function of tensors, whose result is checked for its dtype (`tf.py_function`); differentiable.

    >>> import minitape as tf
    >>> print(tf.py_function(lambda x: x * x, [tf.constant(3.0)], tf.float32))
    tf.Tensor(9.0, shape=(), dtype=float32)
    """
    return _as_asked(func(*(operand(x) for x in inp)), Tout)


def numpy_function(
    func: Callable[..., Any],
    inp: Any,
    Tout: Any,  # noqa: N803 (TensorFlow's name)
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """A Python function of NumPy arrays (`tf.numpy_function`); no gradient passes through it.

    >>> import numpy as np
    >>> import minitape as tf
    >>> print(tf.numpy_function(np.sort, [tf.constant([2.0, 1.0])], tf.float32))
    tf.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    arrays = [np.array(operand(x).numpy()) for x in inp]
    return _as_asked(func(*arrays), Tout)


def _as_asked(result: Any, dtypes: Any) -> Any:
    """A function's results as tensors of the dtypes that were promised."""
    if not isinstance(dtypes, list | tuple):
        return convert_to_tensor(result, dtypes)
    results = result if isinstance(result, list | tuple) else [result]
    return [convert_to_tensor(value, dtype) for value, dtype in zip(results, dtypes, strict=True)]
