// A long track: its steps as few paths, in units that are stretched to the page's width. Pure functions.

export const TRACK = 1000; // how many units it is wide

/**
 * Where the steps of one kind are on a long track, as stretches (from, to) in its units.
 * @param {string[]} kinds the kinds of all steps @param {string} kind @param {number} [gap] what may lie within a stretch
 * @returns {[number, number][]}
 */
export function stretches(kinds, kind, gap = 0) {
  /** @type {[number, number][]} */
  const found = [];
  kinds.forEach((other, at) => {
    if (other !== kind) return;
    const [from, to] = [(TRACK * at) / kinds.length, (TRACK * (at + 1)) / kinds.length];
    const last = found[found.length - 1];
    if (last && from <= last[1] + gap + 1e-6) last[1] = to;
    else found.push([from, to]);
  });
  return found;
}

/**
 * How each kind of step is drawn on a track with hardly room for ticks: what may lie within a stretch, and the stretch's
 * shape. What goes on is a bar on the line, what was left out is marked below it, what comes back has teeth that point up.
 * @type {[string, number, (from: number, to: number) => string][]}
 */
const FINE = [
  ["none", 1, (from) => `M${from} 15h2v3h-2z`],
  ["rec", 8, (from, to) => `M${from} 10H${to}v8H${from}z`],
  ["redo", 1, (from, to) => `M${from} 9H${to}v4H${from}zM${from} 15H${to}v4H${from}z`],
  ["skip", 1, (from, to) => `M${from} 20H${Math.max(to, from + 2.5)}v4H${from}z`],
  ["back", 1, teeth],
  ["pass", 1, teeth],
];

/** @param {number} from @param {number} to */
function teeth(from, to) {
  const many = Math.max(1, Math.floor((to - from) / 20));
  const each = (to - from) / many;
  const half = Math.min(Math.max(each - 1, 4), 12) / 2;
  return Array.from({ length: many }, (_, at) => `M${from + each * (at + 0.5)} 10l${half} 10h${-2 * half}z`).join("");
}

/** The path of each kind of step, those that lie below first. @param {string[]} kinds @returns {[string, string][]} */
export function finePaths(kinds) {
  return FINE.map(([kind, gap, shape]) => [kind, stretches(kinds, kind, gap).map(([from, to]) => shape(from, to)).join("")]);
}
