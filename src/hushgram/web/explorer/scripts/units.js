/** What is counted, in words. */
import { shorten } from "./dom.js";
import { TEXT } from "./strings.js";

/**
 * @param {{kind: string, place?: number}} what
 * @param {import("./release.js").Release} release
 */
export function unitText({ kind, place }, release) {
  if (kind === "rows" || place === undefined) return TEXT.unit.rows;
  const { kind: declared, name } = release.measures[place];
  const text = shorten(name, 40);
  if (declared === "weighted-count") return TEXT.unit.weighted(text);
  return kind === "sum" ? TEXT.unit.sum(text) : TEXT.unit.mean(text);
}
