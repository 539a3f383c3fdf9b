/**
 * Evidence of a view.
 *
 * @typedef {import("../layout.js").Box} Box
 * @typedef {import("../unevenness.js").Uneven} Uneven
 */
import { boxWeights, interpolate, readLayout } from "../layout.js";

/** The parts of a view: sums of those of what it views. */
export class ViewUnevenness {
  /**
   * @param {any} described
   * @param {any} noise that of the view
   * @param {import("../unevenness.js").Unevenness} below that of what it views
   */
  constructor(described, noise, below) {
    this.layout = readLayout(described.layout);
    this.located = described.located;
    this.noise = noise;
    this.below = below;
  }

  /**
   * @param {Box} box
   * @returns {Uneven}
   */
  ofBox(box) {
    if (!this.located) return this.ofWeights(boxWeights(this.layout, box));
    let { starts, stops } = box;
    for (const { sides } of this.located) {
      /** @param {any} side @param {number[]} ends @param {boolean} isStart */
      const locate = ({ place, cuts, edges }, ends, isStart) => {
        if (place === null) return isStart ? edges[0] : edges[edges.length - 1];
        return interpolate(ends[place], cuts, edges);
      };
      [starts, stops] = [
        sides.map((/** @type {any} */ side) => locate(side, starts, true)),
        sides.map((/** @type {any} */ side) => locate(side, stops, false)),
      ];
    }
    return this.below.ofBox({ starts, stops });
  }

  /** @param {Float64Array} weights */
  ofWeights(weights) {
    return this.below.ofWeights(this.noise.spreadOut(weights));
  }
}
