/**
 * What a map paints: rectangles with a density each, in the units in which the axes are drawn.
 *
 * @typedef {import("./packing.js").Numbers} Numbers
 * @typedef {import("./release.js").Release} Release
 * @typedef {{x0: Float64Array, x1: Float64Array, y0: Float64Array, y1: Float64Array,
 *   density: Float64Array, deviation: Float64Array | null, unsure: Uint8Array | null, top: number,
 *   raster: Raster | null}} Tiles with the standard deviation of the noise in a density, where it is known
 * @typedef {{across: number, up: number, cuts: Numbers[]}} Raster where tiles lie on both axes, in
 *   units of indices, if they lie in rows and their noise has to be asked for
 */
import { Lattice, outer } from "./layout.js";

const RASTER = 192;
const UNSURE = 1.96;
/** The share of the map that is paler than the darkest colour. */
const BELOW_TOP = 0.998;

/**
 * @param {Release} release
 * @param {number} across the number of the axis
 * @param {number} up
 * @param {import("./layout.js").Question} question of which what is asked of both axes is left out
 * @returns {Tiles}
 */
export function tilesOf(release, across, up, question) {
  const others = question.map((asked, axis) => (axis === across || axis === up ? null : asked));
  const { layout } = release.counts;
  if (layout instanceof Lattice) return latticeTiles(release, layout, across, up, others);
  return release.axes.length === 2
    ? boxTiles(release, layout, across, up)
    : rasterTiles(release, layout, across, up, others);
}

/**
 * @param {Float64Array[]} bounds x0, x1, y0, y1
 * @param {Numbers} values
 * @param {Numbers | null} variances
 * @returns {Tiles}
 */
function makeTiles([x0, x1, y0, y1], values, variances) {
  const density = new Float64Array(values.length);
  const unsure = variances ? new Uint8Array(values.length) : null;
  const deviation = variances ? new Float64Array(values.length) : null;
  for (let n = 0; n < values.length; n++) {
    const size = (x1[n] - x0[n]) * (y1[n] - y0[n]);
    density[n] = values[n] / size;
    if (!unsure || !variances || !deviation) continue;
    const noise = Math.sqrt(variances[n]);
    deviation[n] = noise / size;
    unsure[n] = values[n] < UNSURE * noise ? 1 : 0;
  }
  const top = topOf(density, (n) => (x1[n] - x0[n]) * (y1[n] - y0[n]));
  return { x0, x1, y0, y1, density, deviation, unsure, top, raster: null };
}

/**
 * The density that nearly all of the map is below. Tiles of one size are counted, others weighed.
 * @param {Float64Array} density
 * @param {(n: number) => number} sizeOf
 */
function topOf(density, sizeOf) {
  const first = sizeOf(0);
  const isEven = density.every((_, n) => Math.abs(sizeOf(n) - first) <= 1e-9 * first);
  const most = (/** @type {number} */ value, /** @type {number} */ largest) => (value > 0 ? value : Math.max(largest, 1e-300));
  if (isEven) {
    const sorted = density.slice().sort();
    return most(sorted[Math.floor(BELOW_TOP * (sorted.length - 1))], sorted[sorted.length - 1]);
  }
  const order = Uint32Array.from(density.keys()).sort((a, b) => density[b] - density[a]);
  let left = (1 - BELOW_TOP) * density.reduce((sum, _, n) => sum + sizeOf(n), 0);
  const found = order.find((n) => (left -= sizeOf(n)) <= 0) ?? order[0];
  return most(density[found], density[order[0]]);
}

/**
 * @param {Release} release
 * @param {Lattice} layout
 * @param {number} across
 * @param {number} up
 * @param {import("./layout.js").Question} others
 */
function latticeTiles(release, layout, across, up, others) {
  const { values, noise } = release.counts;
  const alone = release.axes.length === 2;
  const xs = places(release.axes[across], layout.cuts[across]);
  const ys = places(release.axes[up], layout.cuts[up]);
  const table = alone && across < up ? values : sumOthers(layout, values, layout.shares(others), across, up);
  const bounds = fourArrays(table.length);
  for (let n = 0; n < table.length; n++) {
    const [x, y] = [Math.floor(n / (ys.length - 1)), n % (ys.length - 1)];
    [bounds[0][n], bounds[1][n], bounds[2][n], bounds[3][n]] = [xs[x], xs[x + 1], ys[y], ys[y + 1]];
  }
  if (alone && across < up) return makeTiles(bounds, table, noise.variances());
  return { ...makeTiles(bounds, table, null), raster: { across, up, cuts: [layout.cuts[across], layout.cuts[up]] } };
}

/**
 * A table of two axes, the others added up.
 * @param {Lattice} layout
 * @param {Numbers} values
 * @param {Float64Array[]} shares
 * @param {number} across
 * @param {number} up
 */
