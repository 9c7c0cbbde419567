"""The five pictures, each of a program such as a lesson shows. The browser tests run this very text in a notebook."""

import minitape as tf
from minitape_widgets import GraphView, HookLab, MemoryTimeline, RecordingMap, TapePlayer

limit = 1.0


@tf.custom_gradient
def clip_grad(x):
    def grad(dy):
        return tf.clip_by_value(dy, -limit, limit)

    return x, grad


def squares(t):
    return tf.reduce_sum(2.5 * clip_grad(t) ** 2)


with tf.observe() as cubed:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = x + x
        w = y * x
    grad = tape.gradient(w, x)

first, second = tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(2)
inputs = tf.constant([[1.0, 2.0]])
with tf.observe() as trained:
    with tf.GradientTape() as tape:
        hidden = first(inputs)
        loss = tf.reduce_mean(second(hidden) ** 2)
    grads = tape.gradient(loss, first.trainable_variables)

FIVE = {
    "tape": TapePlayer(cubed),
    "map": RecordingMap(cubed, names={"tf": tf}),
    "hook": HookLab(clip_grad, [1.0, 2.0, 3.0], dy=5.0, vary={"limit": [0.25, 1.0, 2.0, 5.0]}, train=squares),
    "memory": MemoryTimeline.chain(8, 2, size=1000),
    "graph": GraphView(trained),
}
