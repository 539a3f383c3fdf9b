/**
 * Sums and means of measured columns: `hushgram.answers.tables.magnitudes` again.
 *
 * @typedef {import("./layout.js").Question} Question
 * @typedef {import("./widths.js").Confidence} Confidence
 * @typedef {{count: number, countWidth: number, above: number, aboveWidth: number}} Rows how many, and how
 *   far they are above the centre in steps, all together; with half the widths of their intervals
 * @typedef {{value: number, low: number, high: number}} Between a number and the ends of its interval
 */
import { Parts } from "./counts.js";
import { dot } from "./layout.js";
import { truthWidth } from "./widths.js";

/** What was measured of a column. */
export class Measure {
  /**
   * @param {any} described
   * @param {import("./counts.js").Counts} counts
   * @param {import("./widths.js").Quantiles} quantiles
   */
  constructor(described, counts, quantiles) {
    /** @type {string} */
    this.name = described.name;
    /** "sum", "mean" or "weighted-count". @type {string} */
    this.kind = described.kind;
    /** @type {{low: number, high: number, least: number, most: number, step: number, centre: number, reach: number, blur: number}} */
    this.amount = described.amount;
    this.counts = counts;
    this.added = new Parts(described, quantiles, counts.sizes);
  }

  /**
   * What is known of the rows in a range.
   * @param {Question} question
   * @param {Confidence} confidence
   * @returns {Rows}
   */
  rows(question, confidence) {
    const { counts, amount } = this;
    const { value: count, noise, weights } = counts.find(question, confidence);
    const uneven = counts.unevenWidth(question, weights, confidence, count);
    const { value: above, noise: own } = this.added.find(question, confidence);
    const cut = weights().map((share) => share * (1 - share));
    const mixed = (amount.high - amount.low) * this.rowsMixed(cut) + amount.reach * uneven;
    return { count, countWidth: truthWidth(noise, uneven), above, aboveWidth: truthWidth(own, mixed) };
  }

  /**
   * The same of shares of the parts, of any size each.
   * @param {Float64Array} weights
   * @param {Confidence} confidence
   * @returns {Rows}
   */
  rowsInside(weights, confidence) {
    const { counts, amount } = this;
    const { value: count, noise } = counts.findWeights(weights, confidence);
    const uneven = counts.unevenShares(weights, confidence, count);
    const { value: above, noise: own } = this.added.findWeights(weights, confidence);
    const cut = weights.map((share) => share - share * share);
    const mixed = (amount.high - amount.low) * this.rowsMixed(cut) + amount.reach * uneven;
    return { count, countWidth: truthWidth(noise, uneven), above, aboveWidth: truthWidth(own, mixed) };
  }

  /**
   * A weighted sum of counts, and as much more as its noise can hide.
   * @param {Float64Array} weights
   */
  rowsMixed(weights) {
    if (weights.every((weight) => weight === 0)) return 0;
    const { variance } = this.counts.noise.moments(() => weights, null);
    return Math.max(dot(this.counts.values, weights), 0) + 2 * Math.sqrt(variance);
  }

  /**
   * What the column adds up to.
   * @param {Rows} rows
   * @returns {Between}
   */
  sum({ count, countWidth, above, aboveWidth }) {
    const { step, centre, blur } = this.amount;
    const value = step * (above + centre * count);
    const width = step * Math.hypot(aboveWidth, centre * countWidth) + blur * Math.max(count + countWidth, 0);
    return { value, low: value - width, high: value + width };
  }

  /**
   * The mean of the column; null where there are too few rows to say.
   * @param {Rows} rows
   * @returns {Between | null}
   */
  mean({ count, countWidth, above, aboveWidth }) {
    if (!(count > countWidth)) return null;
    const { least, most, step, centre, blur } = this.amount;
    const inside = (/** @type {number} */ value) => Math.min(Math.max(value, least), most);
    const ends = fieller(above, aboveWidth, count, countWidth).map((end) => step * (centre + end));
    return {
      value: inside(step * (centre + above / count)),
      low: inside(ends[0] - blur),
      high: inside(ends[1] + blur),
    };
  }
}

/**
 * The ends of all ratios r with |above - r count| ≤ √(width² + r² countWidth²). Few rows may be many
 * only by noise: up to twice the width, the count can be anything from 0 on.
 * @param {number} above
 * @param {number} width
 * @param {number} count
 * @param {number} countWidth
 */
function fieller(above, width, count, countWidth) {
  if (count < 2 * countWidth) {
    const most = count + countWidth;
    return [above > width ? (above - width) / most : -Infinity, above < -width ? (above + width) / most : Infinity];
  }
  const square = count ** 2 - countWidth ** 2;
  const root = Math.sqrt(Math.max((above * count) ** 2 - square * (above ** 2 - width ** 2), 0));
  return [(above * count - root) / square, (above * count + root) / square];
}
