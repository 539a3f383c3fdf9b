/**
 * Counts with intervals, the same as `Release.count` gives.
 *
 * @typedef {import("./layout.js").Question} Question
 * @typedef {import("./widths.js").Confidence} Confidence
 * @typedef {{value: number, noise: number, width: number}} Answer a number, and half the widths of
 *   the intervals for the noise and for the truth
 */
import { BoxPlane, GridPlane } from "./areas.js";
import { Lattice, boxOf, coverSlices, dot, readLayout } from "./layout.js";
import { readNoise } from "./noise.js";
import { BoxRegion, RingRegion, Rings } from "./regions.js";
import { readUnevenness } from "./unevenness.js";
import { A_ROW } from "./unevenness/uneven.js";
import { truthWidth, unevenWidth } from "./widths.js";

const WHOLE = 1 - 1e-12;

/** Numbers of the parts of a release, and the noise of sums of them. */
export class Parts {
  /**
   * @param {any} described
   * @param {import("./widths.js").Quantiles} quantiles
   * @param {number[]} sizes of the axes
   */
  constructor(described, quantiles, sizes) {
    this.layout = readLayout(described.layout);
    this.noise = readNoise(described.noise);
    this.sizes = sizes;
    /** @type {number} */
    this.margin = described.noiseMargin;
    this.quantiles = quantiles;
  }

  get values() {
    return this.noise.values;
  }

  /**
   * A sum of parts, and half the width of the interval for its noise.
   * @param {Question} question
   * @param {Confidence} confidence
   */
  find(question, confidence) {
    const { layout } = this;
    /** @type {Float64Array | null} */
    let made = null;
    const weights = () => (made ??= layout.weights(question));
    const box = this.noise.ofRegion && boxOf(question, this.sizes);
    const known = box && this.noise.ofRegion?.(new BoxRegion(box), layout);
    if (known) return { value: known.value, noise: this.noiseWidth(known.spread, confidence), weights };
    const shares = layout instanceof Lattice ? layout.shares(question) : null;
    const value = shares
      ? /** @type {Lattice} */ (layout).contract(this.values, shares)
      : dot(this.values, weights());
    const noise = this.noiseWidth(this.noise.spread(weights, shares), confidence);
    return { value, noise, weights };
  }

  /**
   * A sum of shares of the parts, of any size each, and half the width of the interval for its noise.
   * @param {Float64Array} weights
   * @param {Confidence} confidence
   */
  findWeights(weights, confidence) {
    const value = dot(this.values, weights);
    const spread = this.noise.spread(() => weights, null);
    if (!this.noise.isDirect) return { value, noise: this.margin * this.quantiles.widest(spread.variance, confidence) };
    let [ones, squares] = [0, 0];
    for (let n = 0; n < weights.length; n++) {
      ones += weights[n];
      squares += weights[n] * weights[n];
    }
    return { value, noise: this.noiseWidth({ ...spread, whole: squares >= ones * WHOLE }, confidence) };
  }

  /**
   * @param {import("./noise.js").Spread} spread
   * @param {Confidence} confidence
   */
  noiseWidth(spread, confidence) {
    return this.margin * this.quantiles.halfWidth(spread, confidence);
  }
}

/** What a release knows of rows: counts, and the errors of these. */
export class Counts extends Parts {
  /**
   * @param {any} described
   * @param {import("./widths.js").Quantiles} quantiles
   */
  constructor(described, quantiles) {
    super(described, quantiles, described.axes.map((/** @type {any} */ axis) => axis.size));
    this.unevenness = readUnevenness(described.unevenness, this.noise);
    /** Boxes of two axes, by the numbers of both. @type {Map<string, import("./areas.js").PlaneBoxes>} */
    this.planes = new Map();
  }

  /**
   * @param {Question} question
   * @param {Confidence} confidence
   * @returns {Answer}
   */
  count(question, confidence) {
    const { value, noise, weights } = this.find(question, confidence);
    return { value, noise, width: truthWidth(noise, this.unevenWidth(question, weights, confidence, value)) };
  }

