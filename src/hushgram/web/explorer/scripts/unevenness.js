/**
 * How far an answer can be from the truth because rows do not lie evenly: the arithmetic of
 * `hushgram.answers.unevenness`, a class in `unevenness/` for each kind of evidence.
 *
 * @typedef {import("./layout.js").Box} Box
 * @typedef {import("./noise.js").Noise} Noise
 * @typedef {{variance: number, alone: number, most: number, seen: number}} Uneven
 * @typedef {{ofBox: (box: Box) => Uneven, ofWeights: (weights: Float64Array) => Uneven,
 *   ofCut?: (parts: number[], shares: number[]) => Uneven}} Unevenness of a box, of shares of all parts, and of
 *   shares of those parts that are cut
 */
import { BlindGroups, GroupUnevenness } from "./unevenness/groups.js";
import { PartUnevenness } from "./unevenness/parts.js";
import { RankUnevenness } from "./unevenness/ranks.js";
import { ViewUnevenness } from "./unevenness/view.js";

const KINDS = { parts: PartUnevenness, ranks: RankUnevenness, blind: BlindGroups, groups: GroupUnevenness };

/**
 * @param {any} described
 * @param {any} noise what the values of the parts follow from
 * @returns {Unevenness}
 */
export function readUnevenness(described, noise) {
  if (described.kind === "view") return new ViewUnevenness(described, noise, readUnevenness(described.below, noise.below));
  return new KINDS[/** @type {keyof typeof KINDS} */ (described.kind)](described, noise);
}
