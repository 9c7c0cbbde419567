// The player's page without a browser: what it makes of a picture and of a kernel. Run: node --test tests/widgets/player.test.mjs
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { JSDOM } from "jsdom";
import player from "../../widgets/player/player.js";
import { PATIENCE_MS, PHASE_MS, PUSH_MS, STEP_MS } from "../../widgets/player/model.js";

const EVIL = `<img src="x" onerror="alert(1)">`;
const BORROWED = ["window", "document", "matchMedia", "CSS"];

/** A picture of a few numbers that come one by one. @param {number} last @param {object} [more] */
function counting(last, more = {}) {
  const numbers = Array.from({ length: last }, (_, before) => before + 1);
  const timelines = Object.fromEntries(numbers.map((n) => [`n-${n}`, [n, 0, 0, n + 1, 0, 1]]));
  const parts = numbers.map((n) => `<text data-id="n-${n}" class="c is-future">${n}</text>`).join("");
  return {
    name: "counting",
    title: "Counting",
    svg: `<svg class="mt-pic"><defs><pattern id="mt-hatch"/></defs>${parts}</svg>`,
    text: "1 2 3",
    steps: numbers.map((n) => ({ kind: "rec", caption: ["here is ", String(n)] })),
    timelines,
    states: ["is-current", "is-done"],
    ...more,
  };
}

/** What anywidget hands to a widget, with a kernel that can be looked at. @param {Record<string, unknown>} values */
function fakeModel(values) {
  const model = {
    values,
    saved: /** @type {object[]} */ ([]), // what the kernel has heard
    listeners: /** @type {[string, Function][]} */ ([]),
    get: (name) => values[name],
    set(name, value) {
      if (values[name] === value) return;
      values[name] = value;
      for (const [event, tell] of [...model.listeners]) if (event === `change:${name}`) tell();
    },
    on: (event, tell) => model.listeners.push([event, tell]),
    off: (event, tell) => (model.listeners = model.listeners.filter(([e, t]) => e !== event || t !== tell)),
    save_changes: () => model.saved.push({ ...values }),
  };
  return model;
}

let calm = false; // whether the person asked for less motion
/** @type {HTMLElement} */
let el;

beforeEach(() => {
  calm = false;
  const { window } = new JSDOM(`<!doctype html><div id="here"></div>`, { pretendToBeVisual: true });
  window.matchMedia = (query) => ({ get matches() { return calm && query === "(prefers-reduced-motion: reduce)"; } });
  window.CSS = { escape: (words) => words.replace(/[^\w-]/g, "\\$&") };
  window.Element.prototype.setPointerCapture = function () { this.captured = true; };
  window.Element.prototype.hasPointerCapture = function () { return Boolean(this.captured); };
  for (const name of BORROWED) globalThis[name] = name === "window" ? window : window[name];
  el = window.document.getElementById("here");
  mock.timers.enable({ apis: ["setTimeout"] });
});

afterEach(() => {
  mock.timers.reset();
  window.close();
  for (const name of BORROWED) delete globalThis[name];
});

/** Shows a picture. @param {object} picture @param {Record<string, unknown>} [values] */
function shown(picture, values = {}) {
  const model = fakeModel({ picture, step: 1, ...values });
  return { model, close: player.render({ model, el }) };
}

const find = (selector) => el.querySelector(selector);
const button = (name) => find(`button[aria-label="${name}"]`);
const said = () => find(".mt-now").textContent;
const step = () => Number(find(".mt-track").getAttribute("aria-valuenow"));
const classes = () => [...el.querySelectorAll("[data-id^=n-]")].map((part) => part.getAttribute("class").replace("c is-", ""));

/** Presses a key on an element; gives whether the player took it. */
function press(on, key, more = {}) {
  const event = new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  on.dispatchEvent(event);
  return event.defaultPrevented;
}

/** Moves the pointer over an element that stands from 0 to `width`. */
function point(on, type, x, width = 100) {
  on.getBoundingClientRect = () => ({ left: 0, right: width, width });
  on.dispatchEvent(new window.MouseEvent(type, { clientX: x, bubbles: true, cancelable: true }));
}

// --- what is on the page ---

test("controls, a slider with its limits, a caption, a drawing and a table stand there, each with its role", () => {
  shown(counting(3));
  assert.deepEqual([...el.querySelectorAll("button")].map((each) => each.getAttribute("aria-label")), ["step back", "play", "step forward", "speed 1×"]);
  const track = find("[role=slider]");
  assert.deepEqual(["aria-valuemin", "aria-valuenow", "aria-valuemax", "tabindex"].map((name) => track.getAttribute(name)), ["1", "1", "3", "0"]);
  assert.equal(track.getAttribute("aria-valuetext"), "step 1 of 3: here is 1");
  assert.equal(find("[role=group]").getAttribute("aria-label"), "player");
  assert.equal(find("figcaption").getAttribute("aria-live"), "polite");
  assert.equal(find(".mt-said").textContent, "1 2 3");
  assert.equal(track.querySelectorAll("[data-id^=tick-]").length, 3);
});

