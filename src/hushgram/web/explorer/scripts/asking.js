/**
 * What is asked of each axis, by its name. Names are other people's: an axis may be called
 * "constructor" or "__proto__", which every object has without being asked.
 *
 * @typedef {import("./axes.js").Asked} Asked
 * @typedef {import("./release.js").Asking} Asking
 */

/**
 * @param {Asking} asking
 * @param {string} name
 * @returns {Asked}
 */
export function askedOf(asking, name) {
  return Object.hasOwn(asking, name) ? asking[name] : null;
}

/**
 * The same question, but for some axes.
 * @param {Asking} asking
 * @param {readonly string[]} names
 * @param {(n: number) => Asked} asked
 * @returns {Asking}
 */
export function askInstead(asking, names, asked) {
  return { ...asking, ...Object.fromEntries(names.map((name, n) => [name, asked(n)])) };
}
