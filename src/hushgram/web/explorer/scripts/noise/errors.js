/**
 * Noise of a tree that hands errors down.
 *
 * @typedef {import("../packing.js").Numbers} Numbers
 */
import { HalvesTree } from "../borders.js";
import { fromTerms } from "./spread.js";

/** A tree of errors: a node hands a share of its error to its lower half, the rest to the upper. */
export class ErrorTree {
  /**
   * @param {{values: Numbers, right: Numbers, roots: Numbers, totals: Numbers, shares: Numbers,
   *   own: Numbers}} described
   */
  constructor({ values, right, roots, totals, shares, own }) {
    this.values = values;
    this.right = right.map((step, node) => (step ? node + step : 0));
    this.roots = roots;
    this.totals = totals;
    this.shares = new Float64Array(right.length);
    this.own = new Float64Array(right.length);
    for (let node = 0, inner = 0; node < right.length; node++) {
      if (!right[node]) continue;
      this.shares[node] = shares[inner];
      this.own[node] = own[inner++];
    }
    this.weight = new Float64Array(right.length);
    /** @type {HalvesTree | null} */
    this.nodes = null;
  }

  /**
   * @param {import("../regions.js").Region} region
   * @param {import("../layout.js").Layout} layout
   */
  ofRegion(region, layout) {
    this.nodes ??= new HalvesTree(this, layout);
    const { variance, squares, ...found } = this.nodes.ask(region);
    return { ...found, spread: fromTerms(variance, squares) };
  }

  variances() {
    const { right, shares, own } = this;
    const totals = new Float64Array(right.length);
    this.roots.forEach((root, n) => {
      totals[root] = this.totals[n];
    });
    const found = new Float64Array(this.values.length);
    for (let node = 0, leaf = 0; node < right.length; node++) {
      if (right[node] === 0) {
        found[leaf++] = totals[node];
        continue;
      }
      const share = shares[node];
      totals[node + 1] = share * share * totals[node] + own[node];
      totals[right[node]] = (1 - share) * (1 - share) * totals[node] + own[node];
    }
    return found;
  }

  /** @param {() => Float64Array} weightsOf */
  moments(weightsOf) {
    const weights = weightsOf();
    const { right, shares, own, weight } = this;
    let variance = 0;
    let squares = 0;
    let leaf = weights.length;
    for (let node = right.length - 1; node >= 0; node--) {
      if (right[node] === 0) {
        weight[node] = weights[--leaf];
        continue;
      }
      const low = weight[node + 1];
      const high = weight[right[node]];
      if (low === high) {
        weight[node] = shares[node] * low + (1 - shares[node]) * high;
        continue;
      }
      weight[node] = shares[node] * low + (1 - shares[node]) * high;
      const term = (low - high) * (low - high) * own[node];
      variance += term;
      squares += term * term;
    }
    for (let n = 0; n < this.roots.length; n++) {
      const term = weight[this.roots[n]] ** 2 * this.totals[n];
      variance += term;
      squares += term * term;
    }
    return fromTerms(variance, squares);
  }

  /** @param {() => Float64Array} weights */
  spread(weights) {
    return this.moments(weights);
  }
}
