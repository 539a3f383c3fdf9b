/**
 * How far an answer can be from the truth because rows do not lie evenly: the arithmetic of
 * `hushgram.answers.unevenness`, one class for each kind of evidence.
 *
 * @typedef {import("./packing.js").Numbers} Numbers
 * @typedef {import("./layout.js").Box} Box
 * @typedef {import("./layout.js").Layout} Layout
 * @typedef {import("./noise.js").Noise} Noise
 * @typedef {{variance: number, alone: number, most: number, seen: number}} Uneven
 * @typedef {{ofBox: (box: Box) => Uneven, ofWeights: (weights: Float64Array) => Uneven}} Unevenness
 */
import { Blocks } from "./blocks.js";
import { Lattice, boxWeights, countBelow, countUpTo, interpolate, readLayout } from "./layout.js";

const WIDE = 8;
const WHOLE = 1 - 1e-12;
const ROUNDING = 1e-12;
const SURE = 2;
/** The deviation of a row that is in or out. */
export const A_ROW = 0.52;
const A_STEP = 0.52;
const LEAST = 1e-300;
const SURPRISING = 2.5;
const TINY = 1e-9;

/** @type {Uneven} */
const NONE = { variance: 0, alone: 0, most: 0, seen: 0 };

/**
 * @param {any} described
 * @param {Noise} noise what the values of the parts follow from
 * @returns {Unevenness}
 */
export function readUnevenness(described, noise) {
  switch (described.kind) {
    case "parts":
      return new PartUnevenness(described, noise);
    case "ranks":
      return new RankUnevenness(described, noise);
    case "blind":
      return new BlindGroups(described, noise);
    case "groups":
      return new GroupUnevenness(described, noise);
    default:
      return new ViewUnevenness(described, noise);
  }
}

/**
 * Both together, as far as they are independent.
 * @param {Uneven} one
 * @param {Uneven} other
 * @returns {Uneven}
 */