  /**
   * Half the width of an interval for what uneven rows can do to a count.
   * @param {Question} question
   * @param {() => Float64Array} weights
   * @param {Confidence} confidence
   * @param {number} value
   */
  unevenWidth(question, weights, confidence, value) {
    const box = boxOf(question, this.sizes);
    const uneven = box ? this.unevenness.ofBox(box) : this.unevenness.ofWeights(weights());
    return unevenWidth(uneven, confidence, value);
  }

  /**
   * The boxes of the parts on two axes.
   * @param {number} across
   * @param {number} up
   */
  plane(across, up) {
    const key = `${across} ${up}`;
    const { layout } = this;
    const made = this.planes.get(key) ??
      (layout instanceof Lattice
        ? new GridPlane(layout.cuts[across], layout.cuts[up])
        : new BoxPlane([layout.lower[across], layout.lower[up]], [layout.upper[across], layout.upper[up]]));
    this.planes.set(key, made);
    return made;
  }

  /**
   * The share of each part, from those of boxes of two axes and a question about the others.
   * @param {Float64Array} covered
   * @param {number} across
   * @param {number} up
   * @param {Question} question
   */
  spreadOut(covered, across, up, question) {
    const others = question.map((asked, axis) => (axis === across || axis === up ? null : asked));
    const { layout } = this;
    if (layout instanceof Lattice) return layout.spread(covered, across, up, others);
    const found = covered.slice();
    others.forEach((asked, axis) => {
      if (asked === null) return;
      const share = coverSlices(layout.lower[axis], layout.upper[axis], asked);
      for (let n = 0; n < found.length; n++) found[n] *= share[n];
    });
    return found;
  }

  /**
   * A count of the inside of rings, by going along their border; null if that is not possible.
   * @param {import("./regions.js").Placed[]} rings
   * @param {number} across
   * @param {number} up
   * @param {Confidence} confidence
   * @returns {Answer | null}
   */
  countInside(rings, across, up, confidence) {
    const { noise, unevenness, layout } = this;
    if (!noise.ofRegion || !unevenness.ofCut || this.sizes.length > 2) return null;
    const { value, spread, parts, shares, whole } = noise.ofRegion(new RingRegion(new Rings(rings), across, up), layout);
    const isCut = shares.some((share) => share > 0 && share < 1);
    const uneven = this.roomForRow(unevenness.ofCut(parts, shares), isCut || !(whole || shares.some((share) => share > 0)));
    const width = this.margin * this.quantiles.widest(spread.variance, confidence);
    return { value, noise: width, width: truthWidth(width, unevenWidth(uneven, confidence, value)) };
  }

  /**
   * A count of shares of the parts, of any size each, as `Release.areas` has it.
   * @param {Float64Array} weights
   * @param {Confidence} confidence
   * @returns {Answer}
   */
  countWeights(weights, confidence) {
    const { value, noise } = this.findWeights(weights, confidence);
    return { value, noise, width: truthWidth(noise, this.unevenShares(weights, confidence, value)) };
  }

  /**
   * Half the width of an interval for what uneven rows can do to a count of shares of the parts.
   * @param {Float64Array} weights
   * @param {Confidence} confidence
   * @param {number} value
   */
  unevenShares(weights, confidence, value) {
    const found = this.unevenness.ofWeights(weights);
    const isCut = weights.some((weight) => weight - weight * weight > 0) || !weights.some((weight) => weight !== 0);
    return unevenWidth(this.roomForRow(found, isCut), confidence, value);
  }

  /**
   * There is room for one row wherever a part is cut.
   * @param {import("./unevenness.js").Uneven} uneven
   * @param {boolean} isCut
   */
  roomForRow(uneven, isCut) {
    return isCut ? { ...uneven, variance: Math.max(uneven.variance, A_ROW ** 2), most: Math.max(uneven.most, 1) } : uneven;
  }
}
