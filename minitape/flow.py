"""Which of the learner's statements feed which, read from compiled code: it works without the source text.

A statement reads some names and writes some; so does each function. That is enough to follow a value by name from the
line where a tape lost sight of it to the line where it came back as a plain number.
"""

from __future__ import annotations

import dis
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import Any

#: A name and whose it is: a function's code for its locals, "module" for globals, "cell" for what closures share.
Key = tuple[Any, str]

#: Instructions that end a statement, or a condition of one.
ENDS = {
    "POP_TOP", "RETURN_VALUE", "RETURN_CONST", "YIELD_VALUE", "RAISE_VARARGS", "STORE_SUBSCR", "STORE_ATTR",
    "STORE_SLICE",
}  # fmt: skip
NAMED = re.compile(r"(LOAD|STORE)_(NAME|GLOBAL|FAST|DEREF|CLASSDEREF|CLOSURE|FROM_DICT_OR)")


@dataclass
class Statement:
    """One statement (or condition): the names it reads, calls and writes, and the functions it makes."""

    code: CodeType
    start: int  # offsets of its first instruction and of the one after its last
    stop: int = 0
    line: int = 0
    at: int = 0  # the offset of its first instruction that reads a name
    reads: set[Key] = field(default_factory=set)
    calls: set[Key] = field(default_factory=set)  # those of the names read that stand in front of (...)
    passes: set[Key] = field(default_factory=set)  # those that are handed on as they are: g(f), [f], h = f
    writes: set[Key] = field(default_factory=set)
    changes: set[Key] = field(default_factory=set)  # what it calls for its effect: out.append(y), model(x)
    makes: list[CodeType] = field(default_factory=list)
    attributes: set[str] = field(default_factory=set)  # the x of .x
    is_class: bool = False
    returns: bool = False
    branches: bool = False  # it is a condition, or begins a loop
    imports: bool = False

    @property
    def defines(self) -> bool:
        """Does it make a function, and run none?"""
        return bool(self.makes) and not self.calls


class Part:
    """One instruction, or one of the two things that some instructions do."""

    def __init__(self, ins: dis.Instruction, act: str, name: Any) -> None:
        self.op, self.act, self.name, self.at = ins.opname, act, name, ins.offset
        place = ins.positions
        self.line = 0 if self.op in ("RESUME", "COPY_FREE_VARS", "MAKE_CELL") else (place and place.lineno) or 0
        self.first = (self.line, (place and place.col_offset) or 0)
        self.last = ((place and place.end_lineno) or 0, (place and place.end_col_offset) or 0)

    def begins(self, whole: Part) -> bool:
        """Does a piece of source begin with this one?"""
        return self.first == whole.first

    def within(self, whole: Part) -> bool:
        """Does this piece of source lie in another?"""
        return bool(self.line and whole.line and whole.first <= self.first and self.last <= whole.last)


