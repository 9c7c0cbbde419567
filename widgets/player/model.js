// What the player knows without a page: timelines, moments, keys, places on the track. Pure functions.

/**
 * @typedef {{ kind: string, caption: string[], row?: number }} Step  a caption is plain text and code in turn
 * @typedef {[number, number, string][]} Timeline  (step, phase, state), in order of time
 * @typedef {{ name: string, label: string, value: unknown, choices: unknown[], words?: string[] }} Knob
 * @typedef {{ title: string, sum: string, knobs: Knob[] }} Head
 * @typedef {string | [string, string]} Cell  what is shown; with the whole text, where that is more
 * @typedef {{ id: string, size: number, pitch: number, place: string, says: string, templates: string[], states: string[], rows: [number, Cell[], (number | Cell)[]][] }} Window  a row's moments: step, state, what is said, and so on
 * @typedef {{ name: string, title: string, svg: string, text: string, steps: Step[], timelines: Record<string, number[]>, states: string[], head?: Head, axis?: [number, number], variants?: Picture[], window?: Window, gauges?: Record<string, number[]>, texts?: Record<string, [number, string][]> }} Picture
 */

export const SPEEDS = [1, 2, 4, 0.5];
export const STEP_MS = 1200; // a step's time at 1×
export const PHASE_MS = 240; // a phase's time at 1×
export const PATIENCE_MS = 8000; // how long a person waits for a new picture before a word is said
export const PUSH_MS = 150; // the kernel hears of a move this long after the last one

/** Any number as a step that exists. @param {number} step @param {number} steps */
export function clamp(step, steps) {
  return Math.min(Math.max(Math.round(step) || 1, 1), Math.max(steps, 1));
}

/**
 * How many moments of a list in order of time have come; without a phase, when the step is complete.
 * @param {[number, ...any[]][]} moments @param {number} step @param {number} [phase]
 */
export function begun(moments, step, phase = Infinity) {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const [atStep, atPhase] = moments[middle];
    if (atStep < step || (atStep === step && (phase === Infinity || atPhase <= phase))) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The last moment that has come when a step is complete.
 * @template {[number, ...any[]]} M @param {M[]} moments @param {number} step @returns {M | undefined}
 */
export function momentAt(moments, step) {
  return moments[begun(moments, step) - 1];
}

/**
 * The state of a row and what it says when a step is complete; its moments are sent one behind the other.
 * @param {(number | Cell)[]} moments @param {number} step @returns {[number, Cell]} the number of the state, -1 before the first
 */
export function rowAt(moments, step) {
  let at = moments.length - 3;
  while (at >= 0 && Number(moments[at]) > step) at -= 3;
  return at < 0 ? [-1, ""] : [Number(moments[at + 1]), /** @type {Cell} */ (moments[at + 2])];
}

/**
 * The state of a part at a moment; without a phase, when the step is complete.
 * @param {Timeline} timeline @param {number} step @param {number} [phase]
 */
export function stateAt(timeline, step, phase = Infinity) {
  return timeline[begun(timeline, step, phase) - 1]?.[2] ?? "is-future";
}

/**
 * The states of all parts at a moment.
 * @param {Record<string, Timeline>} timelines @param {number} step @param {number} [phase]
 * @returns {Map<string, string>}
 */
export function statesAt(timelines, step, phase = Infinity) {
  return new Map(Object.entries(timelines).map(([id, timeline]) => [id, stateAt(timeline, step, phase)]));
}

/**
 * The phases in which something happens within a step, in order.
 * @param {Record<string, Timeline>} timelines @param {number} step @returns {number[]}
 */
export function phasesOf(timelines, step) {
  const phases = new Set([0]);
  for (const timeline of Object.values(timelines)) {
    for (let at = begun(timeline, step - 1); timeline[at]?.[0] === step; at++) phases.add(timeline[at][1]);
  }
  return [...phases].sort((a, b) => a - b);
}

/**
 * How the player gets through one step on its own: (phase, milliseconds to wait), slow in phases, fast all at once.
 * @param {number[]} phases @param {number} speed @returns {[number, number][]}
 */
export function pace(phases, speed) {
  if (speed > 1 || phases.length < 2) return [[Infinity, STEP_MS / speed]];
  const last = phases.length - 1;
  return phases.map((phase, at) => [phase, (at < last ? PHASE_MS : STEP_MS) / speed]);
}

/** The speed after this one. @param {number} speed */
export function nextSpeed(speed) {
  return SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length];
}

/**
 * Where a key leads; undefined for a key that means nothing here.
 * @param {string} key @param {number} step @param {number} steps
 */
export function stepForKey(key, step, steps) {
  /** @type {Record<string, number>} */
  const to = {
    ArrowLeft: step - 1, ArrowDown: step - 1, ArrowRight: step + 1, ArrowUp: step + 1,
    PageDown: step - 10, PageUp: step + 10, Home: 1, End: steps,
  };
  return Object.hasOwn(to, key) ? clamp(to[key], steps) : undefined;
}

/** Where a step's tick stands, in percent of the track. @param {number} step @param {number} steps */
export function place(step, steps) {
  return (100 * (step - 0.5)) / steps;
}

/** The step under a point of the track. @param {number} x @param {number} width @param {number} steps */
export function stepAt(x, width, steps) {
  return clamp(Math.floor((x / width) * steps) + 1, steps);
}

/** A caption as plain text. @param {Step} step */
export function spoken(step) {
  return step.caption.join("");
}

/**
 * The timelines of a picture; they are sent as plain rows of numbers.
 * @param {Picture} picture @returns {Record<string, Timeline>}
 */
export function timelinesOf({ timelines, states }) {
  const read = (/** @type {number[]} */ sent) => {
    /** @type {Timeline} */
    const timeline = [];
    for (let at = 0; at < sent.length; at += 3) timeline.push([sent[at], sent[at + 1], states[sent[at + 2]]]);
    return timeline;
  };
  return Object.fromEntries(Object.entries(timelines).map(([id, sent]) => [id, read(sent)]));
}

/** The steps whose captions are longest: they reserve the caption's room. @param {Step[]} steps @returns {number[]} */
export function longest(steps) {
  const order = steps.map((step, at) => [at + 1, spoken(step).length]);
  return order.sort((a, b) => b[1] - a[1]).slice(0, 4).map(([step]) => step);
}

/** By step, the row that a window is around: the last one that had the ring. @param {Step[]} steps @returns {number[]} */
export function rowsOf(steps) {
  let last = 0;
  return steps.map((step) => (last = step.row ?? last));
}

/** The first row in view: the current one is in the middle, as far as the ends allow. @param {number} row @param {number} rows @param {number} size */
export function firstInView(row, rows, size) {
  return Math.max(0, Math.min(row - Math.floor(size / 2), rows - size));
}

/** The value of a knob so many choices further; undefined where it has none. @param {Knob} knob @param {number} by */
export function turned(knob, by) {
  return knob.choices[knob.choices.indexOf(knob.value) + by];
}

/** The variant of a picture that is chosen; a picture without variants is its only one. @param {Picture} picture @param {number} choice */
export function variant(picture, choice) {
  return picture.variants?.[choice] ?? picture;
}
