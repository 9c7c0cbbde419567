"""The five pictures for every eye and ear: no fault that axe finds, no word too pale. Their screenshots are kept."""

import pytest

from tests.pages import SCREENSHOTS, faults

from .contrast import pale
from .five import FIVE


def stand_at(page, step):
    page.locator(".mt-track").press("Home")
    for _ in range(step - 1):
        page.locator(".mt-track").press("ArrowRight")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1000, 560])
@pytest.mark.parametrize("name", FIVE)
def test_everyone_can_read_and_use_it(name, width, theme, opened, npm_packages):
    player = FIVE[name]
    page = opened(player, viewport={"width": width, "height": 700}, color_scheme=theme, device_scale_factor=2)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for where, step in {"first": 1, "middle": player.steps // 2 + 1, "last": player.steps}.items():
        stand_at(page, step)
        assert faults(page, npm_packages) == []
        assert pale(page) == []
        page.locator(".mt").screenshot(path=SCREENSHOTS / f"{name}-{width}-{theme}-{where}.png")


def test_a_fault_is_found(opened, npm_packages):
    page = opened(FIVE["tape"])
    page.evaluate("document.querySelector('.mt-play').removeAttribute('aria-label')")
    page.evaluate("document.querySelector('.mt-play').removeAttribute('title')")
    page.evaluate("document.querySelector('.mt-caption').style.color = '#999'")
    found = faults(page, npm_packages)
    assert {fault.split(": ")[1] for fault in found} == {"button-name", "color-contrast"}


@pytest.mark.parametrize("style", ["fill: #7a7a7a", "opacity: 0.5", "mix-blend-mode: screen"])
def test_a_pale_word_is_found(opened, style):
    page = opened(FIVE["tape"], device_scale_factor=2)
    assert pale(page) == []
    page.add_style_tag(content=f".mt-pic .panel .b.pale {{ {style} }}")
    page.evaluate("document.querySelector('.mt-pic .b').classList.add('pale')")
    assert [words.split(": ")[0] for words in pale(page)] == ["Program"]
