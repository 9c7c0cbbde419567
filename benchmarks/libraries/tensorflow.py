"""TensorFlow, op by op (eager), one thread."""

from __future__ import annotations

import tensorflow as tf

from .gradient_tape import TapeLibrary


def library() -> TapeLibrary:
    """TensorFlow's eager mode on the CPU."""
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    return TapeLibrary("TensorFlow", tf)
