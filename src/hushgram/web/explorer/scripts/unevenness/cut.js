/**
 * What a question cuts.
 *
 * @typedef {import("../layout.js").Box} Box
 */

/** How much of a part makes all of it. */
export const WHOLE = 1 - 1e-12;
const WIDE = 8;

/** Sums over the parts that one side of a question cuts; see `cut_walk.py`. */
class Side {
  squares = 0;
  rows = 0;
  roots = 0;
  plain = 0;
  fourths = 0;
  parts = 0;
}

/** What a question cuts, while parts are gone through. */
export class Cut {
  /** @param {Box} box */
  constructor(box) {
    this.box = box;
    this.axes = box.starts.length;
    this.sides = box.starts.map(() => [new Side(), new Side()]);
    this.shares = new Float64Array(this.axes);
    this.lower = new Float64Array(this.axes);
    this.upper = new Float64Array(this.axes);
    this.inside = 0;
    this.outside = 0;
    this.noise = 0;
    this.any = false;
  }

  /**
   * A part that is cut, whose bounds and shares are set.
   * @param {number} rows
   * @param {number} noise
   */
  add(rows, noise) {
    const { axes, shares, box } = this;
    const squares = rows * rows - noise;
    let before = 1;
    let weight = 1;
    for (let axis = 0; axis < axes; axis++) {
      const share = shares[axis];
      weight *= share;
      if (share < WHOLE) {
        let after = 1;
        for (let other = axis + 1; other < axes; other++) after *= shares[other];
        const [low, high] = [this.lower[axis], this.upper[axis]];
        const fromBelow = low < box.starts[axis];
        const cut = fromBelow ? box.starts[axis] : box.stops[axis];
        const onEdge = high - cut < 1 && high - low >= WIDE;
        const even = before * (onEdge ? 0.25 : share - share * share) * after;
        const side = this.sides[axis][fromBelow ? 0 : 1];
        side.squares += even * squares;
        side.rows += even * rows;
        side.roots += Math.sqrt(even) * rows;
        side.plain += even * rows * rows;
        side.fourths += (even * Math.max(squares, 0)) ** 2;
        side.parts += 1;
        this.any = true;
      }
      before *= share * share;
    }
    this.inside += weight * Math.max(rows, 0);
    this.outside += (1 - weight) * Math.max(rows, 0);
    this.noise += Math.max(weight, 1 - weight) ** 2 * noise;
  }
}
