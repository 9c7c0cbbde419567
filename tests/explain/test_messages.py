"""docs/messages.md shows what minitape says today."""

import runpy
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "messages.py"


def test_the_page_is_up_to_date():
    tool = runpy.run_path(str(TOOL))
    assert tool["PAGE"].read_text(encoding="utf-8") == tool["page"](), "run: python tools/messages.py"
