/**
 * Quantiles along one axis with intervals, the same as `Release.quantile` gives for shares between 0
 * and 1.
 *
 * @typedef {import("./layout.js").Question} Question
 * @typedef {import("./widths.js").Confidence} Confidence
 * @typedef {import("./packing.js").Numbers} Numbers
 * @typedef {{value: number, low: number, high: number}} Quantile
 */
import { Lattice, countBelow, coverSlices, interpolate, outer } from "./layout.js";
import { truthWidth, unevenWidth } from "./widths.js";

const WIDE = 8;
const ROUNDING = 1e-12;
const NEIGHBOURS = 1.5;
const CENTRE = 0.5;
/** Rows up to which a number is rounding: errors of halves of one part cancel each other. */
export const NOTHING = 1e-6;

/** The rows along one axis, those that a question takes on the others. */
export class Along {
  /**
   * @param {import("./counts.js").Counts} counts
   * @param {number} place the number of the axis
   * @param {number} declared how many of its indices hold values
   * @param {Question} question
   */
  constructor(counts, place, declared, question) {
    this.counts = counts;
    this.place = place;
    this.declared = declared;
    const { layout } = counts;
    const others = question.map((asked, axis) => (axis === place ? null : asked));
    this.lower = layout.lower[place];
    this.upper = layout.upper[place];
    if (layout instanceof Lattice) {
      this.shares = layout.shares(others);
      const values = layout.along(counts.values, this.shares, place);
      this.knots = Float64Array.from(layout.cuts[place].filter((cut) => cut <= declared));
      this.cumulative = runningSums(values).subarray(0, this.knots.length);
    } else {
      this.weights = layout.weights(others);
      this.knots = knotsOf([...this.lower, ...this.upper, declared], declared);
      this.cumulative = this.sumBoxes();
    }
    this.total = this.cumulative[this.cumulative.length - 1];
    this.rising = isotonic(this.cumulative).map((rows) => Math.min(Math.max(rows, 0), this.total));
  }

  sumBoxes() {
    const { knots, lower, upper, counts } = this;
    const weights = /** @type {Float64Array} */ (this.weights);
    const slopes = new Float64Array(knots.length + 1);
    for (let n = 0; n < weights.length; n++) {
      const each = (counts.values[n] * weights[n]) / (upper[n] - lower[n]);
      slopes[countBelow(knots, lower[n])] += each;
      slopes[countBelow(knots, upper[n])] -= each;
    }
    const found = new Float64Array(knots.length);
    let slope = 0;
    for (let n = 0; n + 1 < knots.length; n++) {
      slope += slopes[n];
      found[n + 1] = found[n] + slope * (knots[n + 1] - knots[n]);
    }
    return found;
  }

  /**
   * How much of each slice or part lies below a position.
   * @param {number} position
   */
  share(position) {
    return coverSlices(this.lower, this.upper, { start: -Infinity, stop: position });
  }

  /**
   * Weights on slices or parts as weights on all parts.
   * @param {Float64Array} weights
   */
  onParts(weights) {
    if (this.shares) return outer(this.withShares(weights));
    const own = /** @type {Float64Array} */ (this.weights);
    return weights.map((weight, n) => weight * own[n]);
  }

  /** @param {Float64Array} weights */
  withShares(weights) {
    const shares = [.../** @type {Float64Array[]} */ (this.shares)];
    shares[this.place] = weights;
    return shares;
  }

  /**
   * How far the rows below a position can be off since rows do not lie evenly in parts.
   * @param {number} position
   * @param {Confidence} confidence
   */
  unevenWidth(position, confidence) {
    const share = this.share(position);
    let onEdge = false;
    const middle = share.map((each, n) => {
      const gap = this.upper[n] - position;
      if (!(gap > 0 && gap < 1 && this.upper[n] - this.lower[n] >= WIDE)) return each;
      onEdge = true;
      return 0.5;
    });
    let uneven = this.counts.unevenness.ofWeights(this.onParts(share));
    if (onEdge) {
      const { variance, alone } = this.counts.unevenness.ofWeights(this.onParts(middle));
      uneven = { ...uneven, variance, alone };
    }
    return unevenWidth(uneven, confidence);
  }

  /**
   * The quantile and its interval, along the indices.
   * @param {number} q
   * @param {Confidence} confidence
   * @returns {Quantile}
   */
  quantile(q, confidence) {
    const target = q * this.total * (1 - ROUNDING);
    const over = this.rising.map((rows) => rows - target);
    /** @type {Map<number, number>} */
    const known = new Map();
    const all = this.share(this.declared);
    /** @param {number} knot */
    const width = (knot) => {
      const found = known.get(knot) ?? this.widthAt(this.knots[knot], q, all, confidence);
      known.set(knot, found);
      return found;
    };
    const last = this.knots.length - 1;
    const first = lowest((knot) => over[knot] + width(knot) >= 0, last);
    const beyond = lowest((knot) => over[knot] - width(knot) > 0, last);
    return {
      low: this.knots[Math.max(first - 1, 0)],
      value: this.middle(over),
      high: this.knots[beyond],
    };
  }

