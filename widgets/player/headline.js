// The line above the controls: a heading, the knobs, the sum.
import { PATIENCE_MS, turned } from "./model.js";
import { html } from "./parts.js";

/**
 * The line above the controls. Without a kernel no one can make another picture: the knobs are there, and do not turn.
 * @param {any} model @param {import("./model.js").Head} head
 */
export function headline(model, head) {
  const line = html("div", { class: "mt-head" }, html("b", {}, head.title));
  const sum = html("span", { class: "mt-sum", role: "status" }, head.sum);
  const values = model.get("knobs");
  for (const knob of head.knobs) {
    /** @param {number} by @param {string} label @param {string} words */
    const button = (by, label, words) => {
      const to = turned(knob, by);
      const node = /** @type {HTMLButtonElement} */ (html("button", { type: "button", "aria-label": label, "data-knob": `${knob.name} ${by}` }, words));
      if (values === undefined) node.title = "this needs a running kernel";
      node.disabled = values === undefined || to === undefined;
      node.addEventListener("keydown", (/** @type {Event} */ event) => event.stopPropagation());
      node.addEventListener("click", () => {
        if (line.getAttribute("aria-busy") === "true") return;
        line.setAttribute("aria-busy", "true");
        model.set("knobs", { ...model.get("knobs"), [knob.name]: to });
        model.save_changes();
        setTimeout(() => (sum.textContent = "no answer: is the kernel running?"), PATIENCE_MS);
      });
      return node;
    };
    const box = html("span", { class: "mt-knob", role: "group", "aria-label": knob.label }, knob.label);
    if (knob.words) {
      const by = knob.choices.indexOf(knob.value) ? -1 : 1;
      const word = knob.words[by < 0 ? 1 : 0];
      const node = button(by, `${knob.label}: ${word}`, word);
      node.dataset.knob = knob.name; // the same button before and after
      box.append(node);
    } else {
      const value = html("span", { class: "mt-value" }, String(knob.value));
      box.append(button(-1, `lower ${knob.label}`, "−"), value, button(1, `raise ${knob.label}`, "+"));
    }
    line.append(box);
  }
  line.append(sum);
  return line;
}
