// The pure half of the player: timelines, pace, keys, places. Run: node --test tests/widgets/model.test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import * as model from "../../widgets/player/model.js";
import * as track from "../../widgets/player/track.js";

const timelines = {
  line: [[1, 0, "is-current"], [2, 0, "is-done"]],
  entry: [[2, 2, "is-current"], [3, 0, "is-done"], [5, 0, "is-current"]],
  term: [[5, 4, "is-current"]],
};

test("a part is in the future until its first moment, and keeps a state until the next", () => {
  const at = (step, phase) => model.stateAt(timelines.entry, step, phase);
  assert.equal(at(1), "is-future");
  assert.equal(at(2, 1), "is-future");
  assert.equal(at(2, 2), "is-current");
  assert.equal(at(2), "is-current");
  assert.equal(at(3, 0), "is-done");
  assert.equal(at(4), "is-done");
  assert.equal(at(99), "is-current");
});

test("a step without a phase is the complete step, so any step can be jumped to", () => {
  assert.deepEqual([...model.statesAt(timelines, 5)], [["line", "is-done"], ["entry", "is-current"], ["term", "is-current"]]);
  assert.equal(model.statesAt(timelines, 5, 0).get("term"), "is-future");
});

test("the phases of a step are those in which something happens, from 0", () => {
  assert.deepEqual(model.phasesOf(timelines, 5), [0, 4]);
  assert.deepEqual(model.phasesOf(timelines, 2), [0, 2]);
  assert.deepEqual(model.phasesOf(timelines, 4), [0]);
});

test("slow playing goes phase by phase, fast playing does a step at once", () => {
  assert.deepEqual(model.pace([0, 2, 4], 1), [[0, 240], [2, 240], [4, 1200]]);
  assert.deepEqual(model.pace([0, 2, 4], 0.5), [[0, 480], [2, 480], [4, 2400]]);
  assert.deepEqual(model.pace([0, 2, 4], 2), [[Infinity, 600]]);
  assert.deepEqual(model.pace([0], 1), [[Infinity, 1200]]);
});

test("speeds go round", () => {
  const seen = [1];
  for (let i = 0; i < 4; i++) seen.push(model.nextSpeed(seen.at(-1)));
  assert.deepEqual(seen, [1, 2, 4, 0.5, 1]);
});

test("keys lead to steps that exist, and other keys lead nowhere", () => {
  const to = (key, step) => model.stepForKey(key, step, 11);
  assert.equal(to("ArrowRight", 3), 4);
  assert.equal(to("ArrowUp", 11), 11);
  assert.equal(to("ArrowLeft", 1), 1);
  assert.equal(to("ArrowDown", 3), 2);
  assert.equal(to("PageUp", 3), 11);
  assert.equal(to("PageDown", 11), 1);
  assert.equal(to("Home", 7), 1);
  assert.equal(to("End", 7), 11);
  assert.equal(to("a", 7), undefined);
  assert.equal(to("toString", 7), undefined);
});

test("steps outside the picture, and what is no number, are clamped", () => {
  assert.deepEqual([0, -5, 3.4, 12, NaN, undefined].map((step) => model.clamp(step, 11)), [1, 1, 3, 11, 1, 1]);
  assert.equal(model.clamp(1, 0), 1);
});

test("a point on the track is the step whose tick stands there", () => {
  for (const steps of [1, 2, 11, 66]) {
    for (let step = 1; step <= steps; step++) {
      assert.equal(model.stepAt((model.place(step, steps) / 100) * 768, 768, steps), step);
    }
  }
  assert.equal(model.stepAt(-20, 768, 11), 1);
  assert.equal(model.stepAt(5000, 768, 11), 11);
});

test("a caption is spoken without its typography, and the longest reserve the room", () => {
  const steps = ["a", "long sentence", "mid", "b", "cc", "longest of all sentences"].map((said) => ({ kind: "none", caption: [said, "x"] }));
  assert.equal(model.spoken(steps[1]), "long sentencex");
  assert.deepEqual(model.longest(steps), [6, 2, 3, 5]);
});

