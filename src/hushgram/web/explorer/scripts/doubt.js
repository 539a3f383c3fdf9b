/**
 * Which tiles of a map noise could explain, where each has to be asked: tiles that add up what lies
 * on other axes.
 *
 * @typedef {import("./tiles.js").Tiles} Tiles
 * @typedef {import("./layout.js").Question} Question
 */

const MOST_TILES = 5000;
/** Parts of a release that are looked at, for all tiles together. */
const MOST_PARTS = 2e8;
const EACH = 16;

/**
 * Fade tiles, some at each step. Maps of more tiles than a page can ask stay as they are.
 * @param {import("./release.js").Release} release
 * @param {Tiles} tiles
 * @param {Question} others what is asked of the other axes
 * @param {import("./widths.js").Confidence} confidence
 */
export function* findDoubt(release, tiles, others, confidence) {
  const { raster, density } = tiles;
  if (!raster || density.length > MOST_TILES || density.length * release.counts.values.length > MOST_PARTS) return;
  const [xs, ys] = raster.cuts;
  const deviation = new Float64Array(density.length);
  const unsure = new Uint8Array(density.length);
  for (let n = 0; n < density.length; n++) {
    if (n % EACH === 0) yield;
    const [x, y] = [Math.floor(n / (ys.length - 1)), n % (ys.length - 1)];
    const question = others.slice();
    question[raster.across] = { start: xs[x], stop: xs[x + 1] };
    question[raster.up] = { start: ys[y], stop: ys[y + 1] };
    const { value, noise, width } = release.counts.count(question, confidence);
    const size = (tiles.x1[n] - tiles.x0[n]) * (tiles.y1[n] - tiles.y0[n]);
    deviation[n] = noise / confidence.both / size;
    unsure[n] = value <= width ? 1 : 0;
  }
  Object.assign(tiles, { deviation, unsure });
}
