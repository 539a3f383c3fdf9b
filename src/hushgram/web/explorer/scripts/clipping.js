/**
 * Rings, clipped to boxes.
 *
 * @typedef {import("./regions.js").Sides} Sides
 */

/**
 * What is left of a ring inside of a box (Sutherland and Hodgman 1974). Pieces are joined along the
 * border; such joints enclose nothing.
 * @param {number[]} points
 * @param {Sides} bounds
 */
export function clip(points, bounds) {
  let found = points;
  for (let axis = 0; axis < 2; axis++) {
    let [low, high] = [Infinity, -Infinity];
    for (let n = axis; n < found.length; n += 2) {
      if (found[n] < low) low = found[n];
      if (found[n] > high) high = found[n];
    }
    if (high <= bounds[axis] || low >= bounds[axis + 2]) return [];
    if (low < bounds[axis]) found = clipSide(found, axis, bounds[axis], 1);
    if (high > bounds[axis + 2]) found = clipSide(found, axis, bounds[axis + 2], -1);
  }
  return found;
}

/**
 * @param {number[]} points
 * @param {number} axis
 * @param {number} limit
 * @param {number} towards 1 to keep what is above, -1 for what is below
 */
function clipSide(points, axis, limit, towards) {
  /** @type {number[]} */
  const found = [];
  const add = (/** @type {number} */ here, /** @type {number} */ beside) => {
    const end = found.length;
    // Of three points in a row on the line, the middle one is left out.
    if (here === limit && end >= 4 && found[end - 2 + axis] === limit && found[end - 4 + axis] === limit) found.length = end - 2;
    if (axis) found.push(beside, here);
    else found.push(here, beside);
  };
  let last = points.length - 2;
  for (let n = 0; n < points.length; n += 2) {
    const [before, beside] = [points[last + axis], points[last + 1 - axis]];
    const [here, at] = [points[n + axis], points[n + 1 - axis]];
    const isIn = towards * (here - limit) >= 0;
    if (towards * (before - limit) >= 0 !== isIn) add(limit, beside + ((limit - before) / (here - before)) * (at - beside));
    if (isIn) add(here, at);
    last = n;
  }
  return found;
}

/**
 * Whether all edges of a ring lie on the border of a box.
 * @param {number[]} points
 * @param {Sides} bounds
 */
export function onBorder(points, bounds) {
  let last = points.length - 2;
  for (let n = 0; n < points.length; n += 2) {
    let along = false;
    for (let side = 0; side < 4; side++) {
      along ||= points[n + (side % 2)] === bounds[side] && points[last + (side % 2)] === bounds[side];
    }
    if (!along) return false;
    last = n;
  }
  return true;
}

/**
 * The share of a box that a ring inside of it encloses.
 * @param {number[]} points
 * @param {Sides} bounds
 */
export function coveredShare(points, [x, y, right, high]) {
  let total = 0;
  let last = points.length - 2;
  for (let n = 0; n < points.length; n += 2) {
    total += (points[last] - x) * (points[n + 1] - y);
    total -= (points[n] - x) * (points[last + 1] - y);
    last = n;
  }
  return Math.abs(total) / (2 * (right - x) * (high - y));
}
