/**
 * Sums over boxes in trees: only nodes that the border of a box cuts are looked at, however many parts
 * there are.
 *
 * @typedef {import("./packing.js").Numbers} Numbers
 * @typedef {import("./regions.js").Region} Region
 * @typedef {import("./layout.js").Layout} Layout
 * @typedef {{value: number, variance: number, squares: number, parts: number[], shares: number[], whole: boolean}} Sum
 *   a sum of values, the sum of the variances of the independent errors in it, and that of their squares; which
 *   parts are cut, and the share of each; and whether there are whole ones
 */
import { Lattice } from "./layout.js";
import { INSIDE } from "./regions.js";

/** Where nodes start and stop on each axis. */
export class Bounds {
  /**
   * @param {number} axes
   * @param {number} nodes
   */
  constructor(axes, nodes) {
    const each = () => Array.from({ length: axes }, () => new Float64Array(nodes));
    this.lower = each().map((one) => one.fill(Infinity));
    this.upper = each().map((one) => one.fill(-Infinity));
  }

  /**
   * A node holds another one.
   * @param {number} node
   * @param {Bounds} bounds
   * @param {number} other
   */
  include(node, bounds, other) {
    for (let axis = 0; axis < this.lower.length; axis++) {
      if (bounds.lower[axis][other] < this.lower[axis][node]) this.lower[axis][node] = bounds.lower[axis][other];
      if (bounds.upper[axis][other] > this.upper[axis][node]) this.upper[axis][node] = bounds.upper[axis][other];
    }
  }
}

/**
 * @param {Layout} layout
 * @returns {Bounds}
 */
function boundsOf(layout) {
  const axes = layout.lower.length;
  const found = new Bounds(axes, layout.size);
  if (!(layout instanceof Lattice)) {
    layout.lower.forEach((lower, axis) => found.lower[axis].set(lower));
    layout.upper.forEach((upper, axis) => found.upper[axis].set(upper));
    return found;
  }
  for (let axis = 0, before = 1; axis < axes; axis++) {
    const length = layout.shape[axis];
    const after = layout.size / before / length;
    for (let a = 0, at = 0; a < before; a++) {
      for (let n = 0; n < length; n++, at += after) {
        found.lower[axis].fill(layout.lower[axis][n], at, at + after);
        found.upper[axis].fill(layout.upper[axis][n], at, at + after);
      }
    }
    before *= length;
  }
  return found;
}

/** @returns {Sum} */
function noSum() {
  return { value: 0, variance: 0, squares: 0, parts: [], shares: [], whole: false };
}

/**
 * How much of a node is taken, and its children if it is cut.
 * @typedef {{node: number, weight: number, children: Node[] | null}} Node
 */

/**
 * Levels of nodes whose errors were reconciled (`TreeNoise`). Where all of a node is taken, or none,
 * the errors of all nodes in it add up to a multiple of the square of what is owed to it.
 */
export class LevelTree {
  /**
   * @param {{parents: Numbers[], own: Float64Array[], sums: Float64Array[], noise: number[],
   *   levelVariances: number[], values: Numbers}} tree
   * @param {Layout} layout
   */
  constructor({ parents, own, sums, noise, levelVariances, values }, layout) {
    this.own = own;
    this.noise = noise;
    this.levelVariances = levelVariances;
    this.sums = sums;
    this.last = own.length - 1;
    const leaves = boundsOf(layout);
    this.bounds = [leaves];
    this.values = [Float64Array.from(values)];
    const variance = levelVariances[this.last];
    this.variances = [new Float64Array(values.length).fill(variance)];
    this.squares = [new Float64Array(values.length).fill(variance ** 2)];
    /** Where the children of each node start, and the children. @type {{starts: Int32Array, order: Int32Array}[]} */
    this.children = [];
    for (let level = this.last - 1; level >= 0; level--) this.addLevel(level, parents[level]);
  }

  /**
   * @param {number} level
   * @param {Numbers} parents
   */
  addLevel(level, parents) {
    const many = this.own[level].length;
    const bounds = new Bounds(this.bounds[0].lower.length, many);
    const [values, variances, squares] = [0, 1, 2].map(() => new Float64Array(many));
    const starts = new Int32Array(many + 1);
    for (let child = 0; child < parents.length; child++) {
      const parent = parents[child];
      bounds.include(parent, this.bounds[0], child);
      values[parent] += this.values[0][child];
      variances[parent] += this.variances[0][child];
      squares[parent] += this.squares[0][child];
      starts[parent + 1] += 1;
    }
    for (let n = 0; n < many; n++) {
      const weight = this.own[level][n] / this.noise[level];
      const passed = (1 - weight) ** 2;
      const term = weight ** 2 * this.levelVariances[level];
      variances[n] = term + passed * variances[n];
      squares[n] = term ** 2 + passed ** 2 * squares[n];
      starts[n + 1] += starts[n];
    }
    const order = new Int32Array(parents.length);
    const next = starts.slice(0, many);
    for (let child = 0; child < parents.length; child++) order[next[parents[child]]++] = child;
    this.bounds.unshift(bounds);
    this.values.unshift(values);
    this.variances.unshift(variances);
    this.squares.unshift(squares);
    this.children.unshift({ starts, order });
  }

