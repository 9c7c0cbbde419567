// The player: controls, track, caption, and a drawing whose parts get their states. It knows nothing of what is drawn.
import { PUSH_MS, clamp, longest, momentAt, nextSpeed, pace, phasesOf, place, rowsOf, spoken, statesAt, stepAt, stepForKey, timelinesOf, variant } from "./model.js";
import { headline } from "./headline.js";
import { html, svg, fill, icon, fine, tick, sentence } from "./parts.js";
import { windowed } from "./window.js";

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

/** Shows a picture, and the next one when the kernel makes another. @param {{ model: any, el: HTMLElement }} view */
function render({ model, el }) {
  let close = show({ model, el });
  const again = () => {
    const knob = /** @type {HTMLElement | null} */ (el.querySelector("[data-knob]:focus"))?.dataset.knob;
    close();
    close = show({ model, el });
    if (knob === undefined) return;
    const buttons = /** @type {HTMLButtonElement[]} */ ([...el.querySelectorAll("[data-knob]")]);
    const same = buttons.find((button) => button.dataset.knob === knob);
    const near = same?.disabled ? buttons.find((button) => !button.disabled && button.parentNode === same.parentNode) : same;
    near?.focus({ preventScroll: true });
  };
  model.on("change:picture", again);
  return () => {
    model.off("change:picture", again);
    close();
  };
}

