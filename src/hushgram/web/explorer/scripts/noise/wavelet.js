/**
 * Noise of contrasts of cells.
 *
 * @typedef {import("../packing.js").Numbers} Numbers
 */
import { ascend, descend, settle, squaresOfInverse, unsettle } from "./haar.js";
import { ROUNDING, alike, powersOf, powersOfProduct } from "./spread.js";

/** Contrasts of cells: one transform of each axis after the other. */
export class WaveletNoise {
  /**
   * @param {{measured: Numbers, variance: number, rows: string[], bins: number[],
   *   sizes: number[]}} described
   */
  constructor({ measured, variance, rows, bins, sizes }) {
    this.variance = variance;
    this.rows = rows;
    this.bins = bins;
    this.sizes = sizes;
    this.shape = rows.map((kind, axis) => sizes[axis] + (kind === "flat" ? 1 : 0));
    this.values = this.alongAxes(Float64Array.from(measured), this.shape, (line, axis) =>
      this.transform(line, axis, { haar: descend, flat: settle }, this.shape[axis] - this.others(axis)),
    );
  }

  /** @param {number} axis */
  others(axis) {
    return this.sizes[axis] - this.bins[axis];
  }

  variances() {
    let found = new Float64Array([this.variance]);
    this.rows.forEach((kind, axis) => {
      const bins = this.bins[axis];
      const factors = new Float64Array(this.sizes[axis]).fill(1);
      if (kind === "haar") factors.set(squaresOfInverse(bins));
      if (kind === "flat") factors.fill(bins / (bins + 1), 0, bins);
      const before = found;
      found = new Float64Array(before.length * factors.length);
      for (let n = 0; n < found.length; n++) {
        found[n] = before[Math.floor(n / factors.length)] * factors[n % factors.length];
      }
    });
    return found;
  }

  /**
   * A line along an axis, its first numbers transformed and "other" left alone.
   * @param {Float64Array} line
   * @param {number} axis
   * @param {Record<string, (line: Float64Array) => Float64Array>} steps
   * @param {number} end
   */
  transform(line, axis, steps, end) {
    const step = steps[this.rows[axis]];
    if (!step) return line;
    const head = step(line.slice(0, end));
    const found = new Float64Array(head.length + line.length - end);
    found.set(head);
    found.set(line.subarray(end), head.length);
    return found;
  }

  /**
   * The weights on contrasts of a line of weights on cells.
   * @param {Float64Array} line
   * @param {number} axis
   */
  pullLine(line, axis) {
    return this.transform(line, axis, { haar: ascend, flat: unsettle }, this.bins[axis]);
  }

  /**
   * What becomes of a table when each line along each axis is replaced.
   * @param {Float64Array} table
   * @param {number[]} shape
   * @param {(line: Float64Array, axis: number) => Float64Array} replace
   */
  alongAxes(table, shape, replace) {
    const sizes = [...shape];
    sizes.forEach((_, axis) => {
      const inner = sizes.slice(axis + 1).reduce((product, length) => product * length, 1);
      const outerSize = sizes.slice(0, axis).reduce((product, length) => product * length, 1);
      const length = sizes[axis];
      const line = new Float64Array(length);
      /** @type {Float64Array | null} */
      let found = null;
      for (let a = 0; a < outerSize; a++) {
        for (let b = 0; b < inner; b++) {
          for (let n = 0; n < length; n++) line[n] = table[(a * length + n) * inner + b];
          const made = replace(line, axis);
          found ??= new Float64Array(outerSize * made.length * inner);
          for (let n = 0; n < made.length; n++) found[(a * made.length + n) * inner + b] = made[n];
          sizes[axis] = made.length;
        }
      }
      table = found ?? table;
    });
    return table;
  }

  /**
   * @param {() => Float64Array} weights
   * @param {Float64Array[] | null} shares
   */
  spread(weights, shares) {
    const powers = shares
      ? powersOfProduct(shares.map((share, axis) => this.pullLine(share, axis)), ROUNDING)
      : powersOf(this.alongAxes(weights(), this.sizes, (line, axis) => this.pullLine(line, axis)), ROUNDING);
    return alike(this.variance, powers.squares, powers.fourths, powers.largest, powers.whole);
  }

  /**
   * @param {() => Float64Array} weights
   * @param {Float64Array[] | null} shares
   */
  moments(weights, shares) {
    return { ...this.spread(weights, shares), largest: 0, whole: false };
  }
}