  /**
   * How far the rows below a position, less a share of all, can be off.
   * @param {number} position
   * @param {number} q
   * @param {Float64Array} all
   * @param {Confidence} confidence
   */
  widthAt(position, q, all, confidence) {
    const weights = this.share(position).map((share, n) => share - q * all[n]);
    const shares = this.shares ? this.withShares(weights) : null;
    const spread = this.counts.noise.moments(() => this.onParts(weights), shares);
    const noise = this.counts.noiseWidth(spread, confidence);
    const both = truthWidth(noise, this.unevenWidth(position, confidence));
    return both > NOTHING ? both : 0;
  }

  /** @param {Float64Array} over */
  middle(over) {
    const reached = countBelow(over, 0);
    if (reached === 0) return this.knots[0];
    const [start, stop] = [this.knots[reached - 1], this.knots[reached]];
    return start + (stop - start) * (-over[reached - 1] / (over[reached] - over[reached - 1]));
  }
}

/** The rows of a release of sorted rows: a quantile is where the row of its rank lies. */
export class SortedRows {
  /**
   * @param {any} described
   * @param {import("./widths.js").Quantiles} quantiles
   */
  constructor(described, quantiles) {
    this.described = described;
    this.quantiles = quantiles;
    const inner = described.deviations;
    this.deviations = [inner[0], ...inner, inner[inner.length - 1]];
  }

  /**
   * @param {number} q
   * @param {Confidence} confidence
   * @returns {Quantile}
   */
  quantile(q, confidence) {
    const { rows, variance, longest } = this.described;
    const noise = this.quantiles.widest(q ** 2 * variance, confidence);
    const aside = noise + NEIGHBOURS * longest;
    const unit = this.quantiles.widest(1, confidence);
    const [low, middle, high] = [-aside, 0, aside].map((side) => this.at(q * rows + side));
    return {
      low: low.position - unit * low.deviation,
      value: middle.position,
      high: high.position + unit * high.deviation,
    };
  }

  /** @param {number} rank */
  at(rank) {
    const { ranks, positions } = this.described;
    return {
      position: interpolate(rank, ranks, positions) + CENTRE,
      deviation: interpolate(rank, ranks, this.deviations),
    };
  }
}

/**
 * A quantile in the values of its axis.
 * @param {Along | SortedRows} line
 * @param {import("./axes.js").Axis} axis
 * @param {number} q
 * @param {Confidence} confidence
 * @returns {Quantile}
 */
export function quantileOf(line, axis, q, confidence) {
  const found = line.quantile(q, confidence);
  const value = axis.valueAt(found.value, true);
  return {
    value,
    low: Math.min(axis.valueAt(found.low, false), value),
    high: Math.max(axis.valueAt(found.high, true), value),
  };
}

/**
 * The first number up to `last` from which on a condition holds, by bisection.
 * @param {(n: number) => boolean} holds
 * @param {number} last
 */
function lowest(holds, last) {
  let [low, high] = [0, last];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** @param {Float64Array} values */
function runningSums(values) {
  const found = new Float64Array(values.length + 1);
  values.forEach((value, n) => {
    found[n + 1] = found[n] + value;
  });
  return found;
}

/**
 * @param {number[]} cuts
 * @param {number} declared
 */
function knotsOf(cuts, declared) {
  const found = [...new Set(cuts)].filter((cut) => cut <= declared);
  return Float64Array.from(found).sort();
}

/**
 * The rising sequence that is nearest to some values: neighbours in the wrong order are pooled.
 * @param {Float64Array} values
 */
function isotonic(values) {
  /** @type {number[]} */
  const sums = [];
  /** @type {number[]} */
  const sizes = [];
  for (const value of values) {
    sums.push(value);
    sizes.push(1);
    for (let n = sums.length - 1; n > 0 && sums[n - 1] / sizes[n - 1] >= sums[n] / sizes[n]; n--) {
      sums[n - 1] += /** @type {number} */ (sums.pop());
      sizes[n - 1] += /** @type {number} */ (sizes.pop());
    }
  }
  const found = new Float64Array(values.length);
  let place = 0;
  sums.forEach((sum, n) => {
    found.fill(sum / sizes[n], place, place + sizes[n]);
    place += sizes[n];
  });
  return found;
}
