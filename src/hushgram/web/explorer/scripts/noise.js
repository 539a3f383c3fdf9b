/**
 * The noise of weighted sums of parts: one class for each kind that noise.py describes.
 *
 * Each has the `values` of its parts, their `variances`, the `moments` of any weighted sum, and its
 * `spread`, where more than moments may be known. Weights that are a product of shares, one array
 * for each axis, may be given as such too.
 *
 * @typedef {import("./packing.js").Numbers} Numbers
 * @typedef {{variance: number, kurtosis: number, largest: number, whole: boolean}} Spread
 * @typedef {{values: Numbers, variances: () => Numbers, isDirect?: boolean,
 *   ofBox?: (box: import("./layout.js").Box, layout: import("./layout.js").Layout) => Boxed,
 *   moments: (weights: () => Float64Array, shares: Float64Array[] | null) => Spread,
 *   spread: (weights: () => Float64Array, shares: Float64Array[] | null) => Spread}} Noise
 * @typedef {{value: number, spread: Spread}} Boxed
 */
import { HalvesTree, LevelTree } from "./borders.js";

const ROUNDING = 1e-9;

/**
 * @param {any} described
 * @returns {Noise}
 */
export function readNoise(described) {
  const kinds = {
    direct: DirectNoise,
    tree: TreeNoise,
    groups: GroupNoise,
    wavelet: WaveletNoise,
    lists: ListNoise,
    errors: ErrorTree,
    view: ViewNoise,
  };
  return new kinds[/** @type {keyof typeof kinds} */ (described.kind)](described);
}

/**
 * From the sum of the variances of independent errors, and of their squares.
 * @param {number} variance
 * @param {number} squares
 * @returns {Spread}
 */
function fromTerms(variance, squares) {
  const kurtosis = variance ? (3 * squares) / variance / variance : 0;
  return { variance, kurtosis, largest: 0, whole: false };
}

/**
 * From sums of powers of the weights of noise that is all alike.
 * @param {number} variance of one of them
 * @param {number} squares
 * @param {number} fourths
 * @param {number} largest
 * @param {boolean} whole
 * @returns {Spread}
 */
function alike(variance, squares, fourths, largest, whole) {
  const kurtosis = Math.min((3 * fourths) / Math.max(squares, 1e-100) ** 2, 3);
  return { variance: squares * variance, kurtosis, largest, whole };
}

/** @typedef {{squares: number, fourths: number, largest: number, whole: boolean}} Powers */

/**
 * @param {Float64Array} weights
 * @param {number} rounding how far from 0 or 1 a weight may be and still be meant so
 * @returns {Powers}
 */
function powersOf(weights, rounding) {
  let squares = 0;
  let fourths = 0;
  let largest = 0;
  let whole = true;
  for (let n = 0; n < weights.length; n++) {
    const weight = Math.abs(weights[n]);
    const square = weight * weight;
    squares += square;
    fourths += square * square;
    if (weight > largest) largest = weight;
    if (Math.min(weight, Math.abs(weight - 1)) > rounding) whole = false;
  }
  return { squares, fourths, largest, whole };
}

/**
 * Powers of all products of shares.
 * @param {Float64Array[]} shares
 * @param {number} rounding
 */
function powersOfProduct(shares, rounding) {
  const found = { squares: 1, fourths: 1, largest: 1, whole: true };
  for (const share of shares) {
    const powers = powersOf(share, rounding);
    found.squares *= powers.squares;
    found.fourths *= powers.fourths;
    found.largest *= powers.largest;
    found.whole = found.whole && powers.whole;
  }
  return found;
}

/** A count for each part. */
class DirectNoise {
  /** @param {{values: Numbers, variance: number}} described */
  constructor({ values, variance }) {
    this.values = values;
    this.variance = variance;
    this.isDirect = true;
  }

  variances() {
    return new Float64Array(this.values.length).fill(this.variance);
  }

  /**
   * @param {() => Float64Array} weights
   * @param {Float64Array[] | null} shares
   */
  spread(weights, shares) {
    const powers = shares ? powersOfProduct(shares, 0) : powersOf(weights(), ROUNDING);
    return alike(this.variance, powers.squares, powers.fourths, powers.largest, powers.whole);
  }

  /**
   * As quantiles have it: with steps on a grid, and without them elsewhere.
   * @param {() => Float64Array} weights
   * @param {Float64Array[] | null} shares
   */
  moments(weights, shares) {
    const found = this.spread(weights, shares);
    return { ...found, largest: shares ? found.largest : 0, whole: false };
  }
}

