/**
 * Where the parts of a release lie, and the share of each that a question takes.
 *
 * A question has for each axis null for all of it, a range in units of indices, or a list of
 * indices. All weights follow `hushgram.answers.counting`.
 *
 * @typedef {import("./packing.js").Numbers} Numbers
 * @typedef {{start: number, stop: number}} Stretch
 * @typedef {{list: number[]}} Choice
 * @typedef {(null | Stretch | Choice)[]} Question
 * @typedef {{starts: number[], stops: number[]}} Box
 */

/**
 * The share of each slice of an axis that a question takes.
 * @param {Numbers} lower
 * @param {Numbers} upper
 * @param {null | Stretch | Choice} asked
 * @returns {Float64Array}
 */
export function coverSlices(lower, upper, asked) {
  const found = new Float64Array(lower.length);
  if (asked === null) return found.fill(1);
  if ("list" in asked) {
    const places = asked.list;
    for (let n = 0; n < found.length; n++) {
      found[n] = (countBelow(places, upper[n]) - countBelow(places, lower[n])) / (upper[n] - lower[n]);
    }
    return found;
  }
  const { start, stop } = asked;
  for (let n = 0; n < found.length; n++) {
    const inside = Math.min(upper[n], stop) - Math.max(lower[n], start);
    found[n] = Math.min(Math.max(inside / (upper[n] - lower[n]), 0), 1);
  }
  return found;
}

/**
 * How many of some rising numbers are less than a limit.
 * @param {ArrayLike<number>} numbers
 * @param {number} limit
 */
export function countBelow(numbers, limit) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * How many of some rising numbers are at most a limit.
 * @param {ArrayLike<number>} numbers
 * @param {number} limit
 */
export function countUpTo(numbers, limit) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Products of slices of each axis. */
export class Lattice {
  /** @param {Numbers[]} cuts where the slices of each axis start, and last where they stop */
  constructor(cuts) {
    this.cuts = cuts;
    this.lower = cuts.map((each) => each.subarray(0, each.length - 1));
    this.upper = cuts.map((each) => each.subarray(1));
    this.shape = cuts.map((each) => each.length - 1);
    this.size = this.shape.reduce((product, length) => product * length, 1);
  }

  /** @param {Question} question */
  shares(question) {
    return question.map((asked, axis) => coverSlices(this.lower[axis], this.upper[axis], asked));
  }

  /** @param {Question} question */
  weights(question) {
    return outer(this.shares(question));
  }

  /**
   * The sum of values weighted by a product of shares.
   * @param {Numbers} values
   * @param {Float64Array[]} shares
   */
  contract(values, shares) {
    return contractFrom(values, shares, 0, 0);
  }

  /**
   * The weight of every cell, from shares of the boxes of two axes and what is asked of the others.
   * @param {Float64Array} covered
   * @param {number} across
   * @param {number} up
   * @param {Question} others
   */
  spread(covered, across, up, others) {
    const { shape } = this;
    if (shape.length === 2 && across < up) return covered;
    const found = this.weights(others);
    const strideOf = (/** @type {number} */ axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1);
    const [strideX, strideY] = [strideOf(across), strideOf(up)];
    for (let n = 0; n < found.length; n++) {
      if (found[n] === 0) continue;
      const [x, y] = [Math.floor(n / strideX) % shape[across], Math.floor(n / strideY) % shape[up]];
      found[n] *= covered[x * shape[up] + y];
    }
    return found;
  }

  /**
   * The values along one axis, the others added up by their shares.
   * @param {Numbers} values
   * @param {Float64Array[]} shares
   * @param {number} place
   */
  along(values, shares, place) {
    const found = new Float64Array(this.shape[place]);
    const inner = this.shape.slice(place + 1).reduce((product, length) => product * length, 1);
    const before = outer(shares.slice(0, place));
    const after = outer(shares.slice(place + 1));
    for (let first = 0, at = 0; first < before.length; first++) {
      for (let n = 0; n < found.length; n++, at += inner) {
        if (before[first] === 0) continue;
        let sum = 0;
        for (let last = 0; last < inner; last++) sum += after[last] * values[at + last];
        found[n] += before[first] * sum;
      }
    }
    return found;
  }
}

