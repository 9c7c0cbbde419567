"""Losses and metrics: examples that weigh more than others, arguments by place, many updates."""

import numpy as np

TRUE = np.float32([[0, 1, 0], [1, 0, 0]])
SHARE = np.float32([[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
WEIGHTS = (2.0, np.float32([1, 3]), np.float32([[1], [3]]))


def losses(tf):
    make, found = tf.keras.losses, {}
    for kind in ("MeanSquaredError", "MeanAbsoluteError", "BinaryCrossentropy", "CategoricalCrossentropy", "Huber"):
        found[kind] = [
            getattr(make, kind)(reduction=reduction)(TRUE, SHARE, sample_weight=weight)
            for reduction in ("sum_over_batch_size", "sum", "none")
            for weight in WEIGHTS
        ]
    three = make.MeanSquaredError()
    cube = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    found["three axes"] = [
        three(0 * cube, cube, sample_weight=weight) for weight in (*WEIGHTS[::2], np.float32([[1, 2, 0], [0, 1, 1]]))
    ]
    return found


def gradient_of_a_weighted_loss(tf):
    v = tf.Variable(SHARE)
    with tf.GradientTape() as tape:
        loss = tf.keras.losses.MeanSquaredError()(TRUE, tf.identity(v), sample_weight=np.float32([[1], [2]]))
    return loss, tape.gradient(loss, v)


def arguments_by_place(tf):
    make = tf.keras.losses
    loss = make.MeanSquaredError("sum", "mine")
    return loss(TRUE, SHARE), loss.name, make.MeanAbsoluteError("none")(TRUE, SHARE), make.Huber().name


def metrics(tf):
    make, found = tf.keras.metrics, {}
    kinds = ("MeanSquaredError", "MeanAbsoluteError", "BinaryAccuracy", "CategoricalAccuracy", "Accuracy")
    for kind in (*kinds, "BinaryCrossentropy", "CategoricalCrossentropy"):
        metric, found[kind] = getattr(make, kind)(), []
        for weight in (*WEIGHTS[1:], None):
            metric.update_state(TRUE, SHARE, sample_weight=weight)
            found[kind].append([metric.result(), metric.total.numpy(), metric.count.numpy()])
        metric.reset_state()
        found[kind].append(metric.result())
    return found


def means_over_updates(tf):
    mean, total, found = tf.keras.metrics.Mean(), tf.keras.metrics.Sum(), []
    table = np.float32([[1, 2], [3, 5]])
    for values, weight in (
        (table, None), (table, WEIGHTS[1]), (table, WEIGHTS[2]), (table, np.float32([[1, 2], [3, 0]])), (5.0, None),
        (np.float32([1, 7]), 2.0), (4.0, 3.0),
    ):  # fmt: skip
        mean.update_state(values, sample_weight=weight)
        total.update_state(values, sample_weight=weight)
        found.append([mean.result(), mean.count.numpy(), total.result()])
    return found


def metrics_of_three_axes(tf):
    metric = tf.keras.metrics.MeanSquaredError()
    cube = np.arange(12.0).reshape(2, 3, 2)
    metric.update_state(cube, 0 * cube, sample_weight=np.float32([[1, 2, 0], [0, 1, 1]]))
    return metric.result(), metric.total.numpy(), metric.count.numpy()


def metric_functions(tf):
    make = tf.keras.metrics
    return (
        make.sparse_categorical_accuracy(np.array([1, 0]), SHARE), make.categorical_accuracy(TRUE, SHARE),
        make.binary_accuracy(TRUE, SHARE), make.binary_accuracy(TRUE, SHARE, threshold=0.7),
    )  # fmt: skip
