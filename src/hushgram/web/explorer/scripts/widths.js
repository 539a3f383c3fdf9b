/**
 * Half the widths of intervals: for the noise, for rows that lie unevenly, and for the truth.
 *
 * @typedef {{level: number, quantiles: number[], both: number, one: number}} Confidence
 * @typedef {import("./noise.js").Spread} Spread
 * @typedef {import("./unevenness.js").Uneven} Uneven
 */
import { interpolate } from "./layout.js";

const MARGIN = 1.1;
const TINY = 1e-9;

/** How many times as wide as for the noise alone an interval is when the rest has the larger part. */
export const DOMINANT = MARGIN * Math.SQRT2;

/** Quantiles of sums of Laplace noise, between one term and many. */
export class Quantiles {
  /** @param {number[]} terms numbers of equal terms for which quantiles are tabulated */
  constructor(terms) {
    this.most = terms[terms.length - 1];
    this.logs = terms.map((term) => Math.log(term));
  }

  /**
   * Half of the interval that holds the noise.
   * @param {Spread} spread
   * @param {Confidence} confidence
   */
  halfWidth(spread, confidence) {
    const { variance, kurtosis, largest, whole } = spread;
    const terms = 3 / Math.max(kurtosis, 3 / this.most);
    const factor = interpolate(Math.log(terms), this.logs, confidence.quantiles);
    const width = factor * Math.sqrt(variance);
    if (terms < 1 + 1e-9 && largest > 0) {
      return largest * oneCell(variance / largest ** 2, confidence.level);
    }
    return whole ? Math.max(Math.ceil(width - 0.5), 0) : width + largest / 2;
  }

  /**
   * The same where nothing but the variance is known.
   * @param {number} variance
   * @param {Confidence} confidence
   */
  widest(variance, confidence) {
    return Math.max(...confidence.quantiles) * Math.sqrt(Math.max(variance, 0));
  }
}

/**
 * The smallest whole number that one cell's noise exceeds rarely enough.
 * @param {number} variance
 * @param {number} level
 */
function oneCell(variance, level) {
  const bounded = Math.min(Math.max(variance, 1e-300), 1e300);
  const rate = 2 * Math.asinh(1 / Math.sqrt(2 * bounded));
  const allowed = Math.log((1 - level) / 2) + Math.log1p(Math.exp(-rate));
  return Math.max(Math.ceil(-allowed / rate) - 1, 0);
}

/**
 * Half of an interval for what uneven rows can do to a count of this value.
 * @param {Uneven} uneven
 * @param {Confidence} confidence
 * @param {number} value
 */
export function unevenWidth(uneven, confidence, value = Infinity) {
  const variance = Math.max(uneven.variance, 0);
  const deviation = Math.sqrt(variance);
  const sought = Math.min(variance / (2 * Math.max(Math.abs(value), TINY)), uneven.most);
  const shifted = Math.abs(uneven.seen) + sought + confidence.one * deviation;
  const width = Math.max(confidence.both * deviation, shifted);
  const most = Number.isFinite(uneven.most) ? Math.max(uneven.most, 0) : Infinity;
  const surest = Number.isFinite(most) ? most : width;
  return Math.min(width + uneven.alone * (surest - width), most);
}

/**
 * Both together, like the sides of a right-angled triangle.
 * @param {number} noise
 * @param {number} uneven
 */
export function truthWidth(noise, uneven) {
  return MARGIN * Math.hypot(noise, uneven);
}
