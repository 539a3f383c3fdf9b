/**
 * Evidence of cells that share one value.
 *
 * @typedef {import("../layout.js").Box} Box
 * @typedef {import("../noise.js").Noise} Noise
 * @typedef {import("../packing.js").Numbers} Numbers
 * @typedef {import("../unevenness.js").Uneven} Uneven
 */
import { boxWeights, readLayout } from "../layout.js";
import { PartUnevenness } from "./parts.js";
import { LEAST, ROUNDING, SURE, plus } from "./uneven.js";

const SURPRISING = 2.5;
const TINY = 1e-9;

/** Cells that share one value, each group taken for one part. */
export class BlindGroups {
  /**
   * @param {any} described
   * @param {Noise} noise
   */
  constructor(described, noise) {
    this.layout = readLayout(described.layout);
    /** @type {Numbers} */
    this.labels = described.labels;
    /** @type {Numbers} */
    this.sums = described.sums;
    /** @type {Numbers} */
    this.noise = described.noise;
    this.sizes = new Float64Array(this.sums.length);
    for (const label of this.labels) this.sizes[label] += 1;
    this.boxes = described.boxes && new PartUnevenness(described.boxes, noise);
  }

  /** @param {Box} box */
  ofBox(box) {
    return this.boxes ? this.boxes.ofBox(box) : this.ofWeights(boxWeights(this.layout, box));
  }

  /**
   * @param {Float64Array} weights
   * @returns {Uneven}
   */
  ofWeights(weights) {
    const shares = new Float64Array(this.sums.length);
    for (let n = 0; n < weights.length; n++) {
      const label = this.labels[n];
      shares[label] += weights[n] * (1 / this.sizes[label]);
    }
    if (this.boxes) return this.boxes.ofWeights(shares);
    let [variance, fourths, reached, reachedNoise] = [0, 0, 0, 0];
    for (let n = 0; n < shares.length; n++) {
      const share = shares[n];
      const rows = Math.max(this.sums[n], 0);
      const spread = share - share * share;
      if (spread > ROUNDING) {
        variance += spread * rows ** 2;
        fourths += spread * spread * rows ** 4;
      }
      if (share > ROUNDING && share < 1 - ROUNDING) {
        const reach = Math.max(share, 1 - share);
        reached += reach * rows;
        reachedNoise += reach * reach * this.noise[n];
      }
    }
    return {
      variance,
      alone: Math.min(fourths / Math.max(variance ** 2, LEAST), 1),
      most: reached + SURE * Math.sqrt(reachedNoise),
      seen: 0,
    };
  }
}

/** Cells that share one value, counted one by one at a first look. */
export class GroupUnevenness {
  /**
   * @param {any} described
   * @param {Noise} noise
   */
  constructor(described, noise) {
    this.cells = new PartUnevenness(described.cells, noise);
    const groups = new BlindGroups(described.blind, noise);
    this.groups = groups;
    /** @type {number} */
    this.variance = described.variance;
    this.difference = Float64Array.from(groups.labels, (label, n) =>
      groups.sums[label] / groups.sizes[label] - described.look[n],
    );
    this.total = this.difference.reduce((sum, each) => sum + each, 0);
  }

  /** @param {Box} box */
  ofBox(box) {
    const seen = this.look(boxWeights(this.cells.layout, box));
    return plus(believe(this.groups.ofBox(box), seen), this.cells.ofBox(box));
  }

  /** @param {Float64Array} weights */
  ofWeights(weights) {
    const found = believe(this.groups.ofWeights(weights), this.look(weights));
    return plus(found, this.cells.ofWeights(weights));
  }

  /**
   * Counts of some cells, or of all but some: the fewer are asked of the first look.
   * @param {Float64Array} weights
   * @returns {Uneven}
   */
  look(weights) {
    let [difference, sum, squares] = [0, 0, 0];
    for (let n = 0; n < weights.length; n++) {
      difference += weights[n] * this.difference[n];
      sum += weights[n];
      squares += weights[n] * weights[n];
    }
    const others = weights.length - 2 * sum + squares;
    return {
      variance: this.variance * Math.min(others, squares),
      alone: 0,
      most: 0,
      seen: others < squares ? this.total - difference : difference,
    };
  }
}

/**
 * What to make of a difference that was seen where another size was expected.
 * @param {Uneven} expected
 * @param {Uneven} seen
 * @returns {Uneven}
 */
function believe(expected, seen) {
  const noise = Math.max(seen.variance, TINY);
  const surprising = Math.abs(seen.seen) > SURPRISING * Math.sqrt(noise);
  const trust = surprising ? 1 : expected.variance / (expected.variance + noise);
  return { variance: trust * noise, alone: 0, most: expected.most, seen: trust * seen.seen };
}
