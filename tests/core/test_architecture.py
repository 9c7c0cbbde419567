"""The house stays small, and nothing points back."""

import ast
import io
import tokenize
from pathlib import Path

import minitape

CORE = Path(minitape.__file__).parent
SIX = ("tensor", "record", "tape", "backward", "control", "primitive")


def code_lines(file: Path) -> int:
    """Lines that hold code: no docstring, comment or blank line."""
    text = file.read_text(encoding="utf-8")
    docs = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            docs.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    skip = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skip:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docs)


def test_the_whole_tape_is_six_short_files():
    assert sum(code_lines(CORE / f"{name}.py") for name in SIX) <= 1500


def test_no_file_grows_long():
    files = [f for f in CORE.rglob("*.py") if f.stem not in SIX and f.parent.name not in ("ops", "lessons")]
    assert {f.name: n for f in files if (n := code_lines(f)) > 320} == {}


def test_the_core_imports_numpy_and_the_standard_library_alone():
    known = {"numpy", "minitape", "__future__"}
    import sys

    for file in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            else:
                continue
            for name in names:
                root = name.partition(".")[0]
                assert root in known or root in sys.stdlib_module_names, f"{file.name} imports {name}"
