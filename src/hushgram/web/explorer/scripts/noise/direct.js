/**
 * Noise of a count for each part.
 *
 * @typedef {import("../packing.js").Numbers} Numbers
 */
import { ROUNDING, alike, powersOf, powersOfProduct } from "./spread.js";

/** A count for each part. */
export class DirectNoise {
  /** @param {{values: Numbers, variance: number}} described */
  constructor({ values, variance }) {
    this.values = values;
    this.variance = variance;
    this.isDirect = true;
  }

  variances() {
    return new Float64Array(this.values.length).fill(this.variance);
  }

  /**
   * @param {() => Float64Array} weights
   * @param {Float64Array[] | null} shares
   */
  spread(weights, shares) {
    const powers = shares ? powersOfProduct(shares, 0) : powersOf(weights(), ROUNDING);
    return alike(this.variance, powers.squares, powers.fourths, powers.largest, powers.whole);
  }

  /**
   * As quantiles have it: with steps on a grid, and without them elsewhere.
   * @param {() => Float64Array} weights
   * @param {Float64Array[] | null} shares
   */
  moments(weights, shares) {
    const found = this.spread(weights, shares);
    return { ...found, largest: shares ? found.largest : 0, whole: false };
  }
}