function plus(one, other) {
  const variance = one.variance + other.variance;
  const squares = one.alone * one.variance ** 2 + other.alone * other.variance ** 2;
  return {
    variance,
    alone: squares / Math.max(variance ** 2, LEAST),
    most: one.most + other.most,
    seen: one.seen + other.seen,
  };
}

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
class Cut {
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

/** The inside of parts that are boxes, each counted by itself. */
class PartUnevenness {
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
    const { lower, upper } = /** @type {import("./layout.js").Boxes} */ (this.layout);
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
    let [ownSquares, ownRows, plain, roots, fourths, cutRows] = [0, 0, 0, 0, 0, 0];
    let [entries, reached, reachedNoise] = [0, 0, 0];
    for (let n = 0; n < weights.length; n++) {
      const share = weights[n];
      const rows = this.rows[n];
      if (share > ROUNDING && share < 1 - ROUNDING) {
        const reach = Math.max(share, 1 - share);
        reached += reach * Math.max(rows, 0);
        reachedNoise += reach * reach * this.noise[n];
      }
      const spread = share - share * share;
      if (!(spread > ROUNDING)) continue;
      const squares = rows * rows - this.noise[n];
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
    const together = Math.max(roots ** 2 - plain, 0) * coherenceOf(kappas, entries);
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

/** Rows that were sorted, and published as the mean positions of groups. */
class RankUnevenness {
  /**
   * @param {any} described
   * @param {Noise} noise
   */
  constructor(described, noise) {
    this.described = described;
    this.parts = new PartUnevenness(described.parts, noise);
  }

  /** @param {Box} box */
  ofBox(box) {
    return plus(this.between(box), this.parts.ofBox(box));
  }

  /** @param {Box} box */
  between(box) {
    if (box.starts.length > 1) return this.ofShares(boxWeights(this.parts.layout, box));
    const [start, stop] = [box.starts[0], box.stops[0]];
    const upper = this.parts.layout.upper[0];
    const last = upper[upper.length - 1];
    return this.ofUnknown(stop > start ? Number(start > 0) + Number(stop < last) : 0);
  }

  /** @param {Float64Array} weights */
  ofWeights(weights) {
    return plus(this.ofShares(weights), this.parts.ofWeights(weights));
  }

  /** @param {Float64Array} shares */
  ofShares(shares) {
    const { order, firsts } = this.described;
    const changes = order.length - 1;
    if (changes < 1) return NONE;
    let unknown = 0;
    for (let group = 0; group < firsts.length; group++) {
      const end = group + 1 < firsts.length ? firsts[group + 1] : changes;
      let sum = 0;
      for (let n = firsts[group]; n < end; n++) sum += (shares[order[n + 1]] - shares[order[n]]) ** 2;
      unknown += Math.min(sum, 1);
    }
    let [least, most] = [Infinity, -Infinity];
    for (const share of shares) {
      least = Math.min(least, share);
      most = Math.max(most, share);
    }
    return this.ofUnknown(most > 0 && least < 1 ? Math.max(unknown, 1) : 0);
  }

  /**
   * @param {number} places
   * @returns {Uneven}
   */
  ofUnknown(places) {
    const { longest, rows } = this.described;
    return { variance: places * (longest / 2) ** 2, alone: 0, most: rows, seen: 0 };
  }
}

/** Cells that share one value, each group taken for one part. */
class BlindGroups {
  /**
   * @param {any} described
   * @param {Noise} noise
   */
  constructor(described, noise) {
    this.layout = readLayout(described.layout);
    /** @type {Numbers} */
    this.labels = described.labels;
    /** @type {Numbers} */
    this.sums = described.sums;
    /** @type {Numbers} */
    this.noise = described.noise;
    this.sizes = new Float64Array(this.sums.length);
    for (const label of this.labels) this.sizes[label] += 1;
    this.boxes = described.boxes && new PartUnevenness(described.boxes, noise);
  }

  /** @param {Box} box */
  ofBox(box) {
    return this.boxes ? this.boxes.ofBox(box) : this.ofWeights(boxWeights(this.layout, box));
  }

  /**
   * @param {Float64Array} weights
   * @returns {Uneven}
   */
  ofWeights(weights) {
    const shares = new Float64Array(this.sums.length);
    for (let n = 0; n < weights.length; n++) {
      const label = this.labels[n];
      shares[label] += weights[n] * (1 / this.sizes[label]);
    }
    if (this.boxes) return this.boxes.ofWeights(shares);
    let [variance, fourths, reached, reachedNoise] = [0, 0, 0, 0];
    for (let n = 0; n < shares.length; n++) {
      const share = shares[n];
      const rows = Math.max(this.sums[n], 0);
      const spread = share - share * share;
      if (spread > ROUNDING) {
        variance += spread * rows ** 2;
        fourths += spread * spread * rows ** 4;
      }
      if (share > ROUNDING && share < 1 - ROUNDING) {
        const reach = Math.max(share, 1 - share);
        reached += reach * rows;
        reachedNoise += reach * reach * this.noise[n];
      }
    }
    return {
      variance,
      alone: Math.min(fourths / Math.max(variance ** 2, LEAST), 1),
      most: reached + SURE * Math.sqrt(reachedNoise),
      seen: 0,
    };
  }
}

/** Cells that share one value, counted one by one at a first look. */
class GroupUnevenness {
  /**
   * @param {any} described
   * @param {Noise} noise
   */
  constructor(described, noise) {
    this.cells = new PartUnevenness(described.cells, noise);
    const groups = new BlindGroups(described.blind, noise);
    this.groups = groups;
    /** @type {number} */
    this.variance = described.variance;
    this.difference = Float64Array.from(groups.labels, (label, n) =>
      groups.sums[label] / groups.sizes[label] - described.look[n],
    );
    this.total = this.difference.reduce((sum, each) => sum + each, 0);
  }

  /** @param {Box} box */
  ofBox(box) {
    const seen = this.look(boxWeights(this.cells.layout, box));
    return plus(believe(this.groups.ofBox(box), seen), this.cells.ofBox(box));
  }

  /** @param {Float64Array} weights */
  ofWeights(weights) {
    const found = believe(this.groups.ofWeights(weights), this.look(weights));
    return plus(found, this.cells.ofWeights(weights));
  }

  /**
   * Counts of some cells, or of all but some: the fewer are asked of the first look.
   * @param {Float64Array} weights
   * @returns {Uneven}
   */
  look(weights) {
    let [difference, sum, squares] = [0, 0, 0];
    for (let n = 0; n < weights.length; n++) {
      difference += weights[n] * this.difference[n];
      sum += weights[n];
      squares += weights[n] * weights[n];
    }
    const others = weights.length - 2 * sum + squares;
    return {
      variance: this.variance * Math.min(others, squares),
      alone: 0,
      most: 0,
      seen: others < squares ? this.total - difference : difference,
    };
  }
}

/**
 * What to make of a difference that was seen where another size was expected.
 * @param {Uneven} expected
 * @param {Uneven} seen
 * @returns {Uneven}
 */
function believe(expected, seen) {
  const noise = Math.max(seen.variance, TINY);
  const surprising = Math.abs(seen.seen) > SURPRISING * Math.sqrt(noise);
  const trust = surprising ? 1 : expected.variance / (expected.variance + noise);
  return { variance: trust * noise, alone: 0, most: expected.most, seen: trust * seen.seen };
}

/** The parts of a view: sums of those of what it views. */
class ViewUnevenness {
  /**
   * @param {any} described
   * @param {any} noise that of the view
   */
  constructor(described, noise) {
    this.layout = readLayout(described.layout);
    this.located = described.located;
    this.noise = noise;
    this.below = readUnevenness(described.below, noise.below);
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
