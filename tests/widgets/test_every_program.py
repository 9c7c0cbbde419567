"""A TapePlayer draws every recorded program of the conformance tests, and its parts can be told apart."""

import linecache
import re
import textwrap
import warnings
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

import minitape as tf
from minitape_widgets import TapePlayer
from tests.conformance.programs import PROGRAMS

AREAS = sorted({case["area"] for case in PROGRAMS})


def observed(case):
    """The trace of a recorded program."""
    source = "with tf.observe() as the_trace:\n" + textwrap.indent(case["program"], "    ")
    file = f"<recorded {case['id']}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"tf": tf, "np": np, "numpy": np}
    try:
        exec(compile(source, file, "exec"), names)
    except Exception as error:
        names["raised"] = error  # many programs are about the error they raise; the trace ends there
    finally:
        del linecache.cache[file]
    return names["the_trace"]


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.usefixtures("capsys", "caplog")
def test_every_part_is_drawn_once_and_every_step_has_a_sentence(area):
    drawn = 0
    for case in PROGRAMS:
        if case["area"] != area:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seen = observed(case)
        player = TapePlayer(seen)
        for picture in player._picture.variants or (player._picture,):
            svg = picture.svg(len(picture.steps))
            ElementTree.fromstring(svg)
            ids = Counter(re.findall(r'data-id="([^"]+)"', svg))
            assert [id for id, times in ids.items() if times > 1] == [], case["id"]
            assert set(picture.timelines) <= set(ids), case["id"]
            assert all(step.words for step in picture.steps), case["id"]
        drawn += 1
    assert drawn
