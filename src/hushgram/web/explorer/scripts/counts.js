/**
 * Counts with intervals, the same as `Release.count` gives.
 *
 * @typedef {import("./layout.js").Question} Question
 * @typedef {import("./widths.js").Confidence} Confidence
 * @typedef {{value: number, noise: number, width: number}} Answer a number, and half the widths of
 *   the intervals for the noise and for the truth
 */
import { Lattice, boxOf, dot, readLayout } from "./layout.js";
import { readNoise } from "./noise.js";
import { readUnevenness } from "./unevenness.js";
import { truthWidth, unevenWidth } from "./widths.js";

/** What a release knows: its parts, and the errors of sums of them. */
export class Counts {
  /**
   * @param {any} described
   * @param {import("./widths.js").Quantiles} quantiles
   */
  constructor(described, quantiles) {
    this.layout = readLayout(described.layout);
    this.noise = readNoise(described.noise);
    this.unevenness = readUnevenness(described.unevenness, this.noise);
    /** @type {number[]} */
    this.sizes = described.axes.map((/** @type {any} */ axis) => axis.size);
    /** @type {number} */
    this.margin = described.noiseMargin;
    this.quantiles = quantiles;
  }

  get values() {
    return this.noise.values;
  }

  /**
   * @param {Question} question
   * @param {Confidence} confidence
   * @returns {Answer}
   */
  count(question, confidence) {
    const { layout } = this;
    /** @type {Float64Array | null} */
    let made = null;
    const weights = () => (made ??= layout.weights(question));
    const shares = layout instanceof Lattice ? layout.shares(question) : null;
    const value = shares
      ? /** @type {Lattice} */ (layout).contract(this.values, shares)
      : dot(this.values, weights());
    const spread = this.noise.spread(weights, shares);
    const noise = this.noiseWidth(spread, confidence);
    const box = boxOf(question, this.sizes);
    const uneven = box ? this.unevenness.ofBox(box) : this.unevenness.ofWeights(weights());
    return { value, noise, width: truthWidth(noise, unevenWidth(uneven, confidence, value)) };
  }

  /**
   * @param {import("./noise.js").Spread} spread
   * @param {Confidence} confidence
   */
  noiseWidth(spread, confidence) {
    return this.margin * this.quantiles.halfWidth(spread, confidence);
  }
}
