"""What a TapePlayer draws: the storyboard by ids and states, room reserved, nothing unescaped, odd values."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minitape.trace import Ran, Trace, Value
from minitape_widgets import TapePlayer
from minitape_widgets.player.svg import columns, cut, element, text

BAD = "<img src=x onerror=alert(1)>"
SVG = "{http://www.w3.org/2000/svg}"


def picture(trace):
    return TapePlayer(trace)._picture


def parse(svg):
    return ElementTree.fromstring(svg)


def ids(svg):
    return {node.get("data-id") for node in parse(svg).iter() if node.get("data-id")}


# --- the storyboard --------------------------------------------------------------------------------------------------


def test_the_parts_have_stable_ids(written):
    drawn = ids(picture(written()).svg(1))
    for id in (
        *(f"line-{n}" for n in range(1, 9)),
        *("code", "tape", "sums", "entry-1", "entry-2", "skip-1", "link-1", "link-2", "link-skip-1"),
        *("back-1", "back-1-g", "back-1-1", "back-1-2", "back-2", "rail-1", "rail-2", "chip-1", "chip-2"),
        *("sum-x", "sum-y", "sum-w", "term-x-1", "term-x-2", "term-x-3", "total-x", "result-8", "caller-8"),
    ):
        assert id in drawn, id


def test_every_part_that_changes_is_drawn(written):
    made = picture(written())
    assert set(made.timelines) <= ids(made.svg(1))


def test_a_line_without_an_op_moves_the_ring_and_leaves_the_tape(written):
    before, after = (picture(written()).states(step) for step in (2, 3))
    changed = {id for id in before if before[id] != after[id]}
    assert changed == {"line-2", "line-3", "mark-3-none"}
    assert after["line-3"] == "is-current"


def test_a_recorded_op_gets_its_line_its_link_and_its_entry(written):
    states = picture(written()).states(4)
    assert {states[id] for id in ("line-4", "link-1", "entry-1")} == {"is-current"}
    assert {states[id] for id in ("entry-2", "skip-1", "back-1", "line-7")} == {"is-future"}


def test_a_skipped_op_leaves_the_next_number_where_it_was(written):
    made = picture(written())
    assert made.states(6)["skip-1"] == "is-current"
    assert made.states(6)["ghost-1"] == "is-done"
    assert made.states(7)["ghost-1"] == "is-future"
    ghost = next(node for node in parse(made.svg(6)).iter() if node.get("data-id") == "ghost-1")
    assert "".join(ghost.itertext()) == "2next entry: z did not use up a place"


def test_the_way_back_starts_with_the_target_and_grows_the_rail_row_by_row(written):
    made = picture(written())
    start, first, second = made.states(8), made.states(9), made.states(10)
    assert start["sum-w"] == "is-done"
    assert start["head-forward"] == "is-dimmed"
    assert start["rail-2"] == start["back-2"] == "is-future"
    assert first["rail-2"] == first["back-2"] == "is-done"
    assert first["rail-1"] == "is-future"
    assert second["rail-1"] == "is-done"
    assert second["line-4"] == "is-current"
    assert second["caller-8"] == "is-done"


def test_within_a_step_the_sum_is_read_before_the_rule_and_the_rule_before_its_term(written):
    timelines = picture(written()).timelines
    phases = [
        next(phase for step, phase, _ in timelines[id] if step == 10)
        for id in ("entry-1", "read-y", "back-1-g", "chip-1", "back-1-1", "term-x-2", "back-1-2", "term-x-3")
    ]
    assert phases == sorted(phases)
    assert len(set(phases)) == len(phases)


def test_what_was_saved_is_used_and_then_freed(written):
    made = picture(written())
    assert [made.states(step)["chip-1"] for step in (4, 9, 10, 11)] == ["is-done", "is-done", "is-used", "is-gone"]


def test_a_persistent_tape_frees_nothing_and_each_call_shows_its_own_way_back(asked_twice):
    made = picture(asked_twice)
    last = made.states(len(made.steps))
    assert last["chip-1"] == "is-done"
    assert last["back-1"] == last["sums-of"] == last["flow"] == "is-future"
    assert last["back-1.2"] == last["sums-of.2"] == last["flow.2"] == "is-done"


def test_at_the_end_only_the_line_of_the_answer_has_the_ring(written):
    states = picture(written()).states(11)
    assert [id for id, state in states.items() if state == "is-current"] == ["line-8"]
    assert states["result-8"] == "is-done"


def test_no_step_lays_anything_out_again(written, clipped, recomputed):
    for trace in (written(), clipped, recomputed):
        made = picture(trace)
        bare = {re.sub(r' is-\w+|class="is-\w+"', "", made.svg(step)) for step in range(1, len(made.steps) + 1)}
        assert len({re.sub(r"\s+", " ", svg) for svg in bare}) == 1


def test_few_ops_get_tall_rows_and_many_get_one_line_each(looped):
    tall, flat = picture(looped(6)), picture(looped(15))
    assert "dh₁₂/dh₁₂" in tall.svg(1)
    assert tall.wide > 12 * 88
    assert flat.wide < 30 * 32 + 400
    assert "the way back adds to" in flat.svg(1)


def test_hatching_is_named_once_so_that_the_player_can_make_it_unique(written):
    svg = picture(written()).svg(1)
    assert svg.count("mt-hatch") == 2  # the pattern, and the variable that the CSS fills with


# --- anything may stand in a name ------------------------------------------------------------------------------------


def test_markup_in_names_code_and_values_is_text(written):
    trace = written(x=BAD, y=f"y{BAD}", w=f'"{BAD}&', text=BAD, lines=(f"x = '{BAD}'",))
    player = TapePlayer(trace)
    data, _ = player._repr_mimebundle_()
    svg = player._picture.svg(player.steps)
    assert "<img" not in svg
    assert not [node for node in parse(svg).iter() if node.tag.endswith("img") or "onerror" in node.attrib]
    assert data["text/html"].count("<img") == 1
    assert "onerror" not in data["text/html"].partition("src=")[0].replace("&lt;img src=x onerror=alert(1)&gt;", "")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(min_size=1), value=st.text(), line=st.text())
def test_any_text_makes_a_whole_picture(written, name, value, line):
    player = TapePlayer(written(x=name, text=value, lines=(line,) * 8))
    for step in (1, player.steps):
        parse(player._picture.svg(step))
    player._repr_mimebundle_()


@given(st.text(), st.integers(1, 40))
def test_cut_text_fits(words, most):
    assert columns(cut(words, most)) <= max(most, 1)
    assert cut(words, most) == words or cut(words, most).endswith("…")


def test_what_is_cut_is_whole_in_the_tooltip():
    drawn = text(0, 0, "reduce_mean(square(pred - y))", most=12).render()
    assert drawn.startswith('<text x="0" y="0" class=""') or drawn.startswith('<text x="0" y="0"')
    assert "<title>reduce_mean(square(pred - y))</title>" in drawn
    assert ">reduce_mean…<" in drawn


def test_characters_that_xml_forbids_do_not_break_the_picture():
    drawn = element("text", "a\x00b\ud800c", cls='"').render()
    assert "".join(parse(drawn).itertext()) == "a\ufffdb\ufffdc"


@pytest.mark.parametrize(
    ("shown", "shape", "numbers"),
    [
        ("nan", (), (float("nan"),)),
        ("inf", (), (float("inf"),)),
        ("[]", (0,), ()),
        ("(128, 256) float32", (128, 256), (0.0,) * 8),
        ("[1. 2. 3. 4. 5. 6. 7. 8.]", (8,), (1.0,) * 8),
        ("[[1. 2.]\n [3. 4.]]", (2, 2), (1.0, 2.0, 3.0, 4.0)),
    ],
)
def test_odd_values_are_drawn_and_told(shown, shape, numbers):
    x, y = (Value(id, name, shown, shape, "float32", 4, numbers) for id, name in ((1, "x"), (2, "y")))
    trace = Trace(("y = f(x)",), (Ran(1, 4, "f", "f(x)", (x,), (y,), ((1, 1),), (), (x,)),))
    player = TapePlayer(trace)
    parse(player._picture.svg(1))
    assert " ".join(shown.split()) in player.text


def test_a_place_outside_the_program_lights_no_line():
    x, y = (Value(id, name, "1.0", (), "float32", 4, (1.0,)) for id, name in ((1, "x"), (2, "y")))
    trace = Trace(("pass",), (Ran(None, 4, "f", "f(x)", (x,), (y,), ((1, 1),), (), (x,)),))
    made = picture(trace)
    assert made.states(1)["entry-1"] == "is-current"
    assert "link-1" not in ids(made.svg(1))
