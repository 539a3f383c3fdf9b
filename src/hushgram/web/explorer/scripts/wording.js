/**
 * A question in words for people.
 *
 * @typedef {import("./axes.js").Asked} Asked
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./asker.js").Asker} Asker
 */
import { shorten } from "./dom.js";
import { formatEnds } from "./format.js";
import { TEXT } from "./strings.js";

/**
 * What is asked, in words for people.
 * @param {Asker} asker
 */
export function questionText({ release, asking, outline }) {
  const words = release.asked(asking).map(([axis, asked]) => `${shorten(axis.name, 30)}: ${rangeText(axis, asked)}`);
  if (outline) words.unshift(outline.name === null ? TEXT.drawnArea : shorten(outline.name));
  return words.length ? words.join(" · ") : TEXT.everything;
}

/**
 * @param {Axis} axis
 * @param {NonNullable<Asked>} asked
 */
export function rangeText(axis, asked) {
  if ("values" in asked) {
    const shown = asked.values.slice(0, 6).map((value) => shorten(String(value), 30));
    const rest = asked.values.length - shown.length;
    return shown.join(", ") + (rest > 0 ? ` + ${rest}` : "");
  }
  const from = asked.from ?? axis.edge(0);
  const to = asked.to ?? axis.edge(axis.declared);
  if (axis.isWhole) return from === to - 1 ? String(from) : TEXT.range(String(from), String(to - 1));
  return formatEnds(axis, from, to);
}
