/**
 * Evidence of parts that were counted one by one.
 *
 * @typedef {import("../layout.js").Box} Box
 * @typedef {import("../noise.js").Noise} Noise
 * @typedef {import("../packing.js").Numbers} Numbers
 * @typedef {import("../unevenness.js").Uneven} Uneven
 */
import { Blocks } from "../blocks.js";
import { Lattice, countBelow, countUpTo, interpolate, readLayout } from "../layout.js";
import { Cut, WHOLE } from "./cut.js";
import { A_ROW, LEAST, NONE, ROUNDING, SURE } from "./uneven.js";

const A_STEP = 0.52;
/** The share of two numbers up to which their difference is put down to rounding. */
const CANCELLED = 1e-9;

/** The inside of parts that are boxes, each counted by itself. */
export class PartUnevenness {
  /**
   * @param {any} described
   * @param {Noise} noise
   */
  constructor(described, noise) {
    this.layout = readLayout(described.layout);
    /** @type {Numbers} */
    this.rows = described.rows ?? noise.values;
    /** @type {Numbers} */
    this.noise = described.noise ?? noise.variances();
    /** @type {number[]} */
    this.shares = described.shares;
    /** @type {number[][]} */
    this.coherence = described.coherence;
    /** @type {number[]} */
    this.grains = described.grains;
    /** @type {boolean} */
    this.areCells = described.areCells;
    /** Runs of parts, if these are boxes. @type {Blocks | null} */
    this.blocks = null;
  }

  /**
   * @param {Box} box
   * @returns {Uneven}
   */
  ofBox(box) {
    const cut = new Cut(box);
    if (this.layout instanceof Lattice) {
      if (!this.mayCut(box)) return NONE;
      this.walkSlices(cut);
    } else this.walkBoxes(cut);
    if (!cut.any) return NONE;
    const inside = Math.max(cut.inside + cut.outside, 0);
    let variance = 0;
    let fourths = 0;
    this.shares.forEach((share, axis) => {
      cut.sides[axis].forEach((side, number) => {
        const kappa = coherenceOf(this.coherence[axis], side.parts);
        const together = kappa * Math.max(side.roots ** 2 - side.plain, 0);
        const own = share * side.squares + (1 - share) * Math.max(side.rows, 0);
        const rows = side.roots ** 2 / Math.max(side.rows, 1e-9);
        const place = (number ? box.stops : box.starts)[axis];
        const grain = this.grainVariance(axis, place, Math.min(rows, inside));
        variance += Math.max(own, 0) + together + grain;
        fourths += share ** 4 * side.fourths + (kappa * together) ** 2 + grain ** 2;
      });
    });
    const most = Math.max(cut.inside, cut.outside) + SURE * Math.sqrt(cut.noise);
    return {
      variance: Math.max(variance, A_ROW ** 2),
      alone: Math.min(fourths / Math.max(variance, 1e-9) ** 2, 1),
      most: Math.max(most, 1),
      seen: 0,
    };
  }

  /** @param {Box} box */
  mayCut(box) {
    const layout = /** @type {Lattice} */ (this.layout);
    return layout.cuts.some((cuts, axis) =>
      [box.starts[axis], box.stops[axis]].some((place) => {
        const after = Math.min(countBelow(cuts, place), cuts.length - 1);
        return cuts[after] !== place;
      }),
    );
  }

  /** @param {Cut} cut */
  walkBoxes(cut) {
    const { lower, upper } = /** @type {import("../layout.js").Boxes} */ (this.layout);
    const { starts, stops } = cut.box;
    const axes = starts.length;
    this.blocks ??= new Blocks(lower, upper);
    this.blocks.forEachCut(cut.box, (part) => {
      let inside = true;
      let touched = true;
      for (let axis = 0; axis < axes; axis++) {
        const low = lower[axis][part];
        const high = upper[axis][part];
        const share = (Math.min(high, stops[axis]) - Math.max(low, starts[axis])) / (high - low);
        if (share <= 1 - WHOLE) {
          touched = false;
          break;
        }
        cut.shares[axis] = share;
        inside = inside && share >= WHOLE;
      }
      if (!touched || inside) return;
      for (let axis = 0; axis < axes; axis++) {
        cut.lower[axis] = lower[axis][part];
        cut.upper[axis] = upper[axis][part];
      }
      cut.add(this.rows[part], this.noise[part]);
    });
  }

