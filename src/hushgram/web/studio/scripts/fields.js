/** Fields with a label, a hint, and a place for what is wrong. */
import { element, message } from "../../explorer/scripts/dom.js";
import { TEXT } from "./strings.js";

/** @typedef {import("./api.js").Problem} Problem */

let count = 0;

/**
 * @param {string} name where problems with this name are shown
 * @param {string} title
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} input
 * @param {{hint?: string, class?: string}} [options]
 */
export function field(name, title, input, options = {}) {
  const id = `f${++count}`;
  const slot = element("p", { class: "problem", id: `${id}-problem`, hidden: true });
  input.id = id;
  const described = [`${id}-problem`];
  /** @type {HTMLElement | null} */
  let hint = null;
  if (options.hint) {
    hint = element("p", { class: "hint", id: `${id}-hint` }, options.hint);
    described.push(`${id}-hint`);
  }
  input.setAttribute("aria-describedby", described.join(" "));
  return element("div", { class: `field ${options.class ?? ""}`, "data-field": name },
    element("label", { for: id }, title), input, hint, slot);
}

/**
 * @param {Record<string, any>} target
 * @param {string} key
 * @param {() => void} changed
 * @param {Record<string, any>} [attributes]
 */
export function textInput(target, key, changed, attributes = {}) {
  const input = element("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes });
  input.value = target[key] ?? "";
  input.addEventListener("input", () => {
    target[key] = input.value;
    changed();
  });
  return input;
}

/**
 * @param {Record<string, any>} target
 * @param {string} key
 * @param {[string, string][]} choices values and what they are called
 * @param {() => void} changed
 * @param {Record<string, any>} [attributes]
 */
export function selectInput(target, key, choices, changed, attributes = {}) {
  const select = element("select", attributes);
  for (const [value, name] of choices) select.append(element("option", { value, selected: value === (target[key] ?? "") }, name));
  select.addEventListener("change", () => {
    target[key] = select.value;
    changed();
  });
  return select;
}

/**
 * A box to tick, with its label behind it.
 * @param {string} name
 * @param {string} title
 * @param {Record<string, any>} target
 * @param {string} key
 * @param {() => void} changed
 */
export function tick(name, title, target, key, changed) {
  const input = element("input", { type: "checkbox", checked: target[key] === true });
  input.addEventListener("change", () => {
    target[key] = input.checked;
    changed();
  });
  return element("p", { class: "tick-box", "data-field": name }, element("label", {}, input, ` ${title}`));
}

/**
 * Show problems beside their fields below an element, and the others in a box of their own.
 * @param {HTMLElement} root
 * @param {Problem[]} problems
 * @param {HTMLElement} rest
 */
export function showProblems(root, problems, rest) {
  for (const one of root.querySelectorAll("[data-field]")) mark(/** @type {HTMLElement} */ (one), []);
  const left = [];
  for (const [name, some] of groups(problems)) {
    const place = find(root, name);
    if (place) mark(place, some);
    else left.push(...some);
  }
  fillBox(rest, left);
}

/** @param {Problem[]} problems */
function groups(problems) {
  /** @type {Map<string, Problem[]>} */
  const found = new Map();
  for (const one of problems) found.set(one.field, [...(found.get(one.field) ?? []), one]);
  return found;
}

/**
 * @param {HTMLElement} root
 * @param {string} name
 * @returns {HTMLElement | null}
 */
function find(root, name) {
  return name ? root.querySelector(`[data-field="${CSS.escape(name)}"]`) : null;
}

/**
 * @param {HTMLElement} place
 * @param {Problem[]} problems
 */
function mark(place, problems) {
  const slot = /** @type {HTMLElement | null} */ (place.querySelector(":scope > .problem"));
  const input = place.querySelector(":scope > input, :scope > select, :scope > textarea");
  input?.setAttribute("aria-invalid", String(problems.length > 0));
  if (!slot) return;
  slot.replaceChildren(...problems.map((one) => element("span", {}, message(one.message))));
  slot.hidden = problems.length === 0;
}

/** A box for problems that belong to no field. */
export function problemBox() {
  return element("div", { class: "problems", role: "alert", hidden: true });
}

/** @param {Problem[]} problems */
export function filledBox(problems) {
  const box = problemBox();
  fillBox(box, problems);
  return box;
}

/**
 * @param {HTMLElement} box
 * @param {Problem[]} problems
 */
export function fillBox(box, problems) {
  box.replaceChildren(...problems.map((one) => element("p", {}, message(one.message))));
  box.hidden = problems.length === 0;
}

/**
 * A part of a form that is closed at first.
 * @param {string} title
 * @param {boolean} open
 * @param {...(Node | string | null)} children
 */
export function fold(title, open, ...children) {
  return element("details", { class: "fold", open }, element("summary", {}, title), ...children);
}

export const UNSET = /** @type {[string, string]} */ (["", TEXT.chooseColumn]);

/** @param {[string, Node | string][]} facts */
export function factList(facts) {
  return element("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}
