/**
 * Sums and means of measured columns: `hushgram.answers.tables.magnitudes` again.
 *
 * @typedef {import("./layout.js").Question} Question
 * @typedef {import("./widths.js").Confidence} Confidence
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
    /** @type {{low: number, high: number, step: number, centre: number, reach: number, blur: number}} */
    this.amount = described.amount;
    this.counts = counts;
    this.added = new Parts(described, quantiles, counts.sizes);
  }

  /**
   * What is known of the rows in a range: how many, and how far they are above the centre in steps.
   * @param {Question} question
   * @param {Confidence} confidence
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
   * @param {Question} question
   * @param {Confidence} confidence
   * @returns {Between}
   */
  sum(question, confidence) {
    const { count, countWidth, above, aboveWidth } = this.rows(question, confidence);
    const { step, centre, blur } = this.amount;
    const value = step * (above + centre * count);
    const width = step * Math.hypot(aboveWidth, centre * countWidth) + blur * Math.max(count + countWidth, 0);
    return { value, low: value - width, high: value + width };
  }

  /**
   * The mean of the column; null where there are too few rows to say.
   * @param {Question} question
   * @param {Confidence} confidence
   * @returns {Between | null}
   */
  mean(question, confidence) {
    const { count, countWidth, above, aboveWidth } = this.rows(question, confidence);
    if (!(count > countWidth)) return null;
    const { low, high, step, centre, blur } = this.amount;
    const inside = (/** @type {number} */ value) => Math.min(Math.max(value, step * low), step * high);
    const ends = fieller(above, aboveWidth, count, countWidth).map((end) => step * (centre + end));
    return {
      value: inside(step * (centre + above / count)),
      low: inside(ends[0] - blur),
      high: inside(ends[1] + blur),
    };
  }
}

/**
 * The ends of all ratios r with |above - r count| ≤ √(width² + r² countWidth²). Up to twice its width,
 * the count is taken to be anything from 0 on, and only one end is known, or none.
 * @param {number} above
 * @param {number} width
 * @param {number} count
 * @param {number} countWidth
 */
function fieller(above, width, count, countWidth) {
  const square = count ** 2 - countWidth ** 2;
  const root = Math.sqrt(Math.max((above * count) ** 2 - square * (above ** 2 - width ** 2), 0));
  if (count < 2 * countWidth) {
    const most = count + countWidth;
    return [
      above > width ? (above - width) / most : -Infinity,
      above < -width ? (above + width) / most : Infinity,
    ];
  }
  return [(above * count - root) / square, (above * count + root) / square];
}
