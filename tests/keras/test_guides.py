"""TensorFlow's guides run here: the same programs, with the numbers that TensorFlow 2.21 (Keras 3.15) gave."""

import json

import numpy as np
import pytest

import minitape as tf

from .guides import PROGRAMS
from .recording import RECORDED, plain

WANTED = json.loads(RECORDED.read_text(encoding="utf-8"))


def agree(got, wanted):
    """Equal structure, and numbers to float32 precision."""
    if isinstance(wanted, dict):
        return got.keys() == wanted.keys() and all(agree(got[key], part) for key, part in wanted.items())
    if isinstance(wanted, list) and not all(isinstance(part, float) for part in wanted):
        return len(got) == len(wanted) and all(map(agree, got, wanted))
    if isinstance(wanted, float | list):
        return np.shape(got) == np.shape(wanted) and np.allclose(got, wanted, rtol=1e-5, atol=1e-6)
    return type(got) is type(wanted) and got == wanted


def test_every_program_is_recorded():
    assert WANTED.keys() == PROGRAMS.keys()


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    got = plain(PROGRAMS[name](tf))
    assert agree(got, WANTED[name]), f"wanted {WANTED[name]}\ngot {got}"
