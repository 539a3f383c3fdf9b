/**
 * Noise of a view of another estimate.
 *
 * @typedef {import("../packing.js").Numbers} Numbers
 */

/** Parts that are sums of shares of the parts of another estimate. */
export class ViewNoise {
  /**
   * @param {any} described
   * @param {import("../noise.js").Noise} below that of the other estimate
   */
  constructor(described, below) {
    /** @type {Numbers} */
    this.values = described.values;
    this.described = described;
    this.below = below;
  }

  /** @returns {Numbers} */
  variances() {
    return this.described.partVariances;
  }

  /**
   * Weights on the parts below.
   * @param {Float64Array} weights
   */
  spreadOut(weights) {
    const { starts, parts, shares, size } = this.described;
    const found = new Float64Array(size);
    for (let n = 0; n < weights.length; n++) {
      if (weights[n] === 0) continue;
      for (let k = starts[n]; k < starts[n + 1]; k++) found[parts[k]] += weights[n] * shares[k];
    }
    return found;
  }

  /** @param {() => Float64Array} weights */
  moments(weights) {
    const found = this.below.moments(() => this.spreadOut(weights()), null);
    return { ...found, largest: 0, whole: false };
  }

  /** @param {() => Float64Array} weights */
  spread(weights) {
    return this.below.spread(() => this.spreadOut(weights()), null);
  }
}
