/**
 * Noise of sorted rows.
 *
 * @typedef {import("../packing.js").Numbers} Numbers
 */
import { fromTerms } from "./spread.js";

/**
 * Cells with a count each; in some of them the rows were sorted, and published as positions of
 * groups. Where a block of groups moves, rows pass the cuts around it.
 */
export class ListNoise {
  /** @param {any} described */
  constructor(described) {
    this.described = described;
    /** @type {Numbers} */
    this.values = described.values;
  }

  /** @returns {Numbers} */
  variances() {
    return this.described.partVariances;
  }

  /** @param {() => Float64Array} weightsOf */
  moments(weightsOf) {
    const weights = weightsOf();
    const d = this.described;
    const [countVariance, sumVariance] = d.variances;
    let variance = 0;
    let squares = 0;
    /** @param {number} term @param {number} times */
    const add = (term, times = 1) => {
      variance += times * term;
      squares += times * term * term;
    };
    let list = 0;
    let [part, cut, block] = [0, 0, 0];
    for (let cell = 0; cell < d.offsets.length - 1; cell++) {
      const isListed = d.zoomed[list] === cell;
      const [start, stop] = [d.offsets[cell], d.offsets[cell + 1]];
      if (!isListed || isEven(weights, start, stop)) {
        add(weights[start] ** 2 * countVariance);
      } else {
        const moved = new Float64Array(d.blocks[list]);
        let byTotal = 0;
        for (let n = 0; n < d.parts[list]; n++) {
          const weight = weights[d.numbers[part + n]];
          byTotal += weight * d.byTotal[part + n];
          if (n + 1 === d.parts[list]) break;
          const crossing = weight - weights[d.numbers[part + n + 1]];
          moved[d.low[cut + n]] += crossing * d.byLow[cut + n];
          moved[d.high[cut + n]] += crossing * d.byHigh[cut + n];
        }
        add(byTotal ** 2 * countVariance);
        moved.forEach((move, n) => {
          add((move / d.blockRows[block + n]) ** 2 * sumVariance, d.blockGroups[block + n]);
        });
      }
      if (isListed) {
        part += d.parts[list];
        cut += d.parts[list] - 1;
        block += d.blocks[list];
        list += 1;
      }
    }
    return fromTerms(variance, squares);
  }

  /** @param {() => Float64Array} weights */
  spread(weights) {
    return this.moments(weights);
  }
}

/**
 * @param {Float64Array} weights
 * @param {number} start
 * @param {number} stop
 */
function isEven(weights, start, stop) {
  for (let n = start + 1; n < stop; n++) if (weights[n] !== weights[start]) return false;
  return true;
}
