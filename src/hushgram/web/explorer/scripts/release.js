/**
 * Releases as the page has them: axes, counts and quantiles, asked for in the values of the axes.
 *
 * @typedef {import("./axes.js").Asked} Asked
 * @typedef {Record<string, Asked>} Asking what is asked of the axes that are named
 * @typedef {import("./widths.js").Confidence} Confidence
 * @typedef {{kind: string, steps: number, lengths: any, points: any}} Outlines
 */
import { coverBoxes, placeRings } from "./areas.js";
import { askedOf } from "./asking.js";
import { Axis } from "./axes.js";
import { Counts } from "./counts.js";
import { Measure } from "./measures.js";
import { fillIn, readArrays, unpackBytes } from "./packing.js";
import { Along, NOTHING, SortedRows, quantileOf } from "./quantiles.js";
import { Shapes } from "./shapes.js";
import { Quantiles } from "./widths.js";

export class Release {
  /**
   * @param {any} described
   * @param {Quantiles} quantiles
   */
  constructor(described, quantiles) {
    /** @type {string} */
    this.file = described.file;
    /** What it is called among others. */
    this.called = this.file.replace(/\.hush\.parquet$|\.parquet$/, "") || this.file;
    this.facts = described.facts;
    /** @type {string} */
    this.whyWide = described.whyWide;
    /** @type {[string, string] | null} */
    this.map = described.map;
    /** @type {Axis[]} */
    this.axes = described.axes.map((/** @type {any} */ axis) => new Axis(axis));
    this.counts = new Counts(described, quantiles);
    /** What was measured beside the number of rows. @type {Measure[]} */
    this.measures = described.measures.map((/** @type {any} */ one) => new Measure(one, this.counts, quantiles));
    /** The share of each box that outlines cover. @type {WeakMap<import("./areas.js").Outline, Float64Array>} */
    this.covered = new WeakMap();
    this.sorted = described.reconstruction && new SortedRows(described.reconstruction, quantiles);
  }

  /** @param {string} name */
  axis(name) {
    return /** @type {Axis} */ (this.axes.find((axis) => axis.name === name));
  }

  /**
   * The axes of which something is asked, in order.
   * @param {Asking} asking
   * @returns {[Axis, NonNullable<Asked>][]}
   */
  asked(asking) {
    return this.axes.flatMap((axis) => {
      const asked = askedOf(asking, axis.name);
      return asked ? [/** @type {[Axis, NonNullable<Asked>]} */ ([axis, asked])] : [];
    });
  }

  /** @param {Asking} asking */
  locate(asking) {
    return this.axes.map((axis) => axis.locate(askedOf(asking, axis.name)));
  }

  /**
   * @param {Asking} asking
   * @param {Confidence} confidence
   */
  count(asking, confidence) {
    return this.counts.count(this.locate(asking), confidence);
  }

  /**
   * The rows inside of an outline, of which what is asked of its axes is left out.
   * @param {import("./areas.js").Outline} outline
   * @param {Asking} asking
   * @param {Confidence} confidence
   */
  countArea(outline, asking, confidence) {
    const [across, up] = this.placesOf(outline);
    const rings = placeRings(outline, this.axes[across], this.axes[up]);
    return this.counts.countInside(rings, across, up, confidence) ?? this.counts.countWeights(this.weightsOf(outline, asking), confidence);
  }

  /**
   * The numbers of the axes that an outline lies on.
   * @param {import("./areas.js").Outline} outline
   */
  placesOf({ axes }) {
    return axes.map((name) => this.axes.findIndex((axis) => axis.name === name));
  }

  /**
   * The share of each part inside of an outline.
   * @param {import("./areas.js").Outline} outline
   * @param {Asking} asking
   */
  weightsOf(outline, asking) {
    const [across, up] = this.placesOf(outline);
    const covered = this.covered.get(outline) ??
      coverBoxes(this.counts.plane(across, up), placeRings(outline, this.axes[across], this.axes[up]));
    this.covered.set(outline, covered);
    return this.counts.spreadOut(covered, across, up, this.locate(asking));
  }

  /**
   * The values that shares of the rows do not exceed; null if the release counts no rows.
   * @param {string} name
   * @param {number[]} shares between 0 and 1
   * @param {Asking} asking of which what is asked of the axis itself is left out
   * @param {Confidence} confidence
   */
  quantile(name, shares, asking, confidence) {
    const place = this.axes.findIndex((axis) => axis.name === name);
    const axis = this.axes[place];
    const along = new Along(this.counts, place, axis.declared, this.locate(asking));
    if (!(along.total > NOTHING)) return null;
    return shares.map((q) => quantileOf(this.sorted ?? along, axis, q, confidence));
  }
}

/** All that a page holds. */
export class Contents {
  /**
   * @param {any} described
   * @param {string} numbers
   */
  static async read(described, numbers) {
    const arrays = readArrays(described.arrays, await unpackBytes(numbers));
    return new Contents(fillIn(described, arrays));
  }

  /** @param {any} described */
  constructor(described) {
    /** @type {string} */
    this.title = described.title;
    /** @type {Confidence[]} */
    this.confidences = described.confidences;
    /** @type {Outlines[]} */
    this.outlines = described.outlines;
    /** Areas that somebody gave, to count on the map. */
    this.shapes = described.shapes && new Shapes(described.shapes, described.shapes.names);
    const quantiles = new Quantiles(described.terms);
    /** @type {Release[]} */
    this.releases = described.releases.map((/** @type {any} */ one) => new Release(one, quantiles));
    if (this.releases.length > 1) keepSharedMeasures(this.releases);
  }

  /** @param {number} level */
  confidence(level) {
    return this.confidences.find((one) => one.level === level) ?? this.confidences[2];
  }
}

/**
 * Keep the measures that all of several releases have, in one order: only these can be compared.
 * @param {Release[]} releases
 */
function keepSharedMeasures(releases) {
  const [first, ...others] = releases;
  const find = (/** @type {Release} */ { measures }, /** @type {Measure} */ wanted) =>
    measures.find(({ name, kind }) => name === wanted.name && kind === wanted.kind);
  const shared = first.measures.filter((one) => others.every((other) => find(other, one)));
  for (const release of releases) release.measures = shared.map((one) => /** @type {Measure} */ (find(release, one)));
}