/** Levels of counts that least squares reconciled: two passes, upwards and downwards. */
class TreeNoise {
  /**
   * @param {{measured: Numbers[], variances: number[], noise: number[], parents: Numbers[]}} described
   */
  constructor({ measured, variances, noise, parents }) {
    this.measured = measured;
    this.levelVariances = variances;
    this.noise = noise;
    this.parents = parents;
    this.last = measured.length - 1;
    this.own = [new Float64Array(measured[this.last].length).fill(noise[this.last])];
    /** @type {Float64Array[]} */
    this.sums = [];
    for (let level = this.last - 1; level >= 0; level--) {
      const sums = this.sumChildren(level, this.own[0]);
      this.sums.unshift(sums);
      this.own.unshift(sums.map((below) => 1 / (1 / noise[level] + 1 / below)));
    }
    this.values = this.reconcile();
    /** @type {LevelTree | null} */
    this.nodes = null;
  }

  /**
   * @param {number} level
   * @param {Float64Array} children
   */
  sumChildren(level, children) {
    const found = new Float64Array(this.measured[level].length);
    const parents = this.parents[level];
    for (let n = 0; n < children.length; n++) found[parents[n]] += children[n];
    return found;
  }

  reconcile() {
    const { own, sums, noise, measured, last } = this;
    const estimates = [Float64Array.from(measured[last])];
    /** @type {Float64Array[]} */
    const totals = [];
    for (let level = last - 1; level >= 0; level--) {
      const total = this.sumChildren(level, estimates[0]);
      totals.unshift(total);
      estimates.unshift(
        total.map((sum, n) => {
          const weight = own[level][n] / noise[level];
          return weight * measured[level][n] + (1 - weight) * sum;
        }),
      );
    }
    let known = estimates[0];
    for (let level = 0; level < last; level++) {
      const above = known;
      const parents = this.parents[level];
      known = estimates[level + 1].map((estimate, n) => {
        const parent = parents[n];
        const missing = (above[parent] - totals[level][parent]) / sums[level][parent];
        return estimate + own[level + 1][n] * missing;
      });
    }
    return known;
  }

  variances() {
    const { own, sums } = this;
    let known = own[0];
    for (let level = 0; level < this.last; level++) {
      const above = known;
      const parents = this.parents[level];
      known = own[level + 1].map((each, n) => {
        const share = each / sums[level][parents[n]];
        return Math.max(each - share * share * (sums[level][parents[n]] - above[parents[n]]), 0);
      });
    }
    return known;
  }

  /**
   * @param {import("./layout.js").Box} box
   * @param {import("./layout.js").Layout} layout
   */
  ofBox(box, layout) {
    this.nodes ??= new LevelTree(this, layout);
    const { value, variance, squares } = this.nodes.ask(box);
    return { value, spread: fromTerms(variance, squares) };
  }

  /** @param {() => Float64Array} weights */
  moments(weights) {
    const { own, sums, noise, parents, last, levelVariances } = this;
    const reached = [weights()];
    for (let level = last - 1; level >= 0; level--) {
      const below = reached[0];
      const shared = new Float64Array(sums[level].length);
      for (let n = 0; n < below.length; n++) shared[parents[level][n]] += below[n] * own[level + 1][n];
      for (let n = 0; n < shared.length; n++) shared[n] /= sums[level][n];
      reached.unshift(shared);
    }
    let variance = 0;
    let squares = 0;
    let owed = reached[0];
    for (let level = 0; level <= last; level++) {
      const passed = new Float64Array(level < last ? owed.length : 0);
      for (let n = 0; n < owed.length; n++) {
        const weight = level < last ? own[level][n] / noise[level] : 1;
        const term = (weight * owed[n]) ** 2 * levelVariances[level];
        variance += term;
        squares += term * term;
        if (level < last) passed[n] = (1 - weight) * owed[n] - reached[level][n];
      }
      if (level < last) {
        owed = reached[level + 1].map((each, n) => each + passed[parents[level][n]]);
      }
    }
    return fromTerms(variance, squares);
  }

  /** @param {() => Float64Array} weights */
  spread(weights) {
    return this.moments(weights);
  }
}

/** Cells that share one value: a sum for each group. */
class GroupNoise {
  /**
   * @param {{labels: Numbers, values: Numbers, variances: Numbers, squares: Numbers,
   *   steps?: {least: Numbers, largest: Numbers}}} described
   */
  constructor({ labels, values, variances, squares, steps }) {
    this.labels = labels;
    this.groupVariances = variances;
    this.groupSquares = squares;
    this.steps = steps;
    this.values = Float64Array.from(labels, (label) => values[label]);
  }

