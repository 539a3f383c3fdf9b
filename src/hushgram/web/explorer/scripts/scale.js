/**
 * From values to places between the colours of a map.
 *
 * @typedef {import("./tiles.js").Tiles} Tiles
 * @typedef {{low: number, high: number, isChange: boolean, share: (value: number) => number}} Scale
 */

/** The share of changes that the darkest colour is for at most. */
const QUANTILE = 0.998;

/**
 * Roots of rows, so that few are seen beside many.
 * @param {number[][]} all
 * @param {boolean} isSum
 * @param {boolean} isChange
 * @returns {Scale}
 */
export function scaleOf(all, isSum, isChange) {
  let [low, high] = [Infinity, -Infinity];
  for (const values of all) {
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
  }
  if (!(high >= low)) [low, high] = [0, 1];
  if (isChange) {
    const most = Math.max(Math.abs(low), Math.abs(high), 1e-300);
    const share = (/** @type {number} */ value) => 0.5 + 0.5 * Math.sign(value) * Math.sqrt(Math.min(Math.abs(value) / most, 1));
    return { low: -most, high: most, isChange, share };
  }
  if (isSum && low > -high) {
    const most = Math.max(high, 1e-300);
    return { low: 0, high: most, isChange, share: (value) => Math.sqrt(Math.min(Math.max(value, 0) / most, 1)) };
  }
  return { low, high, isChange, share: (value) => (value - low) / Math.max(high - low, 1e-300) };
}

/**
 * The change that nearly all others are below.
 * @param {Tiles} before
 * @param {Tiles} after
 */
export function topChange(before, after) {
  const isAlike = before.density.length === after.density.length && before.x0.every((x, n) => x === after.x0[n] && before.y0[n] === after.y0[n]);
  if (!isAlike) return Math.max(before.top, after.top);
  const changes = after.density.map((each, n) => Math.abs(each - before.density[n])).sort();
  return Math.max(changes[Math.floor(QUANTILE * (changes.length - 1))], 1e-300);
}
