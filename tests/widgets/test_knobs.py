"""The line above the controls: its knobs, and the picture that is made anew when one is turned."""

import pytest

from minitape_widgets.player.picture import Head, Knob, Picture, Step, Storyboard
from minitape_widgets.player.player import Player
from minitape_widgets.player.svg import group, text


def stairs(high: int, folded: bool = True) -> Picture:
    """As many steps as it is high, under a knob and a switch."""
    board = Storyboard()
    for step in range(1, high + 1):
        board.show(f"stair-{step}", step)
    words = tuple(text(152 + 20 * step, 24, str(step), id=f"stair-{step}") for step in range(1, high + 1))
    drawing = (*words, group(text(152, 48, "|"), cls="travels", style="--axis:768px"))
    knobs = (
        Knob("high", "height <b>", high, (2, 3, 5)),
        Knob("folded", "layer", folded, (True, False), ("open it", "fold it")),
    )
    steps = tuple(Step("rec", (f"stair {step}",)) for step in range(1, high + 1))
    head = Head("Stairs", f"{high} stairs", knobs)
    return Picture("stairs", "Stairs", drawing, 60, 60, steps, board.timelines(), "stairs", head, axis=(768, 360))


class Stairs(Player):
    """Climbs; the knob says how high."""

    def __init__(self) -> None:
        super().__init__(stairs(3))
        self.observe(lambda change: self.redraw(stairs(**change["new"])), "knobs")


def test_a_turned_knob_makes_another_picture():
    player = Stairs()
    player.step = 3
    player.knobs = {"high": 5, "folded": True}
    assert player.steps == 5
    assert player.picture["head"]["sum"] == "5 stairs"
    assert [knob["value"] for knob in player.picture["head"]["knobs"]] == [5, True]
    assert player.step == 3
    player.knobs = {"high": 2, "folded": True}
    assert player.step == 2


def test_a_knob_has_only_its_choices():
    player = Stairs()
    player.knobs = {"high": 4, "other": 1}
    assert player.knobs == {"high": 3, "folded": True}
    assert player.steps == 3


def test_a_picture_without_a_head_has_no_knobs():
    plain = Player(Picture("plain", "Plain", (), 20, 20, (Step("rec", ("one",)),), {}, "plain"))
    assert plain.knobs == {}
    assert not {"head", "axis"} & set(plain.picture)


def test_the_time_that_has_passed_is_a_part_of_the_drawing():
    assert "--at:0.33333" in stairs(3).svg(1)
    assert "--at:1.00000" in stairs(3).svg(3)


# --- in a browser ----------------------------------------------------------------------------------------------------


@pytest.fixture
def page(opened):
    return opened(Stairs(), viewport={"width": 1000, "height": 400})


def test_without_a_kernel_the_knobs_do_not_turn(page):
    assert page.get_by_role("button", name="raise height <b>").is_disabled()
    assert page.locator(".mt-sum").inner_text() == "3 stairs"


def test_what_travels_stands_under_its_step(page):
    for key in ("Home", "ArrowRight", "End"):
        page.locator(".mt-track").press(key)
        step = int(page.locator(".mt-track").get_attribute("aria-valuenow"))
        track, sign = page.locator(".mt-track").bounding_box(), page.locator(".travels").bounding_box()
        assert track["width"] == 768
        assert sign["x"] == pytest.approx(track["x"] + 768 * step / 3, abs=1)


# A kernel in the page: it hears of knobs, and answers with the pictures it was given.
KERNEL = """(pictures) => {
  const heard = {};
  const model = standalone({ picture: pictures[0], step: 2, knobs: { high: 3, folded: true } });
  model.save_changes = () => {
    const { high, folded } = model.get("knobs");
    model.set("picture", pictures.find(({ head: { knobs } }) => knobs[0].value === high && knobs[1].value === folded));
  };
  window.close_ = render({ model, el: document.getElementById("player") });
}"""


@pytest.fixture
def living(page):
    page.evaluate("window.standalone = undefined")
    pictures = [stairs(high, folded).to_data() for high, folded in ((3, True), (5, True), (5, False))]
    source = page.evaluate("document.querySelector('script[type=module]').textContent")
    module = source.split("const dark = ")[0] + f"\nwindow.living = (pictures) => ({KERNEL})(pictures);"
    page.evaluate(
        "(code) => new Promise((done) => { const s = document.createElement('script'); s.type = 'module';"
        "s.textContent = code + '\\nwindow.ready();'; window.ready = done; document.body.append(s); })",
        module.replace("export default { render };", ""),
    )
    page.evaluate("(pictures) => window.living(pictures)", pictures)
    return page


def test_a_turned_knob_shows_the_next_picture_and_keeps_the_focus(living):
    up = living.get_by_role("button", name="raise height <b>")
    up.press("Enter")
    assert living.locator(".mt-sum").inner_text() == "5 stairs"
    assert living.locator(".mt-track").get_attribute("aria-valuemax") == "5"
    assert living.locator(".mt-now").inner_text() == "step 2 of 5 · stair 2"
    assert up.is_disabled()  # 5 is the last one: the focus goes to its neighbour
    assert living.evaluate("document.activeElement.getAttribute('aria-label')") == "lower height <b>"


def test_a_switch_says_what_a_press_does(living):
    living.get_by_role("button", name="raise height <b>").click()
    living.get_by_role("button", name="layer: open it").press("Enter")
    assert living.get_by_role("button", name="layer: fold it").is_enabled()
    assert living.evaluate("document.activeElement.textContent") == "fold it"
