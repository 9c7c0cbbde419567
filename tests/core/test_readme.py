"""The README's program prints what its comments say."""

import re
import runpy
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_ten_lines(tmp_path, capsys):
    code = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    program = tmp_path / "program.py"  # from a file, since the trace reads the source
    program.write_text(code, encoding="utf-8")
    runpy.run_path(str(program))
    wanted = re.findall(r"^print\(.*\)\s+# (.*)$", code, re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert len(wanted) == len(printed) == 4
    for line, comment in zip(printed, wanted, strict=True):
        assert comment.startswith(line)


def test_why_it_is_none(tmp_path, capsys):
    code = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    program = tmp_path / "program.py"
    program.write_text("import minitape as tf\n" + code, encoding="utf-8")
    runpy.run_path(str(program))
    said = re.findall(r"^# (.*)$", code, re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == said


def test_every_file_it_names_exists():
    text = README.read_text(encoding="utf-8")
    for path in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (README.parent / path).exists(), path
