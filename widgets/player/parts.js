// What the page is made of: elements, icons, the ticks of the track, sentences.
import { TRACK, finePaths } from "./track.js";

const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  back: "M11 3v10L4 8zM3 3h2v10h-2z",
  play: "M4 2v12l10-6z",
  pause: "M4 2h3v12h-3zM9 2h3v12h-3z",
  forward: "M5 3v10l7-5zM12 3h2v10h-2z",
};

/** @param {string} tag @param {Record<string, unknown>} [props] @param {...(Node | string)} children */
export function html(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** @param {string} tag @param {Record<string, unknown>} [props] @param {...(Node | string)} children */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** @template {Element} E @param {E} node @param {Record<string, unknown>} props @param {(Node | string)[]} children */
export function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/** @param {"back" | "play" | "pause" | "forward"} name */
export function icon(name) {
  return svg("svg", { width: 16, height: 16, "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** The ticks of a long track: one path for each kind, stretched to the track's width. @param {import("./model.js").Step[]} steps */
export function fine(steps) {
  const paths = finePaths(steps.map((step) => step.kind)).map(([kind, d]) => svg("path", { class: `k-${kind} fine`, "data-id": `ticks-${kind}`, d }));
  return svg("svg", { width: "100%", height: 32, viewBox: `0 0 ${TRACK} 32`, preserveAspectRatio: "none" }, ...paths);
}

/** @param {string} kind @param {number} steps */
export function tick(kind, steps) {
  const close = steps > 30;
  const half = close ? 2 : 4;
  if (kind === "rec") return svg("rect", { class: "k-rec", x: -half, y: 12, width: 2 * half, height: 8 });
  if (kind === "skip") return svg("rect", { class: "k-skip", x: -half - 0.5, y: 11.5, width: 2 * half + 1, height: 9 });
  if (kind === "redo") return svg("path", { class: "k-redo", d: `M0 10l${half + 2} 6l-${half + 2} 6l-${half + 2} -6z` });
  if (kind === "back" || kind === "pass") {
    return svg("path", { class: `k-${kind}`, d: `M0 10l${half + 1} 10h-${2 * half + 2}z` });
  }
  return svg("circle", { class: "k-none", cx: 0, cy: 16, r: 2 });
}

/** A caption's pieces as nodes. @param {import("./model.js").Step} step @param {number} at @param {number} steps */
export function sentence(step, at, steps) {
  const pieces = step.caption.map((piece, place) => (place % 2 ? html("code", {}, piece) : piece));
  return [html("b", {}, `step ${at} of ${steps}`), " · ", ...pieces];
}
