/**
 * What a question takes of boxes: a box, or rings on two axes. Whoever goes down a tree of boxes enters
 * the region at each node: all of the node lies outside of it, or inside, or it is cut.
 *
 * @typedef {import("./layout.js").Box} Box
 * @typedef {import("./borders.js").Bounds} Bounds
 * @typedef {[number, number, number, number]} Sides left, low, right, high
 * @typedef {{points: number[], sign: number}} Placed a ring as x, y, x, y, … in units of indices; -1 for a hole
 * @typedef {{enter: (bounds: Bounds, node: number) => 0 | 1 | Region, share: (bounds: Bounds, node: number) => number}} Region
 *   with the region that is left in a node which is cut, and the share of a part that it takes
 */
import { clip, coveredShare, onBorder } from "./clipping.js";

export const OUTSIDE = 0;
export const INSIDE = 1;
const ROUNDING = 1e-12;

/** A range of each axis. */
export class BoxRegion {
  /** @param {Box} box */
  constructor(box) {
    this.box = box;
  }

  /**
   * @param {Bounds} bounds
   * @param {number} node
   * @returns {0 | 1 | Region}
   */
  enter({ lower, upper }, node) {
    const { starts, stops } = this.box;
    let inside = true;
    for (let axis = 0; axis < starts.length; axis++) {
      const [low, high] = [lower[axis][node], upper[axis][node]];
      if (high <= starts[axis] || low >= stops[axis]) return OUTSIDE;
      if (low < starts[axis] || high > stops[axis]) inside = false;
    }
    return inside ? INSIDE : this;
  }

  /**
   * @param {Bounds} bounds
   * @param {number} node
   */
  share({ lower, upper }, node) {
    const { starts, stops } = this.box;
    let found = 1;
    for (let axis = 0; axis < starts.length; axis++) {
      const [low, high] = [lower[axis][node], upper[axis][node]];
      const inside = Math.min(high, stops[axis]) - Math.max(low, starts[axis]);
      found *= Math.min(Math.max(inside / (high - low), 0), 1);
    }
    return found;
  }
}

/** Rings as far as they lie in some box. */
export class Rings {
  /**
   * @param {Placed[]} rings whose border passes through the box
   * @param {number} [around] how often other rings hold all of it, less how often holes do
   */
  constructor(rings, around = 0) {
    this.rings = rings;
    this.around = around;
  }

  /**
   * What is left of them in a box inside.
   * @param {Sides} sides
   */
  within(sides) {
    let { around } = this;
    /** @type {Placed[]} */
    const rings = [];
    for (const { points, sign } of this.rings) {
      const left = clip(points, sides);
      if (left.length < 6) continue;
      if (!onBorder(left, sides)) rings.push({ points: left, sign });
      else if (coveredShare(left, sides) >= 0.5) around += sign;
    }
    return new Rings(rings, around);
  }

  /**
   * The share of their box that they cover.
   * @param {Sides} sides
   */
  coverOf(sides) {
    const found = this.rings.reduce((sum, { points, sign }) => sum + sign * coveredShare(points, sides), this.around);
    return found < ROUNDING ? 0 : found > 1 - ROUNDING ? 1 : found;
  }
}

/** The inside of rings on two axes, of a release that has no others. */
export class RingRegion {
  /**
   * @param {Rings} rings
   * @param {number} across the number of the axis
   * @param {number} up
   */
  constructor(rings, across, up) {
    this.rings = rings;
    this.across = across;
    this.up = up;
  }

  /**
   * @param {Bounds} bounds
   * @param {number} node
   * @returns {0 | 1 | Region}
   */
  enter(bounds, node) {
    const left = this.rings.within(this.sidesOf(bounds, node));
    if (!left.rings.length) return left.around > 0 ? INSIDE : OUTSIDE;
    return new RingRegion(left, this.across, this.up);
  }

  /**
   * @param {Bounds} bounds
   * @param {number} node
   */
  share(bounds, node) {
    return this.rings.coverOf(this.sidesOf(bounds, node));
  }

  /**
   * @param {Bounds} bounds
   * @param {number} node
   * @returns {Sides}
   */
  sidesOf({ lower, upper }, node) {
    const { across, up } = this;
    return [lower[across][node], lower[up][node], upper[across][node], upper[up][node]];
  }
}