  /**
   * @param {Region} region
   * @returns {Sum}
   */
  ask(region) {
    const found = noSum();
    for (let root = 0; root < this.own[0].length; root++) {
      const node = this.reach(0, root, region, found);
      this.pass(0, node, node.weight, found);
    }
    return found;
  }

  /**
   * How much of a node is taken, and of what is below where that is not all or nothing.
   * @param {number} level
   * @param {number} node
   * @param {Region} region
   * @param {Sum} found
   * @returns {Node}
   */
  reach(level, node, region, found) {
    const here = region.enter(this.bounds[level], node);
    if (here === INSIDE) {
      found.value += this.values[level][node];
      found.whole = true;
    }
    if (typeof here === "number") return { node, weight: here, children: null };
    if (level === this.last) {
      const weight = here.share(this.bounds[level], node);
      found.value += weight * this.values[level][node];
      found.parts.push(node);
      found.shares.push(weight);
      return { node, weight, children: null };
    }
    const { starts, order } = this.children[level];
    const children = [];
    let weight = 0;
    for (let n = starts[node]; n < starts[node + 1]; n++) {
      const child = this.reach(level + 1, order[n], here, found);
      weight += child.weight * this.own[level + 1][child.node];
      children.push(child);
    }
    return { node, weight: weight / this.sums[level][node], children };
  }

  /**
   * @param {number} level
   * @param {Node} node
   * @param {number} owed
   * @param {Sum} found
   */
  pass(level, { node, weight: taken, children }, owed, found) {
    if (!children) {
      found.variance += owed ** 2 * this.variances[level][node];
      found.squares += owed ** 4 * this.squares[level][node];
      return;
    }
    const weight = this.own[level][node] / this.noise[level];
    const term = (weight * owed) ** 2 * this.levelVariances[level];
    found.variance += term;
    found.squares += term * term;
    const passed = (1 - weight) * owed - taken;
    for (const child of children) this.pass(level + 1, child, child.weight + passed, found);
  }
}

/** A tree of errors whose nodes hand shares to two halves (`ErrorTree`). */
export class HalvesTree {
  /**
   * @param {{values: Numbers, right: Numbers, roots: Numbers, totals: Numbers, shares: Float64Array,
   *   own: Float64Array}} tree
   * @param {Layout} layout
   */
  constructor(tree, layout) {
    this.tree = tree;
    const { right, values } = tree;
    const leaves = boundsOf(layout);
    this.bounds = new Bounds(leaves.lower.length, right.length);
    this.values = new Float64Array(right.length);
    /** The parts that leaves are. */
    this.parts = new Int32Array(right.length);
    for (let node = right.length - 1, leaf = values.length; node >= 0; node--) {
      if (right[node] === 0) {
        this.bounds.include(node, leaves, --leaf);
        this.values[node] = values[leaf];
        this.parts[node] = leaf;
        continue;
      }
      for (const half of [node + 1, right[node]]) {
        this.bounds.include(node, this.bounds, half);
        this.values[node] += this.values[half];
      }
    }
  }

  /**
   * @param {Region} region
   * @returns {Sum}
   */
  ask(region) {
    const found = noSum();
    this.tree.roots.forEach((root, n) => {
      const term = this.reach(root, region, found) ** 2 * this.tree.totals[n];
      found.variance += term;
      found.squares += term * term;
    });
    return found;
  }

  /**
   * @param {number} node
   * @param {Region} region
   * @param {Sum} found
   * @returns {number}
   */
  reach(node, region, found) {
    const { right, shares, own } = this.tree;
    const here = region.enter(this.bounds, node);
    if (here === INSIDE) {
      found.value += this.values[node];
      found.whole = true;
    }
    if (typeof here === "number") return here;
    if (right[node] === 0) {
      const share = here.share(this.bounds, node);
      found.value += share * this.values[node];
      found.parts.push(this.parts[node]);
      found.shares.push(share);
      return share;
    }
    const [low, high] = [this.reach(node + 1, here, found), this.reach(right[node], here, found)];
    const term = (low - high) * (low - high) * own[node];
    found.variance += term;
    found.squares += term * term;
    return shares[node] * low + (1 - shares[node]) * high;
  }
}