test("a step gives each part the state it has then, and keeps its other classes", () => {
  shown(counting(3), { step: 2 });
  assert.deepEqual(classes(), ["done", "current", "future"]);
  assert.ok(find("[data-id=n-2]").classList.contains("c"));
});

test("two pictures on a page have a hatching each", () => {
  const second = document.createElement("div");
  shown(counting(2));
  player.render({ model: fakeModel({ picture: counting(2), step: 1 }), el: second });
  assert.notEqual(find("pattern").id, second.querySelector("pattern").id);
});

test("no name becomes markup: not in captions, code, table, heading, sum, knobs or their labels", () => {
  const knob = { name: EVIL, label: EVIL, value: EVIL, choices: [EVIL, "b"] };
  const folded = { name: "f", label: "f", value: true, choices: [true, false], words: [EVIL, EVIL] };
  const steps = [{ kind: "rec", caption: [EVIL, EVIL] }];
  shown(counting(1, { steps, text: EVIL, head: { title: EVIL, sum: EVIL, knobs: [knob, folded] } }), { knobs: {} });
  assert.equal(el.querySelectorAll("img, [onerror]").length, 0);
  assert.equal(said(), `step 1 of 1 · ${EVIL}${EVIL}`);
  assert.equal(find(".mt-now code").textContent, EVIL);
  assert.equal(find(".mt-said").textContent, EVIL);
  assert.equal(find(".mt-head b").textContent, EVIL);
  assert.equal(find(".mt-value").textContent, EVIL);
  assert.ok(button(`raise ${EVIL}`.replaceAll('"', '\\"')));
});

// --- steps ---

test("buttons and keys move, and no step is left behind either end", () => {
  const { model } = shown(counting(3));
  button("step back").click();
  assert.equal(step(), 1);
  button("step forward").click();
  assert.equal(said(), "step 2 of 3 · here is 2");
  assert.ok(press(find(".mt-track"), "End"));
  assert.ok(press(find(".mt-track"), "ArrowRight"));
  assert.equal(model.get("step"), 3);
  press(button("play"), "Home");
  assert.equal(model.get("step"), 1);
});

test("a key with a modifier, or one that means nothing, is left to the page; yet the notebook hears no key of ours", () => {
  shown(counting(3));
  const heard = [];
  document.addEventListener("keydown", (event) => heard.push(event.key));
  assert.ok(!press(find(".mt-track"), "b"));
  assert.ok(!press(find(".mt-track"), "ArrowRight", { ctrlKey: true }));
  assert.ok(press(find(".mt-track"), "ArrowRight"));
  assert.equal(step(), 2);
  assert.deepEqual(heard, []);
});

test("a step from the kernel that does not exist is shown as the nearest one", () => {
  const { model } = shown(counting(3), { step: 99 });
  assert.equal(said(), "step 3 of 3 · here is 3");
  for (const [wanted, nearest] of [[-4, 1], [2, 2], [1000, 3]]) {
    model.set("step", wanted);
    assert.equal(step(), nearest);
  }
});

test("the track is pressed and dragged, and a pointer that only passes moves nothing", () => {
  shown(counting(10));
  const track = find(".mt-track");
  point(track, "pointermove", 95);
  assert.equal(step(), 1);
  point(track, "pointerdown", 35);
  assert.equal(step(), 4);
  assert.equal(document.activeElement, track);
  point(track, "pointermove", 85);
  assert.equal(step(), 9);
});

// --- the kernel ---

test("the kernel hears once, a moment after the last move", () => {
  const { model } = shown(counting(5));
  for (let times = 0; times < 3; times++) {
    button("step forward").click();
    mock.timers.tick(PUSH_MS - 1);
  }
  assert.deepEqual(model.saved, []);
  mock.timers.tick(1);
  assert.deepEqual(model.saved.map(({ step }) => step), [4]);
  mock.timers.tick(10 * PUSH_MS);
  assert.equal(model.saved.length, 1);
});

test("the kernel's late echo of an older move changes nothing; a step that it sends later does", () => {
  const { model } = shown(counting(5));
  button("step forward").click();
  mock.timers.tick(PUSH_MS);
  button("step forward").click();
  model.set("step", 2); // the echo
  assert.equal(step(), 3);
  mock.timers.tick(PUSH_MS);
  assert.deepEqual(model.saved.map(({ step }) => step), [2, 3]);
  model.set("step", 5);
  assert.equal(step(), 5);
});

const knobs = [{ name: "k", label: "blocks", value: 2, choices: [1, 2, 3] }];

test("without a kernel the knobs are there, disabled, and say what they need", () => {
  shown(counting(2, { head: { title: "Knobs", sum: "2", knobs } }));
  for (const name of ["lower blocks", "raise blocks"]) {
    assert.ok(button(name).disabled);
    assert.equal(button(name).title, "this needs a running kernel");
  }
});

