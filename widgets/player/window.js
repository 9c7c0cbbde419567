// A window on rows that are too many to draw: as many copies of row templates as are in view, their texts rewritten.
import { firstInView, rowAt } from "./model.js";

/**
 * Fills the window of a drawing; what comes back shows the rows of a step.
 * @param {Element} into the part that the rows stand in @param {Element} place the one that says which they are
 * @param {import("./model.js").Window} rows
 */
export function windowed(into, place, rows) {
  const templates = rows.templates.map((drawn) => {
    const holder = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    holder.innerHTML = drawn; // drawn and escaped in Python; a row's own words only come in as text
    return /** @type {Element} */ (holder.firstElementChild);
  });
  const size = Math.min(rows.size, rows.rows.length);
  // Row n stands in slot n modulo the size: to go on by one row is to rewrite one slot and to shift the whole.
  const slots = Array.from({ length: size }, () => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", "g");
    return { node, row: -1, kind: -1, state: "", said: /** @type {unknown} */ (undefined) };
  });
  const shifted = document.createElementNS("http://www.w3.org/2000/svg", "g");
  shifted.append(...slots.map((slot) => slot.node));
  into.replaceChildren(shifted);

  /** @param {Element} node @param {string} name @param {string | [string, string]} words */
  function write(node, name, words) {
    const [shown, whole] = typeof words === "string" ? [words, undefined] : words;
    for (const cell of node.querySelectorAll(`[data-cell="${name}"]`)) {
      cell.textContent = shown;
      if (whole === undefined) continue;
      const tip = document.createElementNS("http://www.w3.org/2000/svg", "title");
      tip.textContent = whole;
      cell.prepend(tip);
    }
  }

  /** @param {number} step @param {number} current the row in the middle @param {boolean} ringed */
  return function show(step, current, ringed) {
    const first = firstInView(current, rows.rows.length, size);
    place.textContent = rows.says.replace("{first}", String(first + 1)).replace("{last}", String(first + size));
    shifted.setAttribute("transform", `translate(0 ${-first * rows.pitch})`);
    for (let row = first; row < first + size; row++) {
      const slot = slots[row % size];
      const [kind, cells, moments] = rows.rows[row];
      if (slot.row !== row) {
        if (slot.kind !== kind) slot.node.replaceChildren(templates[kind].cloneNode(true));
        slot.node.setAttribute("transform", `translate(0 ${row * rows.pitch})`);
        cells.forEach((words, at) => write(slot.node, String(at), words));
        Object.assign(slot, { row, kind, said: undefined });
      }
      const [state, said] = rowAt(moments, step);
      const classes = `row ${rows.states[state] ?? "is-future"}${ringed && row === current ? " is-current" : ""}`;
      if (slot.state !== classes) slot.node.setAttribute("class", (slot.state = classes));
      if (slot.said !== said) write(slot.node, "said", (slot.said = said));
    }
    return first;
  };
}
