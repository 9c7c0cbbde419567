"""What is public is written down, so that editors and type checkers know it too."""

import importlib
import types

import pytest

import minitape as tf


@pytest.mark.parametrize("name", ["minitape", "minitape.math", "minitape.nn", "minitape.linalg"])
def test_the_list_of_public_names_is_whole(name):
    module = importlib.import_module(name)
    written = module.__all__
    assert written == sorted(set(written))
    found = {
        word
        for word, value in vars(module).items()
        if not word.startswith("_") and not isinstance(value, types.ModuleType) and word != "annotations"
    }
    assert found <= set(written), f"not in __all__: {sorted(found - set(written))}"
    for word in written:
        assert getattr(module, word) is not None or word == "newaxis"


def test_modules_that_come_late_are_listed():
    assert set(tf._LATER) <= set(tf.__all__)
