/**
 * How uneven rows can be, and numbers that all kinds of evidence share.
 *
 * @typedef {import("../unevenness.js").Uneven} Uneven
 */

/** The deviation of a row that is in or out. */
export const A_ROW = 0.52;
/** Deviations of the noise that a sum surely stays within. */
export const SURE = 2;
export const ROUNDING = 1e-12;
/** No variance is smaller where one divides by it. */
export const LEAST = 1e-300;

/** @type {Uneven} */
export const NONE = { variance: 0, alone: 0, most: 0, seen: 0 };

/**
 * Both together, as far as they are independent.
 * @param {Uneven} one
 * @param {Uneven} other
 * @returns {Uneven}
 */
export function plus(one, other) {
  const variance = one.variance + other.variance;
  const squares = one.alone * one.variance ** 2 + other.alone * other.variance ** 2;
  return {
    variance,
    alone: squares / Math.max(variance ** 2, LEAST),
    most: one.most + other.most,
    seen: one.seen + other.seen,
  };
}
