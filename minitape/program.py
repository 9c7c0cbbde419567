"""The program that is observed: which lines it has, and what holds for an instruction each time it runs."""

from __future__ import annotations

import linecache
import textwrap
from types import CodeType, FrameType
from typing import NamedTuple

from . import place
from .place import Place


class Program(NamedTuple):
    """The observed program: its file, its first and last line there, and its lines."""

    file: str
    first: int
    last: int
    lines: tuple[str, ...]

    def line(self, where: Place) -> int | None:
        """A place as a line of the program, counted from 1; None for one that lies outside."""
        inside = where.file == self.file and self.first <= where.line <= self.last
        return where.line - self.first + 1 if inside else None

    @classmethod
    def of(cls, frame: FrameType | None) -> Program:
        """The block that a `with` statement opens in a frame; nothing where the source is not to be had."""
        where = place.locate(frame.f_code, frame.f_lasti) if frame is not None else None
        block = place.block_of(where) if where is not None else None
        if where is None or block is None:
            return cls("", 0, -1, ())
        first, last = block
        lines = linecache.getlines(where.file)[first - 1 : last]
        return cls(where.file, first, last, tuple(textwrap.dedent("".join(lines)).rstrip().splitlines()))


class Site:
    """An instruction of the learner's at which ops run, and what holds for each of its runs."""

    __slots__ = ("code", "line", "named", "parts")

    def __init__(self, code: CodeType, at: int, program: Program) -> None:
        where = place.locate(code, at)
        self.code = code  # held, so that its id() stays its own
        self.line = program.line(where)
        self.named = place.assigned_name(where) is not None  # is the result given a name at once?
        self.parts = place.parts(code, at)  # the instructions of its operands: their results never had a name