function sumOthers(layout, values, shares, across, up) {
  const height = layout.shape[up];
  const found = new Float64Array(layout.shape[across] * height);
  const weights = outer(shares);
  const strideOf = (/** @type {number} */ axis) => layout.shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const [strideX, strideY] = [strideOf(across), strideOf(up)];
  for (let n = 0; n < values.length; n++) {
    if (weights[n] === 0) continue;
    const x = Math.floor(n / strideX) % layout.shape[across];
    const y = Math.floor(n / strideY) % height;
    found[x * height + y] += weights[n] * values[n];
  }
  return found;
}

/**
 * @param {Release} release
 * @param {import("./layout.js").Boxes} layout
 * @param {number} across
 * @param {number} up
 */
function boxTiles(release, layout, across, up) {
  const bounds = [
    places(release.axes[across], layout.lower[across]),
    places(release.axes[across], layout.upper[across]),
    places(release.axes[up], layout.lower[up]),
    places(release.axes[up], layout.upper[up]),
  ];
  return makeTiles(bounds, release.counts.values, release.counts.noise.variances());
}

/**
 * Boxes of more than two axes, spread over a raster. How much of each square of the raster a side of
 * a box covers changes in straight lines: only its bends are written down, and added up twice.
 * @param {Release} release
 * @param {import("./layout.js").Boxes} layout
 * @param {number} across
 * @param {number} up
 * @param {import("./layout.js").Question} others
 */
function rasterTiles(release, layout, across, up, others) {
  const { values } = release.counts;
  const weights = layout.weights(others);
  const sizes = [across, up].map((axis) => release.axes[axis].size);
  const counts = sizes.map((size) => Math.min(size, RASTER));
  const [width, height] = [counts[0] + 2, counts[1] + 2];
  const table = new Float64Array(width * height);
  const bends = [across, up].map(() => ({ at: [0, 0, 0, 0], by: [0, 0, 0, 0] }));
  for (let n = 0; n < values.length; n++) {
    if (weights[n] === 0) continue;
    [across, up].forEach((axis, side) => {
      const scale = counts[side] / sizes[side];
      setBends(layout.lower[axis][n] * scale, layout.upper[axis][n] * scale, bends[side]);
    });
    const rows = weights[n] * values[n];
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 4; j++) {
        table[bends[0].at[i] * height + bends[1].at[j]] += rows * bends[0].by[i] * bends[1].by[j];
      }
    }
  }
  addUp(table, width, height);
  const cutsOf = (/** @type {number} */ side) =>
    Float64Array.from({ length: counts[side] + 1 }, (_, n) => (n * sizes[side]) / counts[side]);
  const [xs, ys] = [places(release.axes[across], cutsOf(0)), places(release.axes[up], cutsOf(1))];
  const bounds = fourArrays(counts[0] * counts[1]);
  const found = new Float64Array(counts[0] * counts[1]);
  for (let n = 0; n < found.length; n++) {
    const [x, y] = [Math.floor(n / counts[1]), n % counts[1]];
    found[n] = table[x * height + y];
    [bounds[0][n], bounds[1][n], bounds[2][n], bounds[3][n]] = [xs[x], xs[x + 1], ys[y], ys[y + 1]];
  }
  return { ...makeTiles(bounds, found, null), raster: { across, up, cuts: [cutsOf(0), cutsOf(1)] } };
}

/**
 * Where the shares of squares that an interval covers bend, and by how much.
 * @param {number} low
 * @param {number} high
 * @param {{at: number[], by: number[]}} bends
 */
function setBends(low, high, { at, by }) {
  const [a, b] = [Math.floor(low), Math.floor(high)];
  const [before, after] = [low - a, high - b];
  const each = 1 / (high - low);
  at[0] = a;
  at[1] = a + 1;
  at[2] = b;
  at[3] = b + 1;
  by[0] = (1 - before) * each;
  by[1] = before * each;
  by[2] = -(1 - after) * each;
  by[3] = -after * each;
}

/**
 * @param {Float64Array} table
 * @param {number} width
 * @param {number} height
 */
function addUp(table, width, height) {
  for (let x = 0; x < width; x++) {
    for (let y = 1; y < height; y++) table[x * height + y] += table[x * height + y - 1];
  }
  for (let n = height; n < width * height; n++) table[n] += table[n - height];
}

/** @param {number} length */
function fourArrays(length) {
  return Array.from({ length: 4 }, () => new Float64Array(length));
}

/**
 * @param {import("./axes.js").Axis} axis
 * @param {Numbers} positions
 */
function places(axis, positions) {
  return Float64Array.from(positions, (position) => axis.place(position));
}
