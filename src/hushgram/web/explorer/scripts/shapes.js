/**
 * Areas of a map: their outlines, and where they lie.
 *
 * @typedef {import("./areas.js").Outline} Outline
 * @typedef {import("./areas.js").Ring} Ring
 */
import { enclosed } from "./areas.js";

const RADIANS = Math.PI / 180;

export class Shapes {
  /**
   * @param {any} described
   * @param {string[]} names
   */
  constructor(described, names) {
    const { axes, low, step, lengths, owners, signs, xs, ys } = described;
    this.names = names;
    /** @type {[string, string]} */
    this.axes = axes;
    /** @type {string | null} */
    this.file = described.file ?? null;
    /** @type {string | null} */
    this.nameColumn = described.nameColumn ?? null;
    /** @type {boolean} */
    this.degrees = described.degrees;
    /** @type {[number, number][] | null} */
    this.ends = described.ends ?? null;
    /** @type {Outline[]} */
    this.outlines = names.map((name) => ({ axes, rings: [], name, file: this.file }));
    let place = 0;
    lengths.forEach((/** @type {number} */ length, /** @type {number} */ ring) => {
      const take = (/** @type {import("./packing.js").Numbers} */ all, /** @type {number} */ side) =>
        Array.from(all.subarray(place, place + length), (value) => low[side] + value * step[side]);
      this.outlines[owners[ring]].rings.push({ xs: take(xs, 0), ys: take(ys, 1), sign: signs[ring] });
      place += length;
    });
    this.boxes = this.outlines.map(({ rings }) => boxAround(rings));
    this.sizes = this.outlines.map((_, n) => this.sizeOf(n));
  }

  /**
   * The size of an area: in degrees, its middle tells how wide a degree is.
   * @param {number} n
   */
  sizeOf(n) {
    const { y } = this.boxes[n];
    const shrink = this.degrees ? Math.cos(((y[0] + y[1]) / 2) * RADIANS) : 1;
    return this.outlines[n].rings.reduce((sum, ring) => sum + ring.sign * enclosed(ring), 0) * 0.5 * shrink;
  }

  /**
   * The area at a place; -1 if there is none.
   * @param {number} x
   * @param {number} y
   */
  at(x, y) {
    return this.outlines.findIndex(({ rings }, n) => {
      const box = this.boxes[n];
      return x >= box.x[0] && x <= box.x[1] && y >= box.y[0] && y <= box.y[1] && isInside(rings, x, y);
    });
  }

  /** @param {string} name */
  find(name) {
    return this.outlines[this.names.indexOf(name)] ?? null;
  }
}

/** @param {Ring[]} rings */
export function boxAround(rings) {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { xs, ys } of rings) {
    for (let n = 0; n < xs.length; n++) {
      [left, right] = [Math.min(left, xs[n]), Math.max(right, xs[n])];
      [low, high] = [Math.min(low, ys[n]), Math.max(high, ys[n])];
    }
  }
  return { x: /** @type {[number, number]} */ ([left, right]), y: /** @type {[number, number]} */ ([low, high]) };
}

/**
 * @param {Ring[]} rings
 * @param {number} x
 * @param {number} y
 */
function isInside(rings, x, y) {
  let inside = false;
  for (const { xs, ys } of rings) {
    for (let n = 0, last = xs.length - 1; n < xs.length; last = n++) {
      if (ys[n] > y !== ys[last] > y && x < ((xs[last] - xs[n]) * (y - ys[n])) / (ys[last] - ys[n]) + xs[n]) inside = !inside;
    }
  }
  return inside;
}
