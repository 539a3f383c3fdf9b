/**
 * What the page asks, and the answers: of rows or of a measured column, of one release or of the
 * change from the first release to another, in ranges, groups and outlines.
 *
 * @typedef {import("./release.js").Asking} Asking
 * @typedef {import("./release.js").Release} Release
 * @typedef {import("./areas.js").Outline} Outline
 * @typedef {{kind: "rows"} | {kind: "sum" | "mean", place: number}} What a measure by its place
 * @typedef {{value: number, low: number, high: number, noise: number | null} | null} Answer with the ends
 *   of its interval and half the interval for the noise alone; null where nothing can be told
 */
import { cutOutline } from "./areas.js";
import { askedOf } from "./asking.js";

/** The confidence level that nobody needs to ask for. */
export const USUAL = 0.95;

/** @type {What} */
export const ROWS = { kind: "rows" };

export class Asker {
  /** @param {import("./release.js").Contents} contents */
  constructor(contents) {
    this.contents = contents;
    /** @type {Asking} */
    this.asking = {};
    /** @type {Outline | null} */
    this.outline = null;
    this.confidence = contents.confidence(USUAL);
    this.what = ROWS;
    /** The release that is shown. */
    this.shown = 0;
    /** Whether the change from the first release to it is shown. */
    this.isChange = false;
  }

  get release() {
    return this.contents.releases[this.shown];
  }

  /**
   * What is shown of a question.
   * @param {Asking} asking
   * @param {Outline | null} [outline]
   * @returns {Answer}
   */
  ask(asking, outline = this.outline) {
    const found = this.answer(this.release, asking, outline);
    if (!this.isChange) return found;
    return change(this.answer(this.contents.releases[0], asking, outline), found);
  }

  /**
   * @param {Release} release
   * @param {Asking} asking
   * @param {Outline | null} outline
   * @returns {Answer}
   */
  answer(release, asking, outline) {
    const { what, confidence } = this;
    const cut = outline && cutBy(outline, asking);
    if (outline && !cut) return null;
    if (cut && !cut.rings.length) return what.kind === "mean" ? null : { value: 0, low: 0, high: 0, noise: 0 };
    if (what.kind !== "rows") {
      const measure = release.measures[what.place];
      const rows = cut
        ? measure.rowsInside(release.weightsOf(cut, asking), confidence)
        : measure.rows(release.locate(asking), confidence);
      const found = measure[what.kind](rows);
      return found && { ...found, noise: null };
    }
    const { value, noise, width } = cut ? release.countArea(cut, asking, confidence) : release.count(asking, confidence);
    return { value, low: value - width, high: value + width, noise };
  }
}

/**
 * The part of an outline in what is asked of its axes; null if that is no range.
 * @param {Outline} outline
 * @param {Asking} asking
 */
function cutBy(outline, asking) {
  let found = outline;
  for (const [side, name] of outline.axes.entries()) {
    const asked = askedOf(asking, name);
    if (asked === null) continue;
    if ("values" in asked) return null;
    found = cutOutline(found, side, asked.from ?? -Infinity, asked.to ?? Infinity);
  }
  return found;
}

/**
 * The difference of independent numbers: their errors add up like the sides of a right-angled
 * triangle, on each side.
 * @param {Answer} before
 * @param {Answer} after
 * @returns {Answer}
 */
export function change(before, after) {
  if (!before || !after) return null;
  const value = after.value - before.value;
  const down = Math.hypot(after.value - after.low, before.high - before.value);
  const up = Math.hypot(after.high - after.value, before.value - before.low);
  return { value, low: value - down, high: value + up, noise: null };
}

/**
 * Whether noise could explain that a number is not zero.
 * @param {Answer} answer
 */
export function isUnsure(answer) {
  return !answer || (answer.low <= 0 && answer.high >= 0);
}