  /** @param {Cut} cut */
  walkSlices(cut) {
    const layout = /** @type {Lattice} */ (this.layout);
    const { starts, stops } = cut.box;
    if (starts.some((start, axis) => !(start < stops[axis]))) return;
    const first = layout.cuts.map((cuts, axis) => countUpTo(cuts, starts[axis]) - 1);
    const end = layout.cuts.map((cuts, axis) => countBelow(cuts, stops[axis]));
    const last = starts.length - 1;
    /** @param {number} axis @param {number} cell @param {boolean} whole */
    const walk = (axis, cell, whole) => {
      const cuts = layout.cuts[axis];
      for (let at = first[axis]; at < end[axis]; at++) {
        const [low, high] = [cuts[at], cuts[at + 1]];
        const share = (Math.min(high, stops[axis]) - Math.max(low, starts[axis])) / (high - low);
        const inside = whole && share >= WHOLE;
        // Between both ends of a row that is inside of the question nothing is cut.
        if (axis === last && inside && at > first[axis] && at < end[axis] - 1) {
          at = end[axis] - 2;
          continue;
        }
        cut.lower[axis] = low;
        cut.upper[axis] = high;
        cut.shares[axis] = share;
        const number = cell * layout.shape[axis] + at;
        if (axis < last) walk(axis + 1, number, inside);
        else if (!inside && Math.min(...cut.shares) > 1 - WHOLE) {
          cut.add(this.rows[number], this.noise[number]);
        }
      }
    };
    walk(0, 0, true);
  }

  /**
   * @param {number} axis
   * @param {number} place NaN if it is not known
   * @param {number} rows
   */
  grainVariance(axis, place, rows) {
    const grain = this.grains[axis];
    if (!grain) return 0;
    const steps = place / grain;
    return Math.abs(steps - roundHalfEven(steps)) < 1e-9 ? 0 : (A_STEP * grain * rows) ** 2;
  }

  /**
   * @param {Float64Array} weights
   * @returns {Uneven}
   */
  ofWeights(weights) {
    /** @type {number[]} */
    const parts = [];
    /** @type {number[]} */
    const shares = [];
    for (let n = 0; n < weights.length; n++) {
      if (weights[n] > ROUNDING && weights[n] < 1 - ROUNDING) {
        parts.push(n);
        shares.push(weights[n]);
      }
    }
    return this.ofCut(parts, shares);
  }

  /**
   * @param {number[]} parts
   * @param {number[]} shares
   * @returns {Uneven}
   */
  ofCut(parts, shares) {
    let [ownSquares, ownRows, plain, roots, fourths, cutRows] = [0, 0, 0, 0, 0, 0];
    let [entries, reached, reachedNoise] = [0, 0, 0];
    for (let n = 0; n < parts.length; n++) {
      const share = shares[n];
      const rows = this.rows[parts[n]];
      const noise = this.noise[parts[n]];
      const reach = Math.max(share, 1 - share);
      const spread = share - share * share;
      if (!(spread > ROUNDING)) continue;
      reached += reach * Math.max(rows, 0);
      reachedNoise += reach * reach * noise;
      const squares = rows * rows - noise;
      entries += 1;
      ownSquares += spread * squares;
      ownRows += spread * rows;
      plain += spread * rows * rows;
      roots += Math.sqrt(spread) * rows;
      fourths += spread * spread * Math.max(squares, 0) ** 2;
      cutRows += Math.max(rows, 0);
    }
    if (!entries) return NONE;
    const share = Math.max(...this.shares);
    const own = share * ownSquares + (1 - share) * ownRows;
    const kappas = this.coherence[0].map((_, n) => Math.max(...this.coherence.map((row) => row[n])));
    const pairs = roots ** 2 - plain; // a single part has none: what is left then is rounding
    const together = (pairs > CANCELLED * plain ? pairs : 0) * coherenceOf(kappas, entries);
    const axis = this.grains.indexOf(Math.max(...this.grains));
    const grain = this.areCells ? this.grainVariance(axis, NaN, cutRows) : 0;
    const variance = Math.max(own, 0) + together + grain;
    const all = share ** 4 * fourths + grain ** 2;
    return {
      variance,
      alone: Math.min(all, variance ** 2) / Math.max(variance ** 2, LEAST),
      most: reached + SURE * Math.sqrt(reachedNoise),
      seen: 0,
    };
  }
}

/** @param {number} x */
function roundHalfEven(x) {
  const down = Math.floor(x);
  const above = x - down;
  if (above !== 0.5) return Math.round(x);
  return down % 2 === 0 ? down : down + 1;
}

/**
 * κ for a cut that meets so many parts.
 * @param {number[]} curve for 2, 4, 8, … parts
 * @param {number} parts
 */
function coherenceOf(curve, parts) {
  const place = Math.log2(Math.max(parts, 2)) - 1;
  return interpolate(place, [...curve.keys()], curve);
}
