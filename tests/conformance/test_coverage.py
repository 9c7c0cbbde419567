"""docs/coverage.md says what is there, and is what tools/coverage.py writes."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("coverage_page", ROOT / "tools" / "coverage.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "run `python tools/coverage.py`"
