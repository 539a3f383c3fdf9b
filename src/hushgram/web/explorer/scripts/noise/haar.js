/** Transforms of a line of cells: Haar's contrasts, and a total beside all cells. */

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
export function descend(rows) {
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
export function ascend(weights) {
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
export function squaresOfInverse(cells) {
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
export function settle(rows) {
  const cells = rows.subarray(1);
  const shared = (rows[0] - cells.reduce((sum, cell) => sum + cell, 0)) / rows.length;
  return cells.map((cell) => cell + shared);
}

/**
 * The transpose of `settle`.
 * @param {Float64Array} weights
 */
export function unsettle(weights) {
  const shared = weights.reduce((sum, weight) => sum + weight, 0) / (weights.length + 1);
  const found = new Float64Array(weights.length + 1);
  found[0] = shared;
  for (let n = 0; n < weights.length; n++) found[n + 1] = weights[n] - shared;
  return found;
}