test("a knob goes through its choices, and has none beyond its ends", () => {
  const knob = { name: "k", label: "k", value: 4, choices: [2, 4, 0.5] };
  assert.deepEqual([model.turned(knob, -1), model.turned(knob, 1), model.turned(knob, 2)], [2, 0.5, undefined]);
  assert.equal(model.turned({ ...knob, value: 2 }, -1), undefined);
});

test("a picture without variants is its only one, and a number that none has changes nothing", () => {
  const bare = { name: "bare" };
  const whole = { name: "whole", variants: [{ name: "first" }, { name: "second" }] };
  assert.equal(model.variant(bare, 3).name, "bare");
  assert.equal(model.variant(whole, 1).name, "second");
  assert.equal(model.variant(whole, 7).name, "whole");
});

test("timelines are sent as rows of numbers", () => {
  const sent = { timelines: { line: [1, 0, 0, 2, 3, 1], other: [] }, states: ["is-current", "is-done"] };
  assert.deepEqual(model.timelinesOf(sent), { line: [[1, 0, "is-current"], [2, 3, "is-done"]], other: [] });
});

test("a moment is found in a long timeline as in a short one", () => {
  const long = Array.from({ length: 5000 }, (_, at) => [2 * at + 1, at % 3, `state ${at}`]);
  for (const step of [1, 2, 77, 4999, 9998, 9999, 20000]) {
    const last = long.filter(([at]) => at <= step).at(-1);
    assert.equal(model.stateAt(long, step), last[2]);
    assert.deepEqual(model.momentAt(long, step), last);
  }
  assert.equal(model.momentAt(long, 0), undefined);
  assert.equal(model.stateAt(long, 3, 0), "state 0");
  assert.equal(model.stateAt(long, 3, 1), "state 1");
});

test("a step looks at few moments of a long timeline", () => {
  let looks = 0;
  const watched = new Proxy(Array.from({ length: 100000 }, (_, at) => [at + 1, 0, "is-done"]), {
    get(target, name) {
      if (/^\d+$/.test(String(name))) looks++;
      return Reflect.get(target, name);
    },
  });
  model.statesAt({ line: watched }, 60000);
  model.phasesOf({ line: watched }, 60000);
  assert.ok(looks < 60, `${looks} looks`);
});

test("the row in the middle is the last one that had the ring, as far as the ends allow", () => {
  assert.deepEqual(model.rowsOf([{}, { row: 0 }, {}, { row: 7 }, {}]), [0, 0, 0, 7, 7]);
  assert.deepEqual([0, 5, 6, 7, 30, 39].map((row) => model.firstInView(row, 40, 13)), [0, 0, 0, 1, 24, 27]);
  assert.equal(model.firstInView(3, 5, 13), 0);
});

test("neighbours on a long track are one stretch, and small gaps do not part them", () => {
  const kinds = ["rec", "rec", "skip", "rec", "none", "none", "none", "none", "back", "back"];
  assert.deepEqual(track.stretches(kinds, "rec"), [[0, 200], [300, 400]]);
  assert.deepEqual(track.stretches(kinds, "rec", 100), [[0, 400]]);
  assert.deepEqual(track.stretches(kinds, "back"), [[800, 1000]]);
  assert.deepEqual(track.stretches(kinds, "pass"), []);
});

test("a long track has no more stretches than it is wide, however many steps there are", () => {
  const kinds = Array.from({ length: 200000 }, (_, at) => (at % 2 ? "rec" : "skip"));
  assert.ok(track.stretches(kinds, "rec", 1).length <= track.TRACK);
});

test("a row is what its last moment made of it", () => {
  const moments = [3, 0, "", 8, 1, "x"];
  assert.deepEqual([2, 3, 7, 8, 99].map((step) => model.rowAt(moments, step)), [[-1, ""], [0, ""], [0, ""], [1, "x"], [1, "x"]]);
});

test("a long track is one path for each kind, and of a bounded length", () => {
  const kinds = Array.from({ length: 40000 }, (_, at) => ["rec", "skip", "none", "back", "pass", "redo"][at % 6]);
  const paths = track.finePaths(kinds);
  assert.deepEqual(paths.map(([kind]) => kind).sort(), ["back", "none", "pass", "rec", "redo", "skip"]);
  assert.ok(paths.every(([, d]) => d.length < 40 * track.TRACK));
});