  variances() {
    return Float64Array.from(this.labels, (label) => this.groupVariances[label]);
  }

  /** @param {Float64Array} weights */
  groupWeights(weights) {
    const found = new Float64Array(this.groupVariances.length);
    for (let n = 0; n < weights.length; n++) found[this.labels[n]] += weights[n];
    return found;
  }

  /** @param {Float64Array} groups */
  momentsOfGroups(groups) {
    let variance = 0;
    let squares = 0;
    for (let n = 0; n < groups.length; n++) {
      const square = groups[n] * groups[n];
      variance += square * this.groupVariances[n];
      squares += square * square * this.groupSquares[n];
    }
    return fromTerms(variance, squares);
  }

  /** @param {() => Float64Array} weights */
  moments(weights) {
    return this.momentsOfGroups(this.groupWeights(weights()));
  }

  /** @param {() => Float64Array} weights */
  spread(weights) {
    const groups = this.groupWeights(weights());
    const found = this.momentsOfGroups(groups);
    if (!this.steps) return found;
    let largest = 0;
    let whole = true;
    for (let n = 0; n < groups.length; n++) {
      const [least, most] = [this.steps.least[n], this.steps.largest[n]];
      largest = Math.max(largest, Math.abs(groups[n]) * most);
      whole = whole && nearWhole(groups[n] * least) && nearWhole(groups[n] * most);
    }
    return { ...found, kurtosis: Math.min(found.kurtosis, 3), largest, whole };
  }
}

/** @param {number} weight */
function nearWhole(weight) {
  const size = Math.abs(weight);
  return Math.min(size, Math.abs(size - 1)) < ROUNDING;
}

/** Contrasts of cells: one transform of each axis after the other. */
class WaveletNoise {
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

/**
 * How many times cells can be halved until each is alone.
 * @param {number} cells
 */
function levelsOf(cells) {
  return cells > 1 ? 32 - Math.clz32(cells - 1) : 0;
}

/**
 * Whether a node of a level of the tree of halves has two children.
 * @param {number} cells
 * @param {number} level
 * @param {number} node
 */
function isParted(cells, level, node) {
  const scale = 2 ** level;
  return Math.ceil(((node + 1) * cells) / scale) - Math.ceil((node * cells) / scale) > 1;
}

/**
 * The inverse of Haar's transform.
 * @param {Float64Array} rows
 */
function descend(rows) {
  const cells = rows.length;
  let sums = [rows[0]];
  for (let level = 0; level < levelsOf(cells); level++) {
    /** @type {number[]} */
    const next = [];
    let row = 2 ** level;
    sums.forEach((whole, node) => {
      if (isParted(cells, level, node)) {
        const apart = rows[row++];
        next.push((whole + apart) / 2, (whole - apart) / 2);
      } else next.push(whole);
    });
    sums = next;
  }
  return Float64Array.from(sums);
}

/**
 * The transpose of `descend`.
 * @param {Float64Array} weights
 */
function ascend(weights) {
  const cells = weights.length;
  const found = new Float64Array(cells);
  let current = weights;
  for (let level = levelsOf(cells) - 1; level >= 0; level--) {
    const next = new Float64Array(2 ** level);
    let row = 2 ** level;
    let place = 0;
    for (let node = 0; node < next.length; node++) {
      if (isParted(cells, level, node)) {
        const [left, right] = [current[place], current[place + 1]];
        found[row++] = (left - right) / 2;
        next[node] = (left + right) / 2;
        place += 2;
      } else next[node] = current[place++];
    }
    current = next;
  }
  found[0] = current[0];
  return found;
}

/** @param {number} cells */
function squaresOfInverse(cells) {
  let depths = [0];
  for (let level = 0; level < levelsOf(cells); level++) {
    depths = depths.flatMap((depth, node) =>
      isParted(cells, level, node) ? [depth + 1, depth + 1] : [depth],
    );
  }
  return depths.map((depth) => (1 + 2 * 0.25 ** depth) / 3);
}

/**
 * Least squares of a total and all cells.
 * @param {Float64Array} rows
 */
function settle(rows) {
  const cells = rows.subarray(1);
  const shared = (rows[0] - cells.reduce((sum, cell) => sum + cell, 0)) / rows.length;
  return cells.map((cell) => cell + shared);
}

/**
 * The transpose of `settle`.
 * @param {Float64Array} weights
 */
function unsettle(weights) {
  const shared = weights.reduce((sum, weight) => sum + weight, 0) / (weights.length + 1);
  const found = new Float64Array(weights.length + 1);
  found[0] = shared;
  for (let n = 0; n < weights.length; n++) found[n + 1] = weights[n] - shared;
  return found;
}

/**
 * Cells with a count each; in some of them the rows were sorted, and published as positions of
 * groups. Where a block of groups moves, rows pass the cuts around it.
 */
class ListNoise {
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

/** A tree of errors: a node hands a share of its error to its lower half, the rest to the upper. */
class ErrorTree {
  /**
   * @param {{values: Numbers, right: Numbers, roots: Numbers, totals: Numbers, shares: Numbers,
   *   own: Numbers}} described
   */
  constructor({ values, right, roots, totals, shares, own }) {
    this.values = values;
    this.right = right.map((step, node) => (step ? node + step : 0));
    this.roots = roots;
    this.totals = totals;
    this.shares = new Float64Array(right.length);
    this.own = new Float64Array(right.length);
    for (let node = 0, inner = 0; node < right.length; node++) {
      if (!right[node]) continue;
      this.shares[node] = shares[inner];
      this.own[node] = own[inner++];
    }
    this.weight = new Float64Array(right.length);
    /** @type {HalvesTree | null} */
    this.nodes = null;
  }