test("a knob asks the kernel once, then waits for its picture; where none comes, it says so", () => {
  const { model } = shown(counting(2, { head: { title: "Knobs", sum: "2", knobs } }), { knobs: { k: 2 } });
  button("raise blocks").click();
  button("raise blocks").click();
  assert.deepEqual(model.saved.map(({ knobs }) => knobs), [{ k: 3 }]);
  assert.equal(find(".mt-head").getAttribute("aria-busy"), "true");
  mock.timers.tick(PATIENCE_MS);
  assert.equal(find(".mt-sum").textContent, "no answer: is the kernel running?");
  const next = { head: { title: "Knobs", sum: "3", knobs: [{ ...knobs[0], value: 3 }] } };
  model.set("picture", counting(4, next));
  assert.equal(find(".mt-sum").textContent, "3");
  assert.equal(find(".mt-track").getAttribute("aria-valuemax"), "4");
  assert.ok(button("raise blocks").disabled);
});

test("a picture with switches changes without a kernel: who stands at the end stays there, the focus stays too", () => {
  const flip = (to) => `<g data-id="flip" data-choice="${to}" tabindex="0" role="switch"/>`;
  const one = counting(2, { svg: `<svg>${flip(1)}</svg>` });
  const two = counting(4, { svg: `<svg>${flip(0)}</svg>` });
  const { model } = shown({ ...one, variants: [one, two] }, { step: 2, choice: 0 });
  find("[data-id=flip]").focus();
  assert.ok(press(find("[data-id=flip]"), "Enter"));
  assert.deepEqual([model.get("choice"), step(), find(".mt-track").getAttribute("aria-valuemax")], [1, 4, "4"]);
  assert.equal(document.activeElement, find("[data-id=flip]"));
  assert.ok(press(find("[data-id=flip]"), " "));
  assert.deepEqual([model.get("choice"), step()], [0, 2]);
});

// --- playing ---

test("playing goes by itself to the end and stops; the caption is silent while it does", () => {
  shown(counting(3));
  button("play").click();
  assert.equal(find("figcaption").getAttribute("aria-live"), "off");
  assert.deepEqual([button("play"), Boolean(button("pause"))], [null, true]);
  mock.timers.tick(STEP_MS);
  assert.equal(step(), 2);
  mock.timers.tick(STEP_MS);
  mock.timers.tick(STEP_MS);
  assert.equal(step(), 3);
  assert.ok(button("play"));
  assert.equal(find("figcaption").getAttribute("aria-live"), "polite");
});

test("slowly, a step plays in its phases; stepped by hand it is whole at once", () => {
  const timelines = { "n-1": [1, 0, 1], "n-2": [1, 2, 1] };
  shown(counting(2, { timelines }));
  assert.deepEqual(classes(), ["done", "done"]);
  button("play").click();
  assert.deepEqual(classes(), ["done", "future"]);
  mock.timers.tick(PHASE_MS);
  assert.deepEqual(classes(), ["done", "done"]);
  assert.equal(step(), 1);
});

test("a move ends the playing, from the end it starts over, and a faster speed is faster", () => {
  shown(counting(3), { step: 3 });
  press(find(".mt-track"), " ");
  assert.equal(step(), 1);
  press(find(".mt-track"), "ArrowRight");
  assert.ok(button("play"));
  mock.timers.tick(5 * STEP_MS);
  assert.equal(step(), 2);
  button("speed 1×").click();
  assert.equal(button("speed 2×").textContent, "2×");
  button("play").click();
  mock.timers.tick(STEP_MS / 2);
  assert.equal(step(), 3);
});

test("nothing plays for a person who asked for less motion, whatever starts it", () => {
  calm = true;
  shown(counting(3), { step: 3 });
  press(find(".mt-track"), " ");
  button("play").click();
  mock.timers.tick(10 * STEP_MS);
  assert.equal(step(), 3);
  assert.equal(button("pause"), null);
  assert.equal(find("figcaption").getAttribute("aria-live"), "polite");
});

test("who asks for less motion while it plays is obeyed at the next beat", () => {
  shown(counting(5));
  button("play").click();
  mock.timers.tick(STEP_MS);
  assert.equal(step(), 2);
  calm = true;
  mock.timers.tick(10 * STEP_MS);
  assert.equal(step(), 2);
  assert.ok(button("play"));
});

// --- the end ---

test("a closed player listens to nothing, waits for nothing and tells the kernel nothing", () => {
  const { model, close } = shown(counting(9, { head: { title: "Knobs", sum: "9", knobs } }), { knobs: { k: 2 } });
  button("play").click();
  mock.timers.tick(STEP_MS);
  assert.equal(step(), 2);
  assert.equal(model.listeners.length, 3);
  close();
  assert.deepEqual(model.listeners, []);
  mock.timers.tick(20 * STEP_MS);
  assert.equal(model.get("step"), 2);
  assert.deepEqual(model.saved, []);
});

test("another picture from the kernel closes the one before it", () => {
  const { model } = shown(counting(9));
  button("play").click();
  model.set("picture", counting(3));
  assert.equal(model.listeners.length, 3);
  mock.timers.tick(20 * STEP_MS);
  assert.equal(step(), 1);
  assert.equal(el.querySelectorAll("figure").length, 1);
});
