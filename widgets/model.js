// What the player knows without a page: timelines, moments, keys, places on the track. Pure functions.

/**
 * @typedef {{ code: string }} Code
 * @typedef {{ kind: string, caption: (string | Code)[] }} Step
 * @typedef {[number, number, string][]} Timeline  (step, phase, state), in order of time
 * @typedef {{ name: string, label: string, value: unknown, choices: unknown[], words?: string[] }} Knob
 * @typedef {{ title: string, sum: string, knobs: Knob[] }} Head
 * @typedef {{ name: string, title: string, svg: string, text: string, steps: Step[], timelines: Record<string, Timeline>, head?: Head, axis?: [number, number], variants?: Picture[] }} Picture
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
 * The state of a part at a moment; without a phase, when the step is complete.
 * @param {Timeline} timeline @param {number} step @param {number} [phase]
 */
export function stateAt(timeline, step, phase = Infinity) {
  let state = "is-future";
  for (const [atStep, atPhase, next] of timeline) {
    if (atStep > step || (atStep === step && atPhase > phase)) break;
    state = next;
  }
  return state;
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
    for (const [atStep, phase] of timeline) if (atStep === step) phases.add(phase);
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
  return step.caption.map((piece) => (typeof piece === "string" ? piece : piece.code)).join("");
}

/** The steps whose captions are longest: they reserve the caption's room. @param {Step[]} steps @returns {number[]} */
export function longest(steps) {
  const order = steps.map((step, at) => [at + 1, spoken(step).length]);
  return order.sort((a, b) => b[1] - a[1]).slice(0, 4).map(([step]) => step);
}

/** The value of a knob so many choices further; undefined where it has none. @param {Knob} knob @param {number} by */
export function turned(knob, by) {
  return knob.choices[knob.choices.indexOf(knob.value) + by];
}

/** The variant of a picture that is chosen; a picture without variants is its only one. @param {Picture} picture @param {number} choice */
export function variant(picture, choice) {
  return picture.variants?.[choice] ?? picture;
}