  /**
   * @param {import("./layout.js").Box} box
   * @param {import("./layout.js").Layout} layout
   */
  ofBox(box, layout) {
    this.nodes ??= new HalvesTree(this, layout);
    const { value, variance, squares } = this.nodes.ask(box);
    return { value, spread: fromTerms(variance, squares) };
  }

  variances() {
    const { right, shares, own } = this;
    const totals = new Float64Array(right.length);
    this.roots.forEach((root, n) => {
      totals[root] = this.totals[n];
    });
    const found = new Float64Array(this.values.length);
    for (let node = 0, leaf = 0; node < right.length; node++) {
      if (right[node] === 0) {
        found[leaf++] = totals[node];
        continue;
      }
      const share = shares[node];
      totals[node + 1] = share * share * totals[node] + own[node];
      totals[right[node]] = (1 - share) * (1 - share) * totals[node] + own[node];
    }
    return found;
  }

  /** @param {() => Float64Array} weightsOf */
  moments(weightsOf) {
    const weights = weightsOf();
    const { right, shares, own, weight } = this;
    let variance = 0;
    let squares = 0;
    let leaf = weights.length;
    for (let node = right.length - 1; node >= 0; node--) {
      if (right[node] === 0) {
        weight[node] = weights[--leaf];
        continue;
      }
      const low = weight[node + 1];
      const high = weight[right[node]];
      if (low === high) {
        weight[node] = shares[node] * low + (1 - shares[node]) * high;
        continue;
      }
      weight[node] = shares[node] * low + (1 - shares[node]) * high;
      const term = (low - high) * (low - high) * own[node];
      variance += term;
      squares += term * term;
    }
    for (let n = 0; n < this.roots.length; n++) {
      const term = weight[this.roots[n]] ** 2 * this.totals[n];
      variance += term;
      squares += term * term;
    }
    return fromTerms(variance, squares);
  }

  /** @param {() => Float64Array} weights */
  spread(weights) {
    return this.moments(weights);
  }
}

/** Parts that are sums of shares of the parts of another estimate. */
class ViewNoise {
  /** @param {any} described */
  constructor(described) {
    /** @type {Numbers} */
    this.values = described.values;
    this.described = described;
    this.below = readNoise(described.below);
  }

  /** @returns {Numbers} */
  variances() {
    return this.described.partVariances;
  }

  /**
   * Weights on the parts below.
   * @param {Float64Array} weights
   */
  spreadOut(weights) {
    const { starts, parts, shares, size } = this.described;
    const found = new Float64Array(size);
    for (let n = 0; n < weights.length; n++) {
      if (weights[n] === 0) continue;
      for (let k = starts[n]; k < starts[n + 1]; k++) found[parts[k]] += weights[n] * shares[k];
    }
    return found;
  }

  /** @param {() => Float64Array} weights */
  moments(weights) {
    const found = this.below.moments(() => this.spreadOut(weights()), null);
    return { ...found, largest: 0, whole: false };
  }

  /** @param {() => Float64Array} weights */
  spread(weights) {
    return this.below.spread(() => this.spreadOut(weights()), null);
  }
}
