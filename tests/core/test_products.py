"""einsum and tensordot against NumPy, and their gradients against finite differences."""

import numpy as np
import pytest

import minitape as tf

EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)),
    ("...ij,...jk->...ik", (4, 2, 3), (1, 3, 2)),
    ("...ij,jk", (4, 2, 3), (3, 2)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("ij->", (2, 3)),
    ("i,j->ij", (2,), (3,)),
    ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)),
    ("i,i,i->i", (3,), (3,), (3,)),
    ("iij,j->i", (3, 3, 2), (2,)),
    ("ij,k->k", (2, 3), (3,)),
    ("i...->...i", (2, 3)),
    (",ij->ij", (), (2, 3)),
]


@pytest.mark.parametrize(("equation", "shapes"), [(equation, shapes) for equation, *shapes in EQUATIONS])
def test_einsum(equation, shapes):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape) for shape in shapes]
    wanted = np.einsum(equation, *arrays)
    weights = rng.normal(size=wanted.shape)
    inputs = [tf.constant(array) for array in arrays]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = tf.einsum(equation, *inputs)
        loss = tf.reduce_sum(y * weights)
    np.testing.assert_allclose(y.numpy(), wanted, rtol=1e-12)
    for place, grad in enumerate(tape.gradient(loss, inputs)):
        slopes = np.zeros(shapes[place])
        for at in np.ndindex(*shapes[place]):
            ends = []
            for step in (1e-6, -1e-6):
                moved = [np.array(array) for array in arrays]
                moved[place][at] += step
                ends.append(np.sum(np.einsum(equation, *moved) * weights))
            slopes[at] = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(grad.numpy(), slopes, atol=1e-7)


@pytest.mark.parametrize("axes", [0, 1, 2, [[0], [1]], [[1, 0], [0, 1]]])
def test_tensordot(axes):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    np.testing.assert_allclose(tf.tensordot(a, b, axes).numpy(), np.tensordot(a, b, axes), rtol=1e-12)


def test_matmul_takes_its_operands_turned_round():
    a, b = tf.constant([[1.0, 2.0, 3.0]]), tf.constant([[1.0, 0.0, 2.0]])
    assert tf.matmul(a, b, transpose_b=True).numpy().tolist() == [[7.0]]
    assert tf.matmul(a, b, transpose_a=True).shape == (3, 3)
    z = tf.constant([[1 + 2j]])
    assert tf.matmul(z, z, adjoint_a=True).numpy().tolist() == [[5 + 0j]]
    assert tf.linalg.adjoint(z).numpy().tolist() == [[1 - 2j]]
