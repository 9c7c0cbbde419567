"""Every lesson, and a demo, as a learner meets them: in JupyterLab, run and unrun, and as a page without a kernel."""

from pathlib import Path

import nbconvert
import pytest

ROOT = Path(__file__).parents[2]
LESSONS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(params=["demo", *LESSONS])
def notebook(request, lab):
    """A notebook that was run once: its path in JupyterLab."""
    return request.getfixturevalue("demo_run") if request.param == "demo" else f"lessons/{request.param}"


# --- run, in JupyterLab ---


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_lesson_runs_and_its_players_step_with_the_keyboard(notebook, theme, lab, window):
    cells = lab.players(notebook)
    assert cells, "no player in this notebook"
    page = window.open(notebook, theme)
    page.run_all()
    for number, cell in enumerate(cells, 1):
        player = page.player(cell)
        player.focus()
        player.press("Home")
        assert player.step == 1
        said, written = [player.spoken], [player.caption]
        page.screenshot(f"player{number}-first", player.figure)
        for step in range(2, player.steps + 1):
            player.press("ArrowRight")
            assert player.step == step
            said.append(player.spoken)
            written.append(player.caption)
            if step == player.steps // 2 + 1:
                page.screenshot(f"player{number}-middle", player.figure)
        assert len(set(said)) == len(set(written)) == player.steps > 1
        assert all(words.startswith(f"step {step} of {player.steps}: ") for step, words in enumerate(said, 1))
        player.press("ArrowRight")
        assert player.step == player.steps
        page.screenshot(f"player{number}-last", player.figure)
        player.press("ArrowLeft")
        assert player.caption == written[-2]
        player.press("Home")
        assert player.caption == written[0]
        player.press("End")
        assert player.caption == written[-1]
        assert page.active_cell() == cell  # the keys were the player's alone
    page.screenshot_all()


def test_the_tab_key_leads_into_the_player(demo_run, window, lab):
    page = window.open(demo_run)
    page.run_all()
    (cell,) = lab.players(demo_run)
    player = page.player(cell)
    player.press("Escape")
    for _ in range(20):
        player.press("Tab")
        if player.has_focus():
            break
    assert player.has_focus()
    player.press("ArrowRight")
    assert player.step == 2


def test_the_step_arrives_in_the_kernel_and_comes_from_it(demo_run, window, lab):
    page = window.open(demo_run)
    page.run_all()
    player = page.player(lab.players(demo_run)[0])
    assert page.evaluate("player.step") == "1"
    player.focus()
    player.press("End")
    page.wait_until(lambda: page.evaluate("player.step") == str(player.steps))
    page.evaluate("setattr(player, 'step', 3)")
    page.wait_until(lambda: player.step == 3)


def test_play_goes_on_by_itself_and_pause_stops_it(demo_run, window, lab):
    page = window.open(demo_run)
    page.run_all()
    player = page.player(lab.players(demo_run)[0])
    player.button("play").click()
    page.wait_until(lambda: player.step == 2)
    player.button("pause").click()
    stopped = player.step
    page.page.wait_for_timeout(2000)  # longer than a step takes
    assert player.step == stopped


def test_a_kernel_that_answers_late_does_not_move_the_player(demo_run, window, lab):
    page = window.open(demo_run)
    page.run_all()
    player = page.player(lab.players(demo_run)[0])
    player.focus()
    player.press("ArrowRight")
    page.keep_busy(1)
    page.page.wait_for_timeout(300)  # by now the kernel has been told of step 2; it will answer in a second
    steps = []
    for _ in range(20):
        for key in ("ArrowRight", "ArrowLeft"):
            player.press(key)
            steps.append(player.step)
            page.page.wait_for_timeout(50)
    assert steps == [3, 2] * 20
    page.wait_until(lambda: page.evaluate("player.step") == "2")


@pytest.mark.parametrize("window", [{"reduced_motion": "reduce"}], indirect=True)
def test_who_asked_for_less_motion_steps_and_cannot_play(demo_run, window, lab):
    page = window.open(demo_run)
    page.run_all()
    player = page.player(lab.players(demo_run)[0])
    assert not player.button("play").is_visible()
    player.button("step forward").click()
    assert player.step == 2
    player.focus()
    player.press(" ")
    page.page.wait_for_timeout(2000)  # longer than a step takes
    assert player.step == 2


# --- not run ---


def test_unrun_and_untrusted_a_lesson_shows_the_picture(notebook, window, lab):
    page = window.open(notebook)
    assert not page.trusted()
    for number, cell in enumerate(lab.players(notebook), 1):
        assert all(width > 0 for width in page.pictures(cell))
        page.screenshot(f"unrun{number}", page.cell(cell))


def test_a_page_without_kernel_and_network_shows_the_picture(notebook, offline, lab, tmp_path):
    html, _ = nbconvert.HTMLExporter().from_filename(str(lab.folder / notebook))
    path = tmp_path / "lesson.html"
    path.write_text(html, encoding="utf-8")
    offline.goto(path.as_uri(), wait_until="domcontentloaded")
    pictures = offline.locator(".jp-OutputArea-output img[src^='data:image/svg+xml'][alt]")
    widths = pictures.evaluate_all("all => all.map((img) => img.naturalWidth)")
    assert len(widths) == len(lab.players(notebook))
    assert all(width > 0 for width in widths)