def nested(code: CodeType) -> Iterator[CodeType]:
    """A code object and all that are written inside it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from nested(part)


def statements(code: CodeType) -> tuple[Statement, ...]:
    """The statements of a function or module, in order."""
    return _statements(code, code.co_filename)  # code objects of two files may be equal


@lru_cache(maxsize=512)
def _statements(code: CodeType, _file: str) -> tuple[Statement, ...]:
    found: list[Statement] = []
    group: list[Part] = []
    current = Statement(code, 0)
    stored = False  # did the last instruction end the statement by storing?
    before = ""
    inlined: set[str] = set()  # names of a comprehension that Python has written into its surroundings (from 3.12)
    loops = 0  # such loops that are open
    for ins in dis.get_instructions(code):
        if ins.opname == "CACHE":
            continue
        if stored and not ins.opname.startswith(("STORE_", "SWAP", "UNPACK")):
            found.append(_closed(current, group, ins.offset))
            current, group = Statement(code, ins.offset), []
        stored = False
        acts = _acts(ins)
        if ins.opname == "LOAD_FAST_AND_CLEAR":
            inlined.add(ins.argval)
        loops += (ins.opname == "FOR_ITER" and bool(inlined)) - (ins.opname == "END_FOR" and loops > 0)
        group += [Part(ins, act, name) for act, name in acts] or [Part(ins, "", ins.argval)]
        if loops or before == "END_FOR" or (acts and acts[0][0] == "STORE" and acts[0][1] in inlined):
            pass  # the statement goes on around the comprehension
        elif acts and acts[0][0] == "STORE":
            stored = before != "COPY"
            inlined = set()
            if len(acts) == 2 and acts[1][0] == "LOAD":  # one instruction that stores, and loads for the next statement
                load = group.pop()
                found.append(_closed(current, group, ins.offset + 2))
                current, group, stored = Statement(code, ins.offset + 2), [load], False
        elif ins.opname in ENDS or ins.opname.startswith("POP_JUMP"):
            found.append(_closed(current, group, ins.offset + 2))
            current, group = Statement(code, ins.offset + 2), []
        before = ins.opname
    if group:
        found.append(_closed(current, group, len(code.co_code)))
    return tuple(found)


def _acts(ins: dis.Instruction) -> list[tuple[str, str]]:
    """What an instruction does to names: [("LOAD", "x")]; some of Python's newer ones do two things at once."""
    if not NAMED.match(ins.opname):
        return []
    names = ins.argval if isinstance(ins.argval, tuple) else (ins.argval,)
    acts = re.findall(r"LOAD|STORE", ins.opname)
    return list(zip(acts if len(acts) == len(names) else acts[:1] * len(names), names, strict=True))


def _closed(statement: Statement, group: list[Part], stop: int) -> Statement:
    """The statement that these instructions make."""
    statement.stop = stop
    statement.line = min((part.line for part in group if part.line), default=statement.code.co_firstlineno)
    loads = [part for part in group if part.act == "LOAD"]
    calls = [part for part in group if part.op.startswith("CALL") and part.line]
    last, ops = group[-1], {part.op for part in group}
    for part in loads:
        key = _key(statement.code, part)
        statement.reads.add(key)
        if any(part.begins(call) for call in calls):
            statement.calls.add(key)
        elif any(part.within(call) for call in calls) or ops.isdisjoint(("BINARY_OP", "COMPARE_OP")):
            statement.passes.add(key)
        if last.op in ("STORE_SUBSCR", "STORE_ATTR", "STORE_SLICE") and part.within(last):
            statement.writes.add(key)
    statement.at = next((part.at for part in loads if part.line == statement.line), statement.start)
    statement.writes |= {_key(statement.code, part) for part in group if part.act == "STORE"}
    statement.makes = [part.name for part in group if part.op == "LOAD_CONST" and isinstance(part.name, CodeType)]
    statement.attributes = {part.name for part in group if part.op in ("LOAD_ATTR", "LOAD_METHOD")}
    statement.is_class = "LOAD_BUILD_CLASS" in ops
    statement.imports = any(op.startswith("IMPORT") for op in ops)
    statement.returns = last.op.startswith("RETURN")
    loops = "FOR_ITER" in ops and "LOAD_FAST_AND_CLEAR" not in ops
    statement.branches = last.op.startswith("POP_JUMP") or loops
    if last.op == "POP_TOP" and statement.calls:
        statement.changes.add(_key(statement.code, loads[0]))
    return statement


def _key(code: CodeType, part: Part) -> Key:
    if "FAST" in part.op and part.name not in code.co_cellvars:
        return code, part.name
    if "GLOBAL" in part.op or ("NAME" in part.op and "CLASS" not in part.op):
        return "module", part.name
    return "cell", part.name


def statement_at(code: CodeType, at: int) -> Statement | None:
    """The statement that an instruction belongs to."""
    return next((s for s in statements(code) if s.start <= at < s.stop), None)


def stored_name(code: CodeType, at: int) -> str | None:
    """The name that an instruction's result is stored under at once: "y" for the product in `y = x * x`."""
    for ins in dis.get_instructions(code):
        if ins.offset > at and ins.opname not in ("CACHE", "COPY"):
            acts = _acts(ins)
            return acts[0][1] if acts and acts[0][0] == "STORE" else None
    return None


