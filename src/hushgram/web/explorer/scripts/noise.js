/**
 * The noise of weighted sums of parts: a class in `noise/` for each kind that noise.py describes.
 *
 * Those of trees know what a region holds by going along its border.
 *
 * Each has the `values` of its parts, their `variances`, the `moments` of any weighted sum, and its
 * `spread`, where more than moments may be known. Weights that are a product of shares, one array
 * for each axis, may be given as such too.
 *
 * @typedef {import("./packing.js").Numbers} Numbers
 * @typedef {{variance: number, kurtosis: number, largest: number, whole: boolean}} Spread
 * @typedef {{values: Numbers, variances: () => Numbers, isDirect?: boolean,
 *   ofRegion?: (region: import("./regions.js").Region, layout: import("./layout.js").Layout) => Inside,
 *   moments: (weights: () => Float64Array, shares: Float64Array[] | null) => Spread,
 *   spread: (weights: () => Float64Array, shares: Float64Array[] | null) => Spread}} Noise
 * @typedef {{value: number, spread: Spread, parts: number[], shares: number[], whole: boolean}} Inside what a region
 *   holds: which parts it cuts, with the share of each, and whether it holds whole ones
 */
import { DirectNoise } from "./noise/direct.js";
import { ErrorTree } from "./noise/errors.js";
import { GroupNoise } from "./noise/groups.js";
import { ListNoise } from "./noise/lists.js";
import { TreeNoise } from "./noise/tree.js";
import { ViewNoise } from "./noise/view.js";
import { WaveletNoise } from "./noise/wavelet.js";

const KINDS = {
  direct: DirectNoise,
  tree: TreeNoise,
  groups: GroupNoise,
  wavelet: WaveletNoise,
  lists: ListNoise,
  errors: ErrorTree,
};

/**
 * @param {any} described
 * @returns {Noise}
 */
export function readNoise(described) {
  if (described.kind === "view") return new ViewNoise(described, readNoise(described.below));
  return new KINDS[/** @type {keyof typeof KINDS} */ (described.kind)](described);
}
