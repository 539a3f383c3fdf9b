/**
 * The share of each part that an outline on two axes covers: `hushgram.answers.areas` again.
 *
 * An outline is a list of rings in the values of both axes; its share of a box is found by clipping
 * it to boxes around many parts first, and what is left to the parts inside.
 *
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./packing.js").Numbers} Numbers
 * @typedef {{xs: number[], ys: number[], sign: number}} Ring not closed; -1 for a hole
 * @typedef {{axes: [string, string], rings: Ring[], name: string | null, file: string | null}} Outline
 *   in values of two axes; it may be called by a name in a file
 * @typedef {[number, number, number, number]} Bounds left, low, right, high
 */
import { Blocks } from "./blocks.js";
import { countBelow, countUpTo } from "./layout.js";

const ROUNDING = 1e-12;

/**
 * The points of a ring, in one array: x, y, x, y, …
 * @param {Ring} ring
 */
function pointsOf({ xs, ys }) {
  return xs.flatMap((x, n) => [x, ys[n]]);
}

/**
 * The rings of an outline as far as they lie on the axes, in units of indices.
 * @param {Outline} outline
 * @param {Axis} across
 * @param {Axis} up
 */
export function placeRings(outline, across, up) {
  const axes = [across, up];
  /** @type {Bounds} */
  const ends = [across.edge(0), up.edge(0), across.edge(across.declared), up.edge(up.declared)];
  return outline.rings.flatMap((ring) => {
    let points = clip(pointsOf(ring), ends);
    axes.forEach((axis, side) => {
      if (axis.described.edges) points = bend(points, axis.described.edges, side);
    });
    if (points.length < 6) return [];
    return [{ points: points.map((value, n) => axes[n % 2].position(value)), sign: ring.sign }];
  });
}

/**
 * A ring with a point wherever it crosses an edge of bins: where bins are not alike, a straight line
 * has a bend there in units of indices.
 * @param {number[]} points
 * @param {number[]} edges
 * @param {number} side
 */
function bend(points, edges, side) {
  /** @type {number[]} */
  const found = [];
  for (let n = 0; n < points.length; n += 2) {
    const next = (n + 2) % points.length;
    const [from, to] = [points[n + side], points[next + side]];
    found.push(points[n], points[n + 1]);
    const between = edges.slice(countUpTo(edges, Math.min(from, to)), countBelow(edges, Math.max(from, to)));
    if (to < from) between.reverse();
    for (const at of between) {
      const share = (at - from) / (to - from);
      const beside = points[n + 1 - side] + share * (points[next + 1 - side] - points[n + 1 - side]);
      found.push(...(side ? [beside, at] : [at, beside]));
    }
  }
  return found;
}

/** Boxes of a grid, to be halved until each is alone. */
export class GridPlane {
  /**
   * @param {Numbers} across cuts
   * @param {Numbers} up
   */
  constructor(across, up) {
    this.across = across;
    this.up = up;
    this.height = up.length - 1;
    this.size = (across.length - 1) * this.height;
  }

  roots() {
    return this.size ? [[0, this.across.length - 1, 0, this.height]] : [];
  }

  /** @param {number[]} node @returns {Bounds} */
  bounds([left, right, low, high]) {
    return [this.across[left], this.up[low], this.across[right], this.up[high]];
  }

  /** @param {number[]} node @returns {number[][]} */
  below([left, right, low, high]) {
    if (right - left > 1 && right - left >= high - low) {
      const middle = (left + right) >> 1;
      return [[left, middle, low, high], [middle, right, low, high]];
    }
    if (high - low < 2) return [];
    const middle = (low + high) >> 1;
    return [[left, right, low, middle], [left, right, middle, high]];
  }

  /**
   * @param {number[]} node
   * @param {(box: number) => void} act
   */
  forEach([left, right, low, high], act) {
    for (let x = left; x < right; x++) for (let y = low; y < high; y++) act(x * this.height + y);
  }
}