def expression(code: CodeType, at: int) -> tuple[Any, ...]:
    """What an instruction computes, as the instructions and names below it: equal for `w * x` in two places."""
    parts = [Part(ins, *act) for ins in dis.get_instructions(code) for act in _acts(ins) or [("", ins.argval)]]
    whole = next((part for part in reversed(parts) if part.at <= at), None)  # an instruction may have a tail
    if whole is None or not whole.line:
        return ()
    return tuple(
        part.name if part.act else (part.op, repr(part.name)) for part in parts if part.within(whole) and part.at <= at
    )


def callee(code: CodeType, at: int) -> str:
    """The name of the function that a call names: "reduce_sum" for `tf.reduce_sum(x)`; "" for what is no call."""
    parts = [Part(ins, *act) for ins in dis.get_instructions(code) for act in _acts(ins) or [("", ins.argval)]]
    whole = next((part for part in reversed(parts) if part.at <= at), None)
    if whole is None or not whole.op.startswith("CALL"):
        return ""
    named = [p for p in parts if p.begins(whole) and p.at < at and (p.act or p.op in ("LOAD_ATTR", "LOAD_METHOD"))]
    inside = [part for part in named if part.within(whole)]
    return str(inside[-1].name) if inside else ""


class Program:
    """All the code that some tensors came through, and how its statements feed each other."""

    def __init__(self, codes: Iterable[CodeType]) -> None:
        self.codes = list({(part, part.co_filename): part for code in codes for part in nested(code)}.values())
        self.statements = [s for code in self.codes for s in statements(code)]
        self.functions: dict[Key, set[CodeType]] = {}  # by name: the functions that it may stand for
        self._name_functions()
        # What the program made itself: a call of its method may change it. A module's may not.
        self.own = {key for s in self.statements if not s.imports for key in s.writes}

    def _name_functions(self) -> None:
        changed = True
        while changed:
            changed = False
            for s in self.statements:
                made = set(s.makes)
                for key in s.passes:
                    made |= self.functions.get(key, set())
                for key in s.calls:
                    made |= {code for code in self.functions.get(key, ()) if self._is_class(code)}
                for key in s.writes:
                    known = self.functions.setdefault(key, set())
                    if not made <= known:
                        known |= made
                        changed = True

    def _is_class(self, code: CodeType) -> bool:
        return any(s.is_class and code in s.makes for s in self.statements)

    def runs(self, s: Statement) -> set[CodeType]:
        """The functions that a statement may run: those it calls, hands on or makes, and all that they run."""
        found: set[CodeType] = set()
        todo = self._named(s)
        while todo:
            for code in nested(todo.pop()):
                if code not in found:
                    found.add(code)
                    todo += [inner for t in statements(code) for inner in self._named(t)]
        return found

    def _named(self, s: Statement) -> list[CodeType]:
        """The functions that a statement calls or hands on by name, or makes."""
        return [code for key in s.calls | s.passes for code in self.functions.get(key, ())] + s.makes

    def running(self, home: CodeType, code: CodeType) -> list[Statement]:
        """The statements of one code object in the course of which another may run."""
        return [s for s in statements(home) if code in self.runs(s) and not s.defines]

    def feeds(self, first: Statement | None, last: Statement | None) -> bool:
        """May a value of the first statement reach the last, through names, arguments and results?"""
        if first is None or last is None:
            return False
        keys = first.writes | (first.changes & self.own)
        done: list[Statement] = [first]
        results = {first.code} if first.returns else set()
        changed = True
        while changed:
            changed = False
            for s in self.statements:
                if any(s is t for t in done):
                    continue
                runs = self._named(s)
                given = bool(s.reads & keys)
                if not given and not any(code in results for code in runs):
                    continue
                if s is last:
                    return True
                changed = True
                done.append(s)
                keys |= s.writes | (s.changes & self.own)
                if s.returns:
                    results.add(s.code)
                if given:
                    for code in runs:
                        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
                            keys |= {(code, name), ("cell", name)}
        return False
