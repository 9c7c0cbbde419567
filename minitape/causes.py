"""What `explain` says about each cause: one sentence in the learner's own names, and one line of code that mends it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .diagnosis import Diagnosis
from .flow import statement_at, statements, stored_name
from .marks import Mark
from .place import Spot
from .tensor import Operand

if TYPE_CHECKING:
    from .primitive import Primitive
    from .record import TapeEntry
    from .roads import Edge
    from .scope import Scope
    from .why import Case

READS = ("gradient", "jacobian", "batch_jacobian")
COMPARISONS = ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal")
#: What stands in for NumPy's and Python's functions, by their names.
INSTEAD = {
    "mean": "reduce_mean",
    "average": "reduce_mean",
    "sum": "reduce_sum",
    "max": "reduce_max",
    "min": "reduce_min",
}
INSTEAD |= {name: name for name in ("exp", "sin", "cos", "tanh", "sqrt", "square", "abs", "maximum", "minimum", "pow")}
INSTEAD |= {name: f"math.{name}" for name in ("log", "log1p", "expm1")} | {"norm": "norm", "dot": "tensordot"}
#: How an edge is told in the list of steps.
STEPS = {
    "recorded": "recorded",
    "derivative": "a gradient of it",
    "unwatched": "not recorded: nothing in it is watched",
    "stop_recording": "not recorded: stop_recording()",
    "stop_gradient": "no gradient passes",
    "integer": "integers have no gradient",
    "not differentiable": "it has no derivative",
    "unheard": "not in this tape's time",
    "own rule": "its own rule speaks for what is inside",
    "recompute_grad": "run without recording",
    "assign": "written into a variable",
    "copy": "copied into a variable",
    "numpy": "left to NumPy",
} | dict.fromkeys(("float", "int", "bool", "complex"), "left to Python")


class Words:
    """The sentences for one case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.tape = case.scope.tape_names.get(id(case.tape), "tape")
        self.x, self.y = self.plain(case.source) or "x", self.plain(case.target) or "y"
        self.source, self.target = self.name(case.source, "the source"), self.name(case.target, "the target")

    # --- names, places and code ---------------------------------------------------------------------------------------

    def plain(self, thing: Operand | int) -> str:
        """The learner's name for a tensor; "" where it has none."""
        case = self.case
        id = thing if isinstance(thing, int) else thing.id
        seen = case.scope.names.get(id, "")
        if seen.isidentifier():
            return seen
        spots = [edge.spot for edge in case.roads.into.get(id, ())] + [made_at(case.roads.things.get(id))]
        return next((name for spot in spots if spot is not None and (name := stored_name(*spot))), seen)

    def name(self, thing: Operand | int, otherwise: str = "a tensor") -> str:
        """A tensor's name in code quotes, or other words for it."""
        plain = self.plain(thing)
        return f"`{plain}`" if plain else otherwise

    def inside(self, spot: Spot | None) -> str:
        """A statement put into the tape's block, as code."""
        code = spot.statement if spot is not None else ""
        return f"with tf.GradientTape() as {self.tape}: ...; {code or '...'}  # inside the block"

    def made(self, cause: str, what: str, fix: str, spot: Spot | None, road: list[Edge] | None = None) -> Diagnosis:
        """The diagnosis."""
        return Diagnosis(cause, what, fix, spot.line if spot is not None else None, self.road(road or []))

    def road(self, road: list[Edge]) -> tuple[str, ...]:
        """The road, one step a line: what was made of what, where, and whether the tape has it."""
        lines = []
        for edge in road:
            at = f"{edge.spot}, " if edge.spot is not None else ""
            start, end = self.plain(edge.start) or "·", self.plain(edge.end) or "·"
            lines.append(f"{start} → {end}   {at}{edge.op}: {STEPS.get(edge.kind, edge.kind)}")
        if len(lines) > 12:
            lines[6:-5] = [f"... {len(lines) - 11} more steps"]
        return tuple(lines)

    # --- all is well --------------------------------------------------------------------------------------------------

    def works(self, road: list[Edge]) -> Diagnosis:
        """The road is whole."""
        steps = f"{len(road)} recorded step{'s' * (len(road) > 1)} from {self.source} to {self.target}"
        what = f"connected: {steps}" if road else f"{self.source} is the target itself"
        return self.made("works", what, "", None, road)

    # --- a break on the road ------------------------------------------------------------------------------------------

    def broken(self, edge: Edge, road: list[Edge], whole: bool = False) -> Diagnosis:
        """The cause that a broken edge stands for; `whole`: there is another road, which is not broken."""
        match edge.kind:
            case "stop_recording":
                return self.stop_recording(edge, road, whole)
            case "stop_gradient":
                return self.stop_gradient(edge, road, whole)
            case "unheard":
                return self.unheard(edge, road, whole)
            case "integer":
                return self.cast_to_integer(edge, road)
            case "not differentiable":
                return self.no_derivative(edge, road)
            case "own rule" | "recompute_grad":
                return self.captured(edge, road)
            case "assign" | "copy":
                return self.assigned(edge, road, whole)
            case "derivative":
                return self.constant_slope(road)
            case "unwatched":
                return self.unwatched(edge, road)
        return self.left(edge, road, whole)

    def unwatched(self, edge: Edge, road: list[Edge]) -> Diagnosis:
        """Nobody watched it."""
        spot = self.case.outer(edge.spot, edge.end)
        what = f"{self.name(edge.start)} was never watched, so {spot}{quoted(spot)} was not recorded for it"
        fix = f"{self.tape}.watch({self.plain(edge.start) or 'x'})  # before {spot}; or make it a tf.Variable"
        return self.made("unwatched", what, fix, spot, road)

    def watched_late(self, edge: Edge, watch: Mark, road: list[Edge]) -> Diagnosis:
        """The watch came after the use."""
        spot, at = self.case.outer(edge.spot, edge.end), Spot(watch.code, watch.at)
        what = f"{spot} used {self.source} before {at} watched it, and watching does not look back"
        return self.made("watched-late", what, f"{self.tape}.watch({self.x})  # first thing in the block", spot, road)

    def stop_recording(self, edge: Edge, road: list[Edge], whole: bool) -> Diagnosis:
        """It ran under stop_recording."""
        spot = self.case.outer(edge.spot, edge.end)
        name = self.name(edge.end, "what it made")
        what = f"{spot}{quoted(spot)} ran under stop_recording(), so " + (
            f"the gradient takes {name} for a constant" if whole else "the tape does not have it"
        )
        fix = f"{spot.statement if spot else '...'}  # outside of `with {self.tape}.stop_recording():`"
        return self.made("stop-recording", what, fix, spot, road)

    def stop_gradient(self, edge: Edge, road: list[Edge], whole: bool) -> Diagnosis:
        """A stop that was asked for."""
        held = "the gradient takes what is in it for a constant" if whole else "it lets no gradient through"
        text = edge.spot.text if edge.spot is not None else ""
        inner = re.search(r"stop_gradient\((.*)\)$", text)
        what = f"{edge.spot}{quoted(edge.spot)} is a stop on purpose: {held}"
        fix = f"{inner[1] if inner else self.plain(edge.start) or 'x'}  # without tf.stop_gradient, if it shall count"
        return self.made("stop-gradient", what, fix, edge.spot, road)

    def rule_says_none(self, edge: Edge, op: Primitive) -> Diagnosis:
        """A custom rule returns None for this input."""
        spot, name = returned(op) or edge.spot, self.name(edge.start)
        what = f"the rule of {titled(op, self.case.scope)} ({spot}) returns None for {name}: no gradient, on purpose"
        fix = f"return ..., dy * ...  # a gradient in the place of {name}, if it shall get one"
        return self.made("stop-gradient", what, fix, spot)

    def unheard(self, edge: Edge, road: list[Edge], whole: bool) -> Diagnosis:
        """It was made before the block, or after it."""
        if self.case.roads.ended(edge.end) is not None:
            return self.outside(edge, road)
        spot = self.case.outer(edge.spot, edge.end)
        who = "the gradient" if whole else "the tape"
        what = f"{self.name(edge.end)} was made on {spot}, before this tape recorded: {who} takes it for a constant"
        return self.made("before-block", what, self.inside(spot), spot, road)

    def outside(self, edge: Edge | None, road: list[Edge] | None = None) -> Diagnosis:
        """It was made when the tape no longer recorded."""
        case = self.case
        id, how = (edge.end, edge.op) if edge is not None else (case.target.id, case.target.op)
        spot = case.outer(edge.spot if edge is not None else made_at(case.target), id)
        interval = case.roads.ended(id)
        end = interval.left if interval is not None else None
        name = self.name(id, "the target")
        asked = how in READS or any(id in r.answers for tape in case.scope.tapes for r in tape.readings)
        if asked:
            what = f"{name} ({spot}) was computed when this tape no longer recorded, so it has no history there"
            fix = f"with tf.GradientTape() as outer: ...; {name.strip('`')} = inner.gradient(...)  # inside the block"
        elif end is not None and not isinstance(end, Mark):
            what = (
                f"{end.how}() on {Spot(end.code, end.at)} ended the recording, and {name} was made after it, on {spot}"
            )
            fix = f"tf.GradientTape(persistent=True)  # and {end.how}() after the block"
        else:
            what = f"{name} was made on {spot}, after the block had ended: the tape did not hear it"
            fix = self.inside(spot)
        return self.made("outside-block", what, fix, spot, road)

    def integer(self, road: list[Edge]) -> Diagnosis:
        """The source is an integer."""
        source = self.case.source
        spot = made_at(source)
        what = f"{self.source} is {source.dtype.name}{f' ({spot})' if spot else ''}: an integer has no gradient"
        return self.made("int-dtype", what, f"{self.x} = tf.cast({self.x}, tf.float32)  # then watch it", spot, road)

    def cast_to_integer(self, edge: Edge, road: list[Edge]) -> Diagnosis:
        """It became an integer on the way."""
        x = self.plain(edge.start) or "x"
        what = f"{edge.spot}{quoted(edge.spot)} makes an integer of {self.name(edge.start)}: integers have no gradient"
        fix = f"{x} + tf.stop_gradient(whole - {x})  # `whole`: the integer as a float; the gradient passes by"
        return self.made("int-dtype", what, fix, edge.spot, road)

    def no_derivative(self, edge: Edge, road: list[Edge]) -> Diagnosis:
        """The op has no derivative."""
        x, op = self.plain(edge.start) or "x", edge.op
        text = edge.spot.text if edge.spot is not None else ""
        fix = f"tf.grad_pass_through(tf.{op})({x})  # if the gradient shall pass untouched"
        why = f"{op} has no derivative"
        if op in COMPARISONS:
            sides = re.fullmatch(r"(.+?) [<>]=? (.+)", text) or ["", x, "limit"]
            fix = f"tf.sigmoid(10.0 * ({sides[1]} - {sides[2]}))  # a smooth step in the place of the comparison"
            why = "a comparison is a step, and has no slope"
        elif op in ("argmax", "argmin"):
            fix = f"tf.nn.softmax({'-' * (op == 'argmin')}{x})  # weights in the place of one index"
        elif op in ("round", "floor", "ceil", "rint"):
            fix = f"{x} + tf.stop_gradient({text or f'tf.{op}({x})'} - {x})  # the gradient passes by"
        what = f"{edge.spot}{quoted(edge.spot)}: {why}, so no gradient comes back through it"
        return self.made("not-differentiable", what, fix, edge.spot, road)

    def captured(self, edge: Edge, road: list[Edge]) -> Diagnosis:
        """It reached a function with its own rule, and not as an argument."""
        case = self.case
        last = next((e for e in road if e.kind == "own rule"), edge)
        entry = self.entry(last.end)
        inner = road[: road.index(last)] or [last]
        home = getattr(entry.op.forward, "__code__", None) if entry is not None else None
        first = next((e for e in inner if e.spot is not None and e.spot.code is home), inner[0])
        name, plain = self.name(first.start), self.plain(first.start) or "x"
        function = titled(entry.op, case.scope) if entry is not None else "the function"
        call = case.keyword(first.start)
        if call is not None:
            what = f"{call} gives {name} to {function} by keyword, and only arguments by position get a gradient"
            return self.made("keyword-input", what, f"{function}(..., {plain})  # by position", call, road)
        what = f"{first.spot} uses {name} inside {function}, and it is no argument of it: no gradient reaches it"
        fix = f"{function}(..., {plain})  # pass it as an argument"
        return self.made("captured-by-closure", what, fix, first.spot, road)

    def assigned(self, edge: Edge, road: list[Edge], whole: bool) -> Diagnosis:
        """It went into a Variable."""
        text = edge.spot.text if edge.spot is not None else ""
        variable, value = self.plain(edge.end) or "v", self.plain(edge.start)
        how = "copied a number into the new variable" if edge.kind == "copy" else "wrote a number into the variable"
        what = f"{edge.spot}{quoted(edge.spot)} {how} `{variable}`: a variable does not know where its number came from"
        argument = re.search(r"(?:assign\w*|Variable)\((.*)\)$", text)
        fix = f"t = {argument[1] if argument else value or '...'}  # and use `t` in the place of `{variable}`"
        if re.match(r"[\w.]+\[.*\]\.assign", text):
            fix = "t = tf.tensor_scatter_nd_update(t, [[index]], [value])  # a new tensor in the place of the variable"
        return self.made("assigned", what, fix, edge.spot, road)

    def left(self, edge: Edge, road: list[Edge], whole: bool) -> Diagnosis:
        """It left to NumPy or to Python."""
        numpy = edge.kind == "numpy"
        name, x = self.name(edge.start), self.plain(edge.start) or "x"
        after = "the gradient takes the number for a constant" if whole else "the number has no road back to the tensor"
        what = f"{edge.spot}{quoted(edge.spot)}: {name} left to {'NumPy' if numpy else 'Python'}, and {after}"
        statement = statement_at(*edge.spot) if edge.spot is not None else None
        words = set() if statement is None else statement.attributes | {key[1] for key in statement.reads}
        tf = next((f"tf.{INSTEAD[word]}" for word in sorted(words) if word in INSTEAD), "")
        line, text = (edge.spot.statement, edge.spot.text) if edge.spot is not None else ("...", "")
        named = re.match(r"\w+ = ", line)
        fix = f"{named[0] if named else ''}{tf}({x})  # TensorFlow's function keeps the road"
        if not tf:
            fix = f"{line.replace(text, x) if text and text in line else x}  # the tensor itself keeps the road"
        return self.made("left-to-numpy" if numpy else "left-to-python", what, fix, edge.spot, road)

    def decided(self, mark: Mark) -> Diagnosis:
        """It only decided which way the program goes."""
        spot = Spot(mark.code, mark.at)
        what = f"{spot}{quoted(spot)}: {self.source} only decides which way to go, and a decision has no derivative"
        sides = re.fullmatch(r"(.+?) [<>]=? (.+)", spot.text)
        gate = f"{sides[1]} - {sides[2]}" if sides else "..."
        fix = f"gate = tf.sigmoid({gate})  # then gate * a + (1.0 - gate) * b"
        return self.made("left-to-python", what, fix, spot)

    # --- a source that is not what it seems ---------------------------------------------------------------------------

    def not_trainable(self) -> Diagnosis:
        """A Variable that no tape watches by itself."""
        spot = made_at(self.case.source)
        what = f"{self.source} was made with trainable=False ({spot}), so no tape watches it by itself"
        return self.made("not-trainable", what, f"{self.tape}.watch({self.x})  # first thing in the block", spot)

    def auto_watch_off(self, spot: Spot) -> Diagnosis:
        """The tape watches nothing by itself."""
        what = f"the tape was made with watch_accessed_variables=False ({spot}), and nobody watched {self.source}"
        return self.made("auto-watch-off", what, f"{self.tape}.watch({self.x})  # first thing in the block", spot)

    def reset(self, mark: Mark) -> Diagnosis:
        """The tape was told to forget."""
        spot = Spot(mark.code, mark.at)
        what = f"{self.tape}.reset() on {spot} made the tape forget what it watched and recorded, {self.source} too"
        fix = f"{self.tape}.watch({self.x})  # again, after reset(); and make {self.target} after it"
        return self.made("reset", what, fix, spot)

    def rebound(self, name: str, spot: Spot) -> Diagnosis:
        """The name stands for another tensor now."""
        minus = re.fullmatch(rf"{re.escape(name)} - (.+)", spot.text)
        fix = f"new_{name} = {spot.text or '...'}  # a name of its own: `{name}` stays what the tape follows"
        what = f"{spot} gave the name `{name}` to a new tensor: it is no longer the one that the tape follows"
        return self.made("rebound-name", what, f"{name}.assign_sub({minus[1]})" if minus else fix, spot)

    def swapped(self, road: list[Edge]) -> Diagnosis:
        """Target and source are the wrong way round."""
        target, source = self.case.target.id, self.case.source.id
        calls = [call for call in self.case.tape.readings if target in call.targets and source in call.sources]
        spot = Spot(calls[-1].code, calls[-1].at) if calls else None
        what = f"{self.target} was made first, and {self.source} was made of it: the two are the wrong way round"
        return self.made("swapped-arguments", what, f"{self.tape}.gradient({self.x}, {self.y})", spot, road)

    def twin(self, twin: Operand | Edge) -> Diagnosis:
        """Another tensor with the same value was used."""
        case = self.case
        spot = case.outer(made_at(case.source), case.source.id)
        if isinstance(twin, Operand):
            other = self.plain(twin) or "x"
            what = f"{self.source} ({spot}) has the value of `{other}`, and {self.target} was made of `{other}` alone"
            fix = f"{self.tape}.gradient({self.y}, {other})"
        else:
            used = case.outer(twin.spot, twin.end)
            what = f"{self.source} ({spot}) and what {used} computed have the same value, and are two tensors"
            fix = f"{spot.statement if spot else '...'}  # inside the block, and use `{self.x}` itself there"
        return self.made("equal-value-other-tensor", what, fix, spot)

    def unused(self) -> Diagnosis:
        """No step leads from the source to the target."""
        spot = self.case.outer(made_at(self.case.target), self.case.target.id)
        at = f" on {spot}" if spot is not None else ""
        what = f"{self.target} was made{at} without {self.source}: None stands for 0 here"
        fix = f'{self.tape}.gradient({self.y}, {self.x}, unconnected_gradients="zero")  # if 0 is what you mean'
        return self.made("unused", what, fix, spot)

    def constant_slope(self, road: list[Edge]) -> Diagnosis:
        """The first derivative does not contain the source."""
        first = next((edge for edge in road if edge.kind == "recorded"), None)
        entry = self.entry(first.end) if first is not None else None
        spot = first.spot if first is not None else None
        text = quoted(spot)
        if entry is not None and entry.op.rule is not None:
            spot, text = returned(entry.op) or spot, f", the rule of {titled(entry.op, self.case.scope)}"
        what = (
            f"{spot}{text}: the slope along {self.source} is the same everywhere, so {self.target} does not contain it"
        )
        fix = f'{self.tape}.gradient({self.y}, {self.x}, unconnected_gradients="zero")  # None stands for 0 here'
        return self.made("linear-second-order", what, fix, spot, road)

    def entry(self, out: int) -> TapeEntry | None:
        """The entry that made a tensor."""
        return next((e for e in self.case.tape.entries if e.out == out or (e.op.many and out in e.out)), None)


def made_at(thing: Operand | None) -> Spot | None:
    """Where a tensor was made."""
    return Spot(thing.code, thing.at) if thing is not None and thing.code is not None else None


def titled(op: Primitive, scope: Scope | None = None) -> str:
    """A learner's function by its name."""
    if op.name != "<lambda>":
        return op.name
    return (scope.functions.get(op) if scope is not None else None) or "the function"


def quoted(spot: Spot | None) -> str:
    """What stands at a place, in code quotes, with a blank before it; "" where the source is not to be had."""
    text = spot.text if spot is not None else ""
    return f" (`{text if len(text) <= 60 else text[:57] + '...'}`)" if text else ""


def returned(op: Primitive) -> Spot | None:
    """Where a custom rule returns."""
    if op.rule is None:
        return None
    last = [s for s in statements(op.rule) if s.returns]
    return Spot(op.rule, last[0].at) if last else None
