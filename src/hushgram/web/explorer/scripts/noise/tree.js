/**
 * Noise of levels of counts.
 *
 * @typedef {import("../packing.js").Numbers} Numbers
 */
import { LevelTree } from "../borders.js";
import { fromTerms } from "./spread.js";

/** Levels of counts that least squares reconciled: two passes, upwards and downwards. */
export class TreeNoise {
  /**
   * @param {{measured: Numbers[], variances: number[], noise: number[], parents: Numbers[]}} described
   */
  constructor({ measured, variances, noise, parents }) {
    this.measured = measured;
    this.levelVariances = variances;
    this.noise = noise;
    this.parents = parents;
    this.last = measured.length - 1;
    this.own = [new Float64Array(measured[this.last].length).fill(noise[this.last])];
    /** @type {Float64Array[]} */
    this.sums = [];
    for (let level = this.last - 1; level >= 0; level--) {
      const sums = this.sumChildren(level, this.own[0]);
      this.sums.unshift(sums);
      this.own.unshift(sums.map((below) => 1 / (1 / noise[level] + 1 / below)));
    }
    this.values = this.reconcile();
    /** @type {LevelTree | null} */
    this.nodes = null;
  }

  /**
   * @param {number} level
   * @param {Float64Array} children
   */
  sumChildren(level, children) {
    const found = new Float64Array(this.measured[level].length);
    const parents = this.parents[level];
    for (let n = 0; n < children.length; n++) found[parents[n]] += children[n];
    return found;
  }

  reconcile() {
    const { own, sums, noise, measured, last } = this;
    const estimates = [Float64Array.from(measured[last])];
    /** @type {Float64Array[]} */
    const totals = [];
    for (let level = last - 1; level >= 0; level--) {
      const total = this.sumChildren(level, estimates[0]);
      totals.unshift(total);
      estimates.unshift(
        total.map((sum, n) => {
          const weight = own[level][n] / noise[level];
          return weight * measured[level][n] + (1 - weight) * sum;
        }),
      );
    }
    let known = estimates[0];
    for (let level = 0; level < last; level++) {
      const above = known;
      const parents = this.parents[level];
      known = estimates[level + 1].map((estimate, n) => {
        const parent = parents[n];
        const missing = (above[parent] - totals[level][parent]) / sums[level][parent];
        return estimate + own[level + 1][n] * missing;
      });
    }
    return known;
  }

  variances() {
    const { own, sums } = this;
    let known = own[0];
    for (let level = 0; level < this.last; level++) {
      const above = known;
      const parents = this.parents[level];
      known = own[level + 1].map((each, n) => {
        const share = each / sums[level][parents[n]];
        return Math.max(each - share * share * (sums[level][parents[n]] - above[parents[n]]), 0);
      });
    }
    return known;
  }

  /**
   * @param {import("../regions.js").Region} region
   * @param {import("../layout.js").Layout} layout
   */
  ofRegion(region, layout) {
    this.nodes ??= new LevelTree(this, layout);
    const { variance, squares, ...found } = this.nodes.ask(region);
    return { ...found, spread: fromTerms(variance, squares) };
  }

  /** @param {() => Float64Array} weights */
  moments(weights) {
    const { own, sums, noise, parents, last, levelVariances } = this;
    const reached = [weights()];
    for (let level = last - 1; level >= 0; level--) {
      const below = reached[0];
      const shared = new Float64Array(sums[level].length);
      for (let n = 0; n < below.length; n++) shared[parents[level][n]] += below[n] * own[level + 1][n];
      for (let n = 0; n < shared.length; n++) shared[n] /= sums[level][n];
      reached.unshift(shared);
    }
    let variance = 0;
    let squares = 0;
    let owed = reached[0];
    for (let level = 0; level <= last; level++) {
      const passed = new Float64Array(level < last ? owed.length : 0);
      for (let n = 0; n < owed.length; n++) {
        const weight = level < last ? own[level][n] / noise[level] : 1;
        const term = (weight * owed[n]) ** 2 * levelVariances[level];
        variance += term;
        squares += term * term;
        if (level < last) passed[n] = (1 - weight) * owed[n] - reached[level][n];
      }
      if (level < last) {
        owed = reached[level + 1].map((each, n) => each + passed[parents[level][n]]);
      }
    }
    return fromTerms(variance, squares);
  }

  /** @param {() => Float64Array} weights */
  spread(weights) {
    return this.moments(weights);
  }
}
