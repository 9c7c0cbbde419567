// The player: controls, track, caption, and a drawing whose parts get their states. It knows nothing of what is drawn.
import { PUSH_MS, clamp, longest, nextSpeed, pace, phasesOf, place, spoken, statesAt, stepAt, stepForKey } from "./model.js";

const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  back: "M11 3v10L4 8zM3 3h2v10h-2z",
  play: "M4 2v12l10-6z",
  pause: "M4 2h3v12h-3zM9 2h3v12h-3z",
  forward: "M5 3v10l7-5zM12 3h2v10h-2z",
};

/** @param {string} tag @param {Record<string, unknown>} [props] @param {...(Node | string)} children */
function html(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** @param {string} tag @param {Record<string, unknown>} [props] @param {...(Node | string)} children */
function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** @template {Element} E @param {E} node @param {Record<string, unknown>} props @param {(Node | string)[]} children */
function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/** @param {"back" | "play" | "pause" | "forward"} name */
function icon(name) {
  return svg("svg", { width: 16, height: 16, "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** @param {string} kind @param {boolean} close */
function tick(kind, close) {
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
function sentence(step, at, steps) {
  const pieces = step.caption.map((piece) => (typeof piece === "string" ? piece : html("code", {}, piece.code)));
  return [html("b", {}, `step ${at} of ${steps}`), " · ", ...pieces];
}

/** A model for a page without a kernel: get, set, and who wants to know. @param {Record<string, any>} values */
function standalone(values) {
  /** @type {Record<string, Function[]>} */
  const heard = {};
  return {
    get: (/** @type {string} */ name) => values[name],
    set: (/** @type {string} */ name, /** @type {unknown} */ value) => {
      if (values[name] === value) return;
      values[name] = value;
      for (const tell of heard[`change:${name}`] ?? []) tell();
    },
    on: (/** @type {string} */ event, /** @type {Function} */ tell) => (heard[event] ??= []).push(tell),
    off: (/** @type {string} */ event, /** @type {Function} */ tell) => (heard[event] = (heard[event] ?? []).filter((other) => other !== tell)),
    save_changes: () => {},
  };
}

/** @param {{ model: any, el: HTMLElement }} view */
function render({ model, el }) {
  /** @type {import("./model.js").Picture} */
  const picture = model.get("picture");
  const { steps, timelines } = picture;
  const last = steps.length;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let speed = 1;
  let playing = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let push;

  // --- the page ---
  const back = html("button", { type: "button", "aria-label": "step back", title: "step back (left arrow)" }, icon("back"));
  const play = html("button", { type: "button", class: "mt-play" });
  const forward = html("button", { type: "button", "aria-label": "step forward", title: "step forward (right arrow)" }, icon("forward"));
  const faster = html("button", { type: "button", class: "mt-speed" });
  const ring = svg("svg", { width: 1, height: 32, overflow: "visible" });
  const track = svg("svg", { class: "mt-track", role: "slider", tabindex: 0, "aria-label": "step", "aria-valuemin": 1, "aria-valuemax": last });
  const close = last > 30;
  track.append(svg("line", { x1: 0, y1: 16.5, x2: "100%", y2: 16.5 }));
  const at = (/** @type {number} */ step) => ({ x: `${place(step, last)}%`, width: 1, height: 32, overflow: "visible" });
  if (!close) {
    const mask = () => svg("rect", { class: "mask", x: -8, y: 8, width: 16, height: 16 });
    track.append(...steps.map((_, before) => svg("svg", at(before + 1), mask())));
  }
  track.append(...steps.map((step, before) => svg("svg", { "data-id": `tick-${before + 1}`, ...at(before + 1) }, tick(step.kind, close))));
  ring.append(svg("rect", { class: "cur", x: close ? -7 : -12, y: 4, width: close ? 14 : 24, height: 24, rx: 4 }));
  track.append(ring);
  const said = html("span", { class: "mt-now" });
  const caption = html("figcaption", { class: "mt-caption", "aria-live": "polite" }, said);
  for (const step of longest(steps)) {
    caption.append(html("span", { class: "mt-room", "aria-hidden": "true" }, ...sentence(steps[step - 1], step, last)));
  }
  const controls = html("div", { class: "mt-controls", role: "group", "aria-label": "player" }, back, play, forward, track, faster);
  const drawing = html("div", { class: "mt-scroll" });
  drawing.innerHTML = picture.svg; // drawn and escaped in Python
  const figure = html("figure", { class: `mt mt-${picture.name}` }, html("div", { class: "mt-top" }, controls, caption), drawing, html("pre", { class: "mt-said" }, picture.text));
  el.replaceChildren(figure);

  const image = /** @type {SVGElement} */ (drawing.firstElementChild);
  const hatch = `mt-hatch-${Math.random().toString(36).slice(2)}`; // two pictures on a page must not share an id
  image.querySelector("pattern")?.setAttribute("id", hatch);
  image.style.setProperty("--hatch", `url(#${hatch})`);
  figure.style.setProperty("--hatch", `url(#${hatch})`);
  /** @type {Map<string, { node: Element, base: string, state: string | null }>} */
  const parts = new Map();
  for (const node of image.querySelectorAll("[data-id]")) {
    const id = /** @type {string} */ (node.getAttribute("data-id"));
    const base = (node.getAttribute("class") ?? "").split(" ").filter((name) => !name.startsWith("is-")).join(" ");
    if (id in timelines) parts.set(id, { node, base, state: null });
  }

  // --- what is shown ---
  /** @param {number} step @param {number} [phase] */
  function paint(step, phase) {
    for (const [id, state] of statesAt(timelines, step, phase)) {
      const part = parts.get(id);
      if (!part || part.state === state) continue;
      part.state = state;
      part.node.setAttribute("class", `${part.base} ${state}`.trim());
    }
  }

  function show() {
    const step = clamp(model.get("step"), last);
    paint(step, playing ? 0 : undefined);
    ring.setAttribute("x", `${place(step, last)}%`);
    track.setAttribute("aria-valuenow", String(step));
    track.setAttribute("aria-valuetext", `step ${step} of ${last}: ${spoken(steps[step - 1])}`);
    said.replaceChildren(...sentence(steps[step - 1], step, last));
  }

  function label() {
    const name = playing ? "pause" : "play";
    play.replaceChildren(icon(name));
    fill(play, { "aria-label": name, title: `${name} (space)` }, []);
    faster.textContent = speed === 0.5 ? "½×" : `${speed}×`;
    fill(faster, { "aria-label": `speed ${speed}×`, title: "speed" }, []);
    caption.setAttribute("aria-live", playing ? "off" : "polite"); // nobody can listen to a film of sentences
  }

  // --- what moves it ---
  /** @param {number} step */
  function go(step) {
    model.set("step", clamp(step, last));
    clearTimeout(push);
    push = setTimeout(() => model.save_changes(), PUSH_MS);
  }

  function pause() {
    clearTimeout(timer);
    playing = false;
    label();
    show();
  }

  function start() {
    if (still.matches) return; // whoever asked for less motion steps on their own
    playing = true;
    label();
    if (clamp(model.get("step"), last) === last) go(1);
    perform();
  }

  /** Plays the current step phase by phase, then the next. */
  function perform() {
    const step = clamp(model.get("step"), last);
    const waits = pace(phasesOf(timelines, step), speed);
    const next = () => {
      if (still.matches) return pause();
      const wait = waits.shift();
      if (wait) {
        paint(step, wait[0]);
        timer = setTimeout(next, wait[1]);
      } else if (step === last || clamp(model.get("step"), last) !== step) {
        pause();
      } else {
        go(step + 1);
        perform();
      }
    };
    clearTimeout(timer);
    next();
  }

  /** A person moves: that ends the playing. @param {number} step */
  function move(step) {
    if (playing) pause();
    go(step);
  }

  back.addEventListener("click", () => move(model.get("step") - 1));
  forward.addEventListener("click", () => move(model.get("step") + 1));
  play.addEventListener("click", () => (playing ? pause() : start()));
  faster.addEventListener("click", () => {
    speed = nextSpeed(speed);
    label();
  });
  controls.addEventListener("keydown", (event) => {
    event.stopPropagation(); // JupyterLab would take the arrow keys for its cells
    const to = stepForKey(event.key, model.get("step"), last);
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (to !== undefined) move(to);
    else if (event.key === " " && event.target === track) playing ? pause() : start();
    else return;
    event.preventDefault();
  });
  const scrub = (/** @type {PointerEvent} */ event) => {
    const box = track.getBoundingClientRect();
    move(stepAt(event.clientX - box.left, box.width, last));
  };
  track.addEventListener("pointerdown", (event) => {
    track.setPointerCapture(event.pointerId);
    track.focus({ preventScroll: true });
    scrub(event);
  });
  track.addEventListener("pointermove", (event) => {
    if (track.hasPointerCapture(event.pointerId)) scrub(event);
  });

  model.on("change:step", show);
  label();
  show();
  return () => {
    clearTimeout(timer);
    clearTimeout(push);
    model.off("change:step", show);
  };
}

export default { render };
