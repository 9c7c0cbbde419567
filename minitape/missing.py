"""Names that TensorFlow has and minitape has not: what to use instead."""

from __future__ import annotations

from .errors import say

#: What to write instead of a name of TensorFlow's; anything else is looked up in the coverage table.
INSTEAD = {
    "function": "leave the decorator out: minitape runs every op at once, as eager TensorFlow does",
    "vectorized_map": "tf.stack([f(row) for row in x])",
    "device": "leave the `with` out: everything runs on the CPU",
    "data": "for x, y in batches: ...  # any Python iterable",
    "config": "leave it out: there is nothing to configure",
    "distribute": "leave it out: there is one device",
    "Graph": "with tf.GradientTape() as tape: ...",
    "Session": "call the ops: they run at once",
    "placeholder": "an argument of a Python function",
    "compat": "import minitape as tf",
    "image": "tf.reshape, tf.transpose and slices",
    "io": "pathlib.Path(...).read_bytes()",
    "saved_model": "np.savez('weights.npz', *[v.numpy() for v in model.variables])",
    "train": "np.savez('weights.npz', *[v.numpy() for v in model.variables])",
    "summary": "print(loss.numpy())",
    "ragged": "one tensor for each row",
    "RaggedTensor": "a list of tensors",
    "sparse": "tf.gather and tf.scatter_nd",
    "SparseTensor": "tf.gather and tf.scatter_nd",
    "strings": "Python's own strings",
    "TensorArray": "a list, then tf.stack(list)",
    "TensorSpec": "leave it out: nothing is traced",
    "autograph": "leave it out: Python's own if, for and while are what runs",
    "executing_eagerly": "True: minitape always is eager",
    "gradients": "tape.gradient(target, sources)",
    "hessians": "outer.jacobian(inner.gradient(y, x), x), with two tapes",
    "control_dependencies": "leave it out: ops run in the order they are written",
    "profiler": "minitape.ledger(tape) shows the bytes held",
}


def missing(module: str, name: str) -> AttributeError:
    """The error for a name that is not there."""
    instead = INSTEAD.get(name) if module == "minitape" else None
    known = "TensorFlow has" if instead else "there may be"
    return AttributeError(
        say(
            f"module {module!r} has no attribute {name!r}: {known} such a name, minitape has not",
            instead or "see docs/coverage.md for what is there",
        )
    )