/**
 * @param {Numbers} values
 * @param {Float64Array[]} shares
 * @param {number} axis
 * @param {number} place the number of the first cell
 * @returns {number}
 */
function contractFrom(values, shares, axis, place) {
  const share = shares[axis];
  const start = place * share.length;
  let sum = 0;
  for (let n = 0; n < share.length; n++) {
    if (share[n] === 0) continue;
    const inside =
      axis === shares.length - 1 ? values[start + n] : contractFrom(values, shares, axis + 1, start + n);
    sum += share[n] * inside;
  }
  return sum;
}

/** Boxes of any size. */
export class Boxes {
  /**
   * @param {Numbers[]} lower one array for each axis
   * @param {Numbers[]} upper
   */
  constructor(lower, upper) {
    this.lower = lower;
    this.upper = upper;
    this.size = lower[0].length;
  }

  /** @param {Question} question */
  weights(question) {
    const found = new Float64Array(this.size).fill(1);
    question.forEach((asked, axis) => {
      if (asked === null) return;
      const share = coverSlices(this.lower[axis], this.upper[axis], asked);
      for (let n = 0; n < found.length; n++) found[n] *= share[n];
    });
    return found;
  }
}

/** @typedef {Lattice | Boxes} Layout */

/**
 * @param {any} described
 * @returns {Layout}
 */
export function readLayout(described) {
  if (described.kind === "lattice") return new Lattice(described.cuts);
  const upper = described.lower.map((/** @type {Numbers} */ lower, /** @type {number} */ axis) =>
    lower.map((low, n) => low + described.widths[axis][n]),
  );
  return new Boxes(described.lower, upper);
}

/**
 * The weight of every cell: the product of its shares on each axis.
 * @param {Float64Array[]} shares
 */
export function outer(shares) {
  let product = new Float64Array([1]);
  for (const share of shares) {
    const next = new Float64Array(product.length * share.length);
    for (let n = 0, at = 0; n < product.length; n++) {
      const factor = product[n];
      if (factor === 0) {
        at += share.length;
        continue;
      }
      for (let m = 0; m < share.length; m++) next[at++] = factor * share[m];
    }
    product = next;
  }
  return product;
}

/**
 * @param {Numbers} values
 * @param {Float64Array} weights
 */
export function dot(values, weights) {
  let sum = 0;
  for (let n = 0; n < weights.length; n++) sum += weights[n] * values[n];
  return sum;
}

/**
 * Where a question starts and stops on each axis, if it is a box.
 * @param {Question} question
 * @param {number[]} sizes
 * @returns {Box | null}
 */
export function boxOf(question, sizes) {
  const starts = [];
  const stops = [];
  for (const [axis, asked] of question.entries()) {
    if (asked === null) {
      starts.push(0);
      stops.push(sizes[axis]);
    } else if ("list" in asked) {
      if (asked.list.length !== 1) return null;
      starts.push(asked.list[0]);
      stops.push(asked.list[0] + 1);
    } else {
      starts.push(asked.start);
      stops.push(asked.stop);
    }
  }
  return { starts, stops };
}

/**
 * The share of each part that a box takes.
 * @param {Layout} layout
 * @param {Box} box
 */
export function boxWeights(layout, box) {
  return layout.weights(box.starts.map((start, axis) => ({ start, stop: box.stops[axis] })));
}

/**
 * A straight line from point to point, as numpy.interp has it.
 * @param {number} x
 * @param {ArrayLike<number>} xs
 * @param {ArrayLike<number>} ys
 */
export function interpolate(x, xs, ys) {
  const last = xs.length - 1;
  if (x <= xs[0]) return ys[0];
  if (x >= xs[last]) return ys[last];
  const after = countUpTo(xs, x);
  const slope = (ys[after] - ys[after - 1]) / (xs[after] - xs[after - 1]);
  return slope * (x - xs[after - 1]) + ys[after - 1];
}