/** Boxes of any size on two axes. */
export class BoxPlane extends Blocks {
  /** @param {number[]} node @returns {Bounds} */
  bounds([level, n]) {
    const { lower, upper } = this.levels[level];
    return [lower[0][n], lower[1][n], upper[0][n], upper[1][n]];
  }
}

/** @typedef {GridPlane | BoxPlane} PlaneBoxes */

/**
 * The share of each box that rings cover.
 * @param {PlaneBoxes} plane
 * @param {{points: number[], sign: number}[]} rings in units of indices
 */
export function coverBoxes(plane, rings) {
  const found = new Float64Array(plane.size);
  for (const { points, sign } of rings) {
    /** @type {{node: any, points: number[]}[]} */
    const waiting = plane.roots().map((node) => ({ node, points }));
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { node } = next;
      const bounds = plane.bounds(node);
      const left = clip(next.points, bounds);
      if (left.length < 6) continue;
      const settled = onBorder(left, bounds);
      let share = coveredShare(left, bounds);
      if (settled && share < 0.5) continue;
      const below = settled ? [] : plane.below(node);
      if (below.length) {
        for (const each of below) waiting.push({ node: each, points: left });
        continue;
      }
      if (settled || share > 1 - ROUNDING) share = 1;
      if (share > ROUNDING) plane.forEach(node, (box) => (found[box] += sign * share));
    }
  }
  return found.map((share) => (share < ROUNDING ? 0 : share > 1 - ROUNDING ? 1 : share));
}

/**
 * What is left of a ring inside of a box (Sutherland and Hodgman 1974). Pieces are joined along the
 * border; such joints enclose nothing.
 * @param {number[]} points
 * @param {Bounds} bounds
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
 * @param {Bounds} bounds
 */
function onBorder(points, bounds) {
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
 * @param {Bounds} bounds
 */
function coveredShare(points, [x, y, right, high]) {
  let total = 0;
  let last = points.length - 2;
  for (let n = 0; n < points.length; n += 2) {
    total += (points[last] - x) * (points[n + 1] - y);
    total -= (points[n] - x) * (points[last + 1] - y);
    last = n;
  }
  return Math.abs(total) / (2 * (right - x) * (high - y));
}

/**
 * The part of an outline between two values of one of its axes.
 * @param {Outline} outline
 * @param {number} side 0 for the axis across, 1 for the one up
 * @param {number} low
 * @param {number} high
 * @returns {Outline}
 */
export function cutOutline(outline, side, low, high) {
  /** @type {Bounds} */
  const bounds = side ? [-Infinity, low, Infinity, high] : [low, -Infinity, high, Infinity];
  const rings = outline.rings.flatMap((ring) => {
    const points = clip(pointsOf(ring), bounds);
    return points.length < 6 ? [] : [{ ...ringOf(points), sign: ring.sign }];
  });
  return { ...outline, rings };
}

/**
 * @param {number[]} points
 * @returns {Ring}
 */
export function ringOf(points) {
  const [xs, ys] = [0, 1].map((side) => points.filter((_, n) => n % 2 === side));
  return { xs, ys, sign: 1 };
}

/**
 * Whether the edges of a ring cross each other: what such a ring encloses is not clear.
 * @param {Ring} ring
 */
export function crossesItself({ xs, ys }) {
  const many = xs.length;
  const turn = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ c) =>
    Math.sign((xs[b] - xs[a]) * (ys[c] - ys[a]) - (ys[b] - ys[a]) * (xs[c] - xs[a]));
  for (let a = 0; a < many; a++) {
    for (let c = a + 2; c < many; c++) {
      const [b, d] = [a + 1, (c + 1) % many];
      if (d === a) continue;
      if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0) return true;
    }
  }
  return false;
}

/**
 * Twice the area that a ring encloses.
 * @param {Ring} ring
 */
export function enclosed({ xs, ys }) {
  return Math.abs(xs.reduce((sum, x, n) => sum + x * ys[(n + 1) % xs.length] - xs[(n + 1) % xs.length] * ys[n], 0));
}
