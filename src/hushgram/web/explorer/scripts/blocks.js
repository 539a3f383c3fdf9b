/**
 * Boxes of any size in runs, with a box around each run: whatever is far from a question is passed by
 * quickly. Boxes that follow each other should lie near each other, as those of a tree do.
 *
 * @typedef {import("./packing.js").Numbers} Numbers
 */

const FANOUT = 16;

export class Blocks {
  /**
   * @param {Numbers[]} lower one array for each axis
   * @param {Numbers[]} upper
   */
  constructor(lower, upper) {
    this.size = lower[0].length;
    /** @type {{lower: Numbers[], upper: Numbers[]}[]} */
    this.levels = [{ lower, upper }];
    for (let length = this.size; length > FANOUT; ) {
      const under = this.levels[this.levels.length - 1];
      length = Math.ceil(length / FANOUT);
      const many = length;
      const each = (/** @type {Numbers[]} */ sides, /** @type {(...all: number[]) => number} */ pick) => sides.map((side) =>
        Float64Array.from({ length: many }, (_, n) => pick(...side.subarray(n * FANOUT, (n + 1) * FANOUT))));
      this.levels.push({ lower: each(under.lower, Math.min), upper: each(under.upper, Math.max) });
    }
  }

  /** The boxes at the top, by their level and number. @returns {[number, number][]} */
  roots() {
    const top = this.levels.length - 1;
    return Array.from(this.levels[top].lower[0], (_, n) => [top, n]);
  }

  /**
   * @param {[number, number]} node
   * @returns {[number, number][]}
   */
  below([level, n]) {
    if (!level) return [];
    const last = Math.min((n + 1) * FANOUT, this.levels[level - 1].lower[0].length);
    return Array.from({ length: last - n * FANOUT }, (_, k) => [level - 1, n * FANOUT + k]);
  }

  /**
   * @param {[number, number]} node
   * @param {(box: number) => void} act
   */
  forEach([level, n], act) {
    const run = FANOUT ** level;
    for (let box = n * run; box < Math.min((n + 1) * run, this.size); box++) act(box);
  }

  /**
   * All boxes that a question may cut, in order.
   * @param {import("./layout.js").Box} box
   * @param {(part: number) => void} act
   */
  forEachCut(box, act) {
    const top = this.levels.length - 1;
    for (let n = 0; n < this.levels[top].lower[0].length; n++) this.walk(top, n, box, act);
  }

  /**
   * @param {number} level
   * @param {number} n
   * @param {import("./layout.js").Box} box
   * @param {(part: number) => void} act
   */
  walk(level, n, { starts, stops }, act) {
    const { lower, upper } = this.levels[level];
    let inside = true;
    for (let axis = 0; axis < starts.length; axis++) {
      const [low, high] = [lower[axis][n], upper[axis][n]];
      if (high <= starts[axis] || low >= stops[axis]) return;
      if (low < starts[axis] || high > stops[axis]) inside = false;
    }
    if (inside) return;
    if (!level) {
      act(n);
      return;
    }
    const last = Math.min((n + 1) * FANOUT, this.levels[level - 1].lower[0].length);
    for (let child = n * FANOUT; child < last; child++) this.walk(level - 1, child, { starts, stops }, act);
  }
}
