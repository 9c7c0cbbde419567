"""Names that TensorFlow has and minitape has not: what to use instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    "RegisterGradient": "@tf.custom_gradient",
    "keras.backend": "tf's own functions, such as tf.reduce_mean",
    "keras.callbacks.LambdaCallback": "class Told(tf.keras.callbacks.Callback): ...",
    "keras.callbacks.EarlyStopping": "self.model.stop_training = True  # in on_epoch_end of a Callback",
    "keras.datasets": "sklearn.datasets.load_digits()",
    "keras.layers.Add": "x + y  # in the call method of a tf.keras.Model",
    "keras.layers.Concatenate": "tf.concat([x, y], axis=-1)  # in the call method of a tf.keras.Model",
    "keras.layers.GlobalAveragePooling2D": "tf.keras.layers.Lambda(lambda x: tf.reduce_mean(x, axis=[1, 2]))",
    "keras.layers.GlobalMaxPooling2D": "tf.keras.layers.Lambda(lambda x: tf.reduce_max(x, axis=[1, 2]))",
    "keras.layers.LeakyReLU": 'tf.keras.layers.Activation("leaky_relu")',
    "keras.layers.ReLU": 'tf.keras.layers.Activation("relu")',
    "keras.layers.Softmax": 'tf.keras.layers.Activation("softmax")',
    "keras.ops": "tf's own functions, such as tf.reduce_mean",
    "keras.optimizers.schedules": "optimizer.learning_rate = 0.01  # before an epoch",
    "keras.regularizers": "loss += 0.01 * tf.reduce_sum(layer.kernel**2)",
    "keras.utils": "tf.one_hot(labels, depth) and tf.random.set_seed(0)",
}


def missing(module: str, name: str) -> AttributeError:
    """The error for a name that is not there."""
    instead = INSTEAD.get(f"{module}.{name}".removeprefix("minitape."))
    known = "TensorFlow has" if instead else "there may be"
    return AttributeError(
        say(
            f"module {module!r} has no attribute {name!r}: {known} such a name, minitape has not",
            instead or "see docs/coverage.md for what is there",
        )
    )


def absent(module: str) -> Callable[[str], Any]:
    """A module's `__getattr__`, which is asked for the names that are not there."""

    def look(name: str) -> Any:
        raise missing(module, name)

    return look