/** @param {{ model: any, el: HTMLElement }} view */
function show({ model, el }) {
  /** @type {import("./model.js").Picture} */
  const whole = model.get("picture");
  let picture = variant(whole, model.get("choice") ?? 0);
  let { steps } = picture;
  let timelines = timelinesOf(picture);
  let last = steps.length;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let speed = 1;
  let playing = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let push; // while it waits, the kernel has not heard of the step `mine`
  let mine = 0;

  // --- the page ---
  const back = html("button", { type: "button", "aria-label": "step back", title: "step back (left arrow)" }, icon("back"));
  const play = html("button", { type: "button", class: "mt-play" });
  const forward = html("button", { type: "button", "aria-label": "step forward", title: "step forward (right arrow)" }, icon("forward"));
  const faster = html("button", { type: "button", class: "mt-speed" });
  const track = svg("svg", { class: "mt-track", role: "slider", tabindex: 0, "aria-label": "step", "aria-valuemin": 1 });
  const said = html("span", { class: "mt-now" });
  const caption = html("figcaption", { class: "mt-caption", "aria-live": "polite" });
  const controls = html("div", { class: "mt-controls", role: "group", "aria-label": "player" }, back, play, forward, track, faster);
  const drawing = html("div", { class: "mt-scroll" });
  const table = html("pre", { class: "mt-said" });
  const head = whole.head ? [headline(model, whole.head)] : [];
  const figure = html("figure", { class: `mt mt-${whole.name}` }, html("div", { class: "mt-top" }, ...head, controls, caption), drawing, table);
  el.replaceChildren(figure);
  if (whole.axis) {
    figure.classList.add("mt-timed");
    figure.style.setProperty("--axis-wide", `${whole.axis[0]}px`);
    figure.style.setProperty("--axis-narrow", `${whole.axis[1]}px`);
  }
  const hatch = `mt-hatch-${Math.random().toString(36).slice(2)}`; // two pictures on a page must not share an id
  figure.style.setProperty("--hatch", `url(#${hatch})`);
  let ring = svg("svg");
  let image = svg("svg");
  /** @type {Map<string, { node: Element, base: string, state: string | null }>} */
  let parts = new Map();
  /** @type {number[]} */
  let rows = []; // by step, the row that the window is around
  /** @type {ReturnType<typeof windowed> | undefined} */
  let scroll;
  /** @type {SVGElement[]} */
  let gauged = []; // the parts that go by numbers: were these the whole drawing's, each step would style all of it anew
  /** @type {{ node: Element, said: [number, string][] }[]} */
  let texts = [];

  /** Puts a variant's ticks, captions and drawing on the page. */
  function load() {
    ({ steps } = picture);
    timelines = timelinesOf(picture);
    last = steps.length;
    const close = last > 30;
    const at = (/** @type {number} */ step) => ({ x: `${place(step, last)}%`, width: 1, height: 32, overflow: "visible" });
    const mask = () => svg("rect", { class: "mask", x: -8, y: 8, width: 16, height: 16 });
    ring = svg("svg", { width: 1, height: 32, overflow: "visible" });
    ring.append(svg("rect", { class: "cur", x: close ? -7 : -12, y: 4, width: close ? 14 : 24, height: 24, rx: 4 }));
    track.replaceChildren(svg("line", { x1: 0, y1: 16.5, x2: "100%", y2: 16.5 }));
    if (!close) track.append(...steps.map((_, before) => svg("svg", at(before + 1), mask())));
    if (last > 96) track.append(fine(steps));
    else track.append(...steps.map((step, before) => svg("svg", { "data-id": `tick-${before + 1}`, ...at(before + 1) }, tick(step.kind, last))));
    track.append(ring);
    track.setAttribute("aria-valuemax", String(last));
    caption.replaceChildren(said);
    for (const step of longest(steps)) {
      caption.append(html("span", { class: "mt-room", "aria-hidden": "true" }, ...sentence(steps[step - 1], step, last)));
    }
    drawing.innerHTML = picture.svg; // drawn and escaped in Python
    table.textContent = picture.text;
    image = /** @type {SVGElement} */ (drawing.firstElementChild);
    image.querySelector("pattern")?.setAttribute("id", hatch);
    image.style.setProperty("--hatch", `url(#${hatch})`);
    parts = new Map();
    for (const node of image.querySelectorAll("[data-id]")) {
      const id = /** @type {string} */ (node.getAttribute("data-id"));
      const base = (node.getAttribute("class") ?? "").split(" ").filter((name) => !name.startsWith("is-")).join(" ");
      if (id in timelines) parts.set(id, { node, base, state: null });
    }
    rows = rowsOf(steps);
    const part = (/** @type {string} */ id) => /** @type {Element} */ (image.querySelector(`[data-id="${CSS.escape(id)}"]`));
    gauged = /** @type {SVGElement[]} */ ([...image.querySelectorAll(".gauged")]);
    scroll = picture.window && windowed(part(picture.window.id), part(picture.window.place), picture.window);
    texts = Object.entries(picture.texts ?? {}).map(([id, said]) => ({ node: part(id), said }));
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

  function stand() {
    const step = clamp(model.get("step"), last);
    paint(step, playing ? 0 : undefined);
    ring.setAttribute("x", `${place(step, last)}%`);
    if (picture.axis) image.style.setProperty("--at", String(step / last));
    const first = scroll?.(step, rows[step - 1], steps[step - 1].row !== undefined);
    for (const part of gauged) {
      for (const [name, numbers] of Object.entries(picture.gauges ?? {})) part.style.setProperty(`--${name}`, String(numbers[step - 1]));
      if (first !== undefined) part.style.setProperty("--first", String(first));
    }
    for (const { node, said } of texts) {
      const words = momentAt(said, step)?.[1] ?? "";
      if (node.textContent !== words) node.textContent = words;
    }
    track.setAttribute("aria-valuenow", String(step));
    track.setAttribute("aria-valuetext", `step ${step} of ${last}: ${spoken(steps[step - 1])}`);
    said.replaceChildren(...sentence(steps[step - 1], step, last));
  }

  /** Another variant: who stands at the end stays at the end, and a switch that has the focus keeps it. */
  function switched() {
    if (playing) pause();
    const ended = clamp(model.get("step"), last) === last;
    const focused = drawing.contains(document.activeElement) ? document.activeElement?.getAttribute("data-id") : null;
    picture = variant(whole, model.get("choice"));
    load();
    if (ended || model.get("step") > last) go(last);
    stand();
    if (focused) /** @type {SVGElement | null} */ (drawing.querySelector(`[data-id="${CSS.escape(focused)}"]`))?.focus({ preventScroll: true });
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
    mine = clamp(step, last);
    clearTimeout(push);
    push = setTimeout(() => {
      push = undefined;
      model.save_changes();
    }, PUSH_MS);
    model.set("step", mine);
  }

  /** The step has changed: by a move here, or from outside; but the kernel's late echo of an older move is no news. */
  function heard() {
    if (push !== undefined && model.get("step") !== mine) model.set("step", mine);
    else stand();
  }

  function pause() {
    clearTimeout(timer);
    playing = false;
    label();
    stand();
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

  /** @param {number} to */
  function choose(to) {
    model.set("choice", to);
    clearTimeout(push);
    push = setTimeout(() => model.save_changes(), PUSH_MS);
  }

  /** The stops of a slider in the drawing, and the one nearest to a point. @param {Element} slider @param {number} x */
  function nearest(slider, x) {
    const away = (/** @type {Element} */ stop) => {
      const box = stop.getBoundingClientRect();
      return Math.abs((box.left + box.right) / 2 - x);
    };
    return [...slider.querySelectorAll("[data-choice]")].reduce((best, stop) => (away(stop) < away(best) ? stop : best));
  }

  const chosen = (/** @type {Element} */ part) => choose(Number(part.getAttribute("data-choice")));
  /** @type {string | null} */
  let dragged = null; // the id of the slider that is dragged: the drawing under it is another at each stop
  drawing.addEventListener("pointerdown", (event) => {
    const part = /** @type {Element} */ (event.target).closest("[data-dial], [data-choice]");
    const slider = part?.closest("[data-dial]");
    if (slider) {
      dragged = slider.getAttribute("data-id");
      drawing.setPointerCapture(event.pointerId);
      /** @type {SVGElement} */ (slider).focus({ preventScroll: true });
      event.preventDefault();
      chosen(nearest(slider, event.clientX));
    } else if (part) {
      event.preventDefault();
      /** @type {SVGElement} */ (part).focus({ preventScroll: true });
      chosen(part);
    }
  });
  drawing.addEventListener("pointermove", (event) => {
    const slider = dragged === null ? null : drawing.querySelector(`[data-id="${CSS.escape(dragged)}"]`);
    if (slider) chosen(nearest(slider, event.clientX));
  });
  for (const end of ["pointerup", "pointercancel"]) drawing.addEventListener(end, () => (dragged = null));
  drawing.addEventListener("keydown", (event) => {
    const part = /** @type {Element} */ (event.target).closest("[data-dial], [data-choice]");
    if (!part || event.ctrlKey || event.altKey || event.metaKey) return;
    event.stopPropagation();
    if (part.hasAttribute("data-dial")) {
      const stops = [...part.querySelectorAll("[data-choice]")];
      const to = stepForKey(event.key, Number(part.getAttribute("data-dial")) + 1, stops.length);
      if (to === undefined) return;
      chosen(stops[to - 1]);
    } else if (event.key === "Enter" || event.key === " ") chosen(part);
    else return;
    event.preventDefault();
  });

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

  model.on("change:step", heard);
  model.on("change:choice", switched);
  load();
  label();
  stand();
  return () => {
    clearTimeout(timer);
    clearTimeout(push);
    model.off("change:step", heard);
    model.off("change:choice", switched);
  };
}

export default { render };
