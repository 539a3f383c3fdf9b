/**
 * Evidence of sorted rows.
 *
 * @typedef {import("../layout.js").Box} Box
 * @typedef {import("../noise.js").Noise} Noise
 * @typedef {import("../unevenness.js").Uneven} Uneven
 */
import { boxWeights } from "../layout.js";
import { PartUnevenness } from "./parts.js";
import { NONE, plus } from "./uneven.js";

/** Rows that were sorted, and published as the mean positions of groups. */
export class RankUnevenness {
  /**
   * @param {any} described
   * @param {Noise} noise
   */
  constructor(described, noise) {
    this.described = described;
    this.parts = new PartUnevenness(described.parts, noise);
  }

  /** @param {Box} box */
  ofBox(box) {
    return plus(this.between(box), this.parts.ofBox(box));
  }

  /** @param {Box} box */
  between(box) {
    if (box.starts.length > 1) return this.ofShares(boxWeights(this.parts.layout, box));
    const [start, stop] = [box.starts[0], box.stops[0]];
    const upper = this.parts.layout.upper[0];
    const last = upper[upper.length - 1];
    return this.ofUnknown(stop > start ? Number(start > 0) + Number(stop < last) : 0);
  }

  /** @param {Float64Array} weights */
  ofWeights(weights) {
    return plus(this.ofShares(weights), this.parts.ofWeights(weights));
  }

  /** @param {Float64Array} shares */
  ofShares(shares) {
    const { order, firsts } = this.described;
    const changes = order.length - 1;
    if (changes < 1) return NONE;
    let unknown = 0;
    for (let group = 0; group < firsts.length; group++) {
      const end = group + 1 < firsts.length ? firsts[group + 1] : changes;
      let sum = 0;
      for (let n = firsts[group]; n < end; n++) sum += (shares[order[n + 1]] - shares[order[n]]) ** 2;
      unknown += Math.min(sum, 1);
    }
    let [least, most] = [Infinity, -Infinity];
    for (const share of shares) {
      least = Math.min(least, share);
      most = Math.max(most, share);
    }
    return this.ofUnknown(most > 0 && least < 1 ? Math.max(unknown, 1) : 0);
  }

  /**
   * @param {number} places
   * @returns {Uneven}
   */
  ofUnknown(places) {
    const { longest, rows } = this.described;
    return { variance: places * (longest / 2) ** 2, alone: 0, most: rows, seen: 0 };
  }
}
