/**
 * Noise of cells that share values.
 *
 * @typedef {import("../packing.js").Numbers} Numbers
 */
import { ROUNDING, fromTerms } from "./spread.js";

/** Cells that share one value: a sum for each group. */
export class GroupNoise {
  /**
   * @param {{labels: Numbers, values: Numbers, variances: Numbers, squares: Numbers,
   *   steps?: {least: Numbers, largest: Numbers}}} described
   */
  constructor({ labels, values, variances, squares, steps }) {
    this.labels = labels;
    this.groupVariances = variances;
    this.groupSquares = squares;
    this.steps = steps;
    this.values = Float64Array.from(labels, (label) => values[label]);
  }

  variances() {
    return Float64Array.from(this.labels, (label) => this.groupVariances[label]);
  }

  /** @param {Float64Array} weights */
  groupWeights(weights) {
    const found = new Float64Array(this.groupVariances.length);
    for (let n = 0; n < weights.length; n++) found[this.labels[n]] += weights[n];
    return found;
  }

  /** @param {Float64Array} groups */
  momentsOfGroups(groups) {
    let variance = 0;
    let squares = 0;
    for (let n = 0; n < groups.length; n++) {
      const square = groups[n] * groups[n];
      variance += square * this.groupVariances[n];
      squares += square * square * this.groupSquares[n];
    }
    return fromTerms(variance, squares);
  }

  /** @param {() => Float64Array} weights */
  moments(weights) {
    return this.momentsOfGroups(this.groupWeights(weights()));
  }

  /** @param {() => Float64Array} weights */
  spread(weights) {
    const groups = this.groupWeights(weights());
    const found = this.momentsOfGroups(groups);
    if (!this.steps) return found;
    let largest = 0;
    let whole = true;
    for (let n = 0; n < groups.length; n++) {
      const [least, most] = [this.steps.least[n], this.steps.largest[n]];
      largest = Math.max(largest, Math.abs(groups[n]) * most);
      whole = whole && nearWhole(groups[n] * least) && nearWhole(groups[n] * most);
    }
    return { ...found, kurtosis: Math.min(found.kurtosis, 3), largest, whole };
  }
}

/** @param {number} weight */
function nearWhole(weight) {
  const size = Math.abs(weight);
  return Math.min(size, Math.abs(size - 1)) < ROUNDING;
}
