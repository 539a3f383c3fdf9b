/** Elements, made from plain data: labels only ever become text. */

const SVG = "http://www.w3.org/2000/svg";
const LONGEST = 60;

/** What may trick a reader or a shell: control characters, and those that turn text around or that
 * nobody sees. The joiners of Persian, Hindi and other scripts are letters to their readers. */
export const TRICKY = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const ALL_TRICKY = new RegExp(TRICKY, "g");

/** @typedef {Node | string | null | undefined} Child */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, any>} [attributes] those that start with "on" are listeners
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  setAttributes(made, attributes);
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

/**
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  setAttributes(made, attributes);
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

/**
 * @param {Element} target
 * @param {Record<string, any>} attributes
 */
function setAttributes(target, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("aria-")) target.setAttribute(key, String(value));
    else if (key.startsWith("on")) target.addEventListener(key.slice(2), value);
    else if (value === true) target.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) target.setAttribute(key, String(value));
  }
}

/**
 * A label from the release: apart from the text around it, whatever it says, and not too long.
 * @param {string} text
 */
export function label(text) {
  return element("bdi", { title: text.length > LONGEST ? text.slice(0, 500) : null }, shorten(text));
}

/**
 * A text that is not too long, with a mark in place of letters that cannot be seen.
 * @param {string} text
 */
export function shorten(text, longest = LONGEST) {
  const letters = [...text.slice(0, 2 * longest + 2).replace(ALL_TRICKY, "\ufffd")];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : letters.join("");
}

/**
 * A message of any length, apart from the text around it: it may repeat names of any kind.
 * @param {string} text
 */
export function message(text) {
  return element("bdi", {}, text.replace(ALL_TRICKY, (sign) => (sign === "\n" || sign === "\t" ? sign : "\ufffd")));
}

/**
 * A button.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, any>} [attributes]
 */
export function button(text, act, attributes = {}) {
  return element("button", { type: "button", onclick: act, ...attributes }, text);
}
