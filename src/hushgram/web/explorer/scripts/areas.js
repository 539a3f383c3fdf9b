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
 * @typedef {import("./regions.js").Sides} Sides
 */
import { Blocks } from "./blocks.js";
import { clip } from "./clipping.js";
import { countBelow, countUpTo } from "./layout.js";
import { Rings } from "./regions.js";

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
  /** @type {Sides} */
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

  /** @param {number[]} node @returns {Sides} */
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
  /** @param {number[]} node @returns {Sides} */
  bounds([level, n]) {
    const { lower, upper } = this.levels[level];
    return [lower[0][n], lower[1][n], upper[0][n], upper[1][n]];
  }
}

/** @typedef {GridPlane | BoxPlane} PlaneBoxes */

/**
 * The share of each box that rings cover.
 * @param {PlaneBoxes} plane
 * @param {import("./regions.js").Placed[]} rings
 */
export function coverBoxes(plane, rings) {
  const found = new Float64Array(plane.size);
  const waiting = plane.roots().map((/** @type {any} */ node) => ({ node, left: new Rings(rings) }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node } = next;
    const sides = plane.bounds(node);
    const left = next.left.within(sides);
    const below = left.rings.length ? plane.below(node) : [];
    for (const each of below) waiting.push({ node: each, left });
    if (below.length) continue;
    const share = left.coverOf(sides);
    if (share) plane.forEach(node, (box) => (found[box] = share));
  }
  return found;
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
  /** @type {Sides} */
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
 * Whether a ring encloses some places and leaves out all others: it has an area, its edges do not cross, and
 * where they touch, it goes around nothing twice or in both directions.
 * @param {Ring} ring
 */
export function isClear(ring) {
  const area = enclosed(ring);
  return area > 0 && !edgesCross(ring) && Math.abs(oddArea(ring) - area) <= CLOSE * area;
}

/** Areas of the same places, found in two ways, differ by rounding only. */
const CLOSE = 1e-9;

/** @param {Ring} ring */
function edgesCross({ xs, ys }) {
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
 * Twice the area that a ring encloses. What it goes around twice counts twice, and what it goes around in the
 * other direction is taken off.
 * @param {Ring} ring
 */
export function enclosed({ xs, ys }) {
  return Math.abs(xs.reduce((sum, x, n) => sum + x * ys[(n + 1) % xs.length] - xs[(n + 1) % xs.length] * ys[n], 0));
}

/**
 * Twice the area of the places that are left by crossing the ring an odd number of times. The edges must not
 * cross: then they have one order between two heights at which corners lie.
 * @param {Ring} ring
 */
function oddArea({ xs, ys }) {
  const heights = [...new Set(ys)].sort((a, b) => a - b);
  let sum = 0;
  for (let n = 1; n < heights.length; n++) {
    const [low, high] = [heights[n - 1], heights[n]];
    const middle = (low + high) / 2;
    const places = [];
    for (let a = 0; a < xs.length; a++) {
      const b = (a + 1) % xs.length;
      if (Math.min(ys[a], ys[b]) > low || Math.max(ys[a], ys[b]) < high) continue;
      places.push(xs[a] + ((middle - ys[a]) / (ys[b] - ys[a])) * (xs[b] - xs[a]));
    }
    places.sort((a, b) => a - b);
    for (let k = 1; k < places.length; k += 2) sum += 2 * (high - low) * (places[k] - places[k - 1]);
  }
  return sum;
}
