"""What the learner can see by name: the tensors and tapes of a frame and of its module."""

from __future__ import annotations

import contextlib
import sys
import warnings
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from .control import Bind
from .place import learner_frame
from .primitive import Primitive
from .tape import GradientTape
from .tensor import Operand

MOST_CELLS = 200


@lru_cache(maxsize=MOST_CELLS)
def _compiled(text: str, file: str) -> CodeType | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return compile(text, file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return None


class Scope:
    """The tensors, by id, and the tapes that a frame's names lead to, also through lists, dictionaries and objects."""

    def __init__(self, frame: FrameType | None = None) -> None:
        self.names: dict[int, str] = {}
        self.things: dict[int, Operand] = {}
        self.tapes: list[GradientTape] = []
        self.tape_names: dict[int, str] = {}
        self.functions: dict[Primitive, str] = {}  # those with a rule of their own, by their op
        self.codes: list[CodeType] = []  # the code of these frames, and of a notebook's cells
        self._seen: set[int] = set()
        frame = frame or learner_frame(sys._getframe(1))
        while frame is not None:
            self.codes.append(frame.f_code)
            self._look(frame.f_locals)
            self._look(frame.f_globals)
            frame = learner_frame(frame.f_back) if frame.f_back and frame.f_back.f_globals is frame.f_globals else None

    def _cells(self, texts: Any) -> None:
        """A notebook's cells, compiled anew: a name may have been given in any of them."""
        ipython = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython is not None else None
        files = {number: file for file, number in getattr(getattr(shell, "compile", None), "_filename_map", {}).items()}
        for number, text in list(enumerate(texts))[-MOST_CELLS:]:
            if shell is not None and isinstance(text, str):
                code = _compiled(shell.transform_cell(text), files.get(number, f"<cell {number}>"))
                self.codes += [code] if code is not None else []

    def _look(self, names: dict[str, Any]) -> None:
        if id(names) in self._seen:
            return
        self._seen.add(id(names))
        if isinstance(names.get("In"), list):
            self._cells(names["In"])
        later: list[tuple[str, Any]] = []
        for name, value in list(names.items()):
            if name.startswith("_"):
                continue
            if isinstance(value, dict) and "__builtins__" in value:  # a program that was run by exec
                self._look(value)
            else:
                self._find(name, value, 0, later)
        for name, value in later:
            self._find(name, value, 1, [])

    def _find(self, name: str, value: Any, depth: int, later: list[tuple[str, Any]]) -> None:
        if isinstance(value, Operand):
            self.names.setdefault(value.id, name)
            self.things.setdefault(value.id, value)
        elif isinstance(value, GradientTape):
            if all(value is not tape for tape in self.tapes):
                self.tapes.append(value)
                self.tape_names[id(value)] = name
        elif isinstance(value, Bind):
            self.functions.setdefault(value.op, name)
        elif isinstance(value, list | tuple | dict) and len(value) <= 1000:
            if not depth:  # plain names win over places in a list
                later.append((name, value))
                return
            parts = value.items() if isinstance(value, dict) else enumerate(value)
            for key, part in parts:
                if depth < 4:
                    self._find(f"{name}[{key!r}]", part, depth + 1, later)
        elif hasattr(type(value), "trainable_variables"):  # a layer or a model
            with contextlib.suppress(Exception):  # a model of the learner's own may not be ready for the question
                for number, variable in enumerate(value.trainable_variables):
                    self._find(f"{name}.trainable_variables[{number}]", variable, 4, later)

    def name(self, thing: Any) -> str | None:
        """The learner's name for a tensor, given itself or its id."""
        return self.names.get(thing if isinstance(thing, int) else thing.id)
