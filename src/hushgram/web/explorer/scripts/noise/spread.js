/**
 * How the noise of a weighted sum spreads, from its terms or from powers of its weights.
 *
 * @typedef {import("../noise.js").Spread} Spread
 * @typedef {{squares: number, fourths: number, largest: number, whole: boolean}} Powers
 */

/** How far from 0 or 1 a computed weight may be and still be meant so. */
export const ROUNDING = 1e-9;

/**
 * From the sum of the variances of independent errors, and of their squares.
 * @param {number} variance
 * @param {number} squares
 * @returns {Spread}
 */
export function fromTerms(variance, squares) {
  const kurtosis = variance ? (3 * squares) / variance / variance : 0;
  return { variance, kurtosis, largest: 0, whole: false };
}

/**
 * From sums of powers of the weights of noise that is all alike.
 * @param {number} variance of one of them
 * @param {number} squares
 * @param {number} fourths
 * @param {number} largest
 * @param {boolean} whole
 * @returns {Spread}
 */
export function alike(variance, squares, fourths, largest, whole) {
  const kurtosis = Math.min((3 * fourths) / Math.max(squares, 1e-100) ** 2, 3);
  return { variance: squares * variance, kurtosis, largest, whole };
}

/**
 * @param {Float64Array} weights
 * @param {number} rounding how far from 0 or 1 a weight may be and still be meant so
 * @returns {Powers}
 */
export function powersOf(weights, rounding) {
  let squares = 0;
  let fourths = 0;
  let largest = 0;
  let whole = true;
  for (let n = 0; n < weights.length; n++) {
    const weight = Math.abs(weights[n]);
    const square = weight * weight;
    squares += square;
    fourths += square * square;
    if (weight > largest) largest = weight;
    if (Math.min(weight, Math.abs(weight - 1)) > rounding) whole = false;
  }
  return { squares, fourths, largest, whole };
}

/**
 * Powers of all products of shares.
 * @param {Float64Array[]} shares
 * @param {number} rounding
 */
export function powersOfProduct(shares, rounding) {
  const found = { squares: 1, fourths: 1, largest: 1, whole: true };
  for (const share of shares) {
    const powers = powersOf(share, rounding);
    found.squares *= powers.squares;
    found.fourths *= powers.fourths;
    found.largest *= powers.largest;
    found.whole = found.whole && powers.whole;
  }
  return found;
}
