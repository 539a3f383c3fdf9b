/**
 * Axes: from values to positions along the indices, and back; and how both are written.
 *
 * What is asked of an axis is written in its own values: numbers, seconds since 1970 for dates, or
 * categories. A range is half-open, and null leaves an end open.
 *
 * @typedef {{from: number | null, to: number | null}} ValueRange
 * @typedef {{values: (string | number)[]}} ValueList
 * @typedef {null | ValueRange | ValueList} Asked
 */
import { countUpTo } from "./layout.js";
import { Shapes } from "./shapes.js";

export const OTHER = "other";
const DAY = 86400;

/** The units of the last place of a double. */
function ulp(/** @type {number} */ x) {
  const numbers = new Float64Array([Math.abs(x)]);
  const bits = new BigInt64Array(numbers.buffer);
  bits[0] += 1n;
  return numbers[0] - Math.abs(x);
}

export class Axis {
  /** @param {any} described */
  constructor(described) {
    this.described = described;
    /** @type {string} */
    this.name = described.name;
    /** @type {string} */
    this.kind = described.kind;
    /** @type {number} */
    this.offset = described.offset;
    /** @type {number} */
    this.size = described.size;
    /** How many indices hold declared values; the rest is "other". @type {number} */
    this.declared = described.declared;
    /** @type {boolean} */
    this.ordered = described.ordered;
    /** @type {boolean} */
    this.continuous = described.continuous;
    this.isDate = described.kind === "date";
    this.isWhole = described.kind === "integer";
    this.isArea = described.kind === "areas";
    /** Whether its values are real numbers, as sides of a map are. */
    this.isReal = ["interval", "regular", "variable"].includes(described.kind);
    /** How many indices the whole axis has, of which this may be a part. @type {number} */
    this.bins = described.bins;
    /** The categories, if it has such. @type {string[] | undefined} */
    this.labels = described.values;
    /** What areas lie in, the smallest first. @type {{name: string, groups: string[]}[]} */
    this.levels = described.levels ?? [];
    /** The outlines of areas, if there are such. @type {Shapes | null} */
    this.shapes = described.shapes ? new Shapes(described.shapes, described.values) : null;
  }

  /** Whether rows that do not fit are counted together, as the last index. */
  get hasOther() {
    return this.size > this.declared;
  }

  /**
   * The value at the lower end of an index: a number, or seconds since 1970.
   * @param {number} index
   * @returns {number}
   */
  edge(index) {
    const d = this.described;
    const place = index + this.offset;
    if (d.kind === "variable") return d.edges[place];
    if (d.kind === "integer") return d.lo + place;
    if (d.kind === "date") return this.moment(place);
    return place === d.bins ? d.hi : d.lo + (place * (d.hi - d.lo)) / d.bins;
  }

  /**
   * @param {number} place
   * @returns {number} seconds since 1970
   */
  moment(place) {
    const d = this.described;
    if (d.step !== undefined) return d.first + place * d.step;
    const start = new Date(d.first * 1000);
    const months = start.getUTCFullYear() * 12 + start.getUTCMonth() + place * d.months;
    return monthStart(months);
  }

  /**
   * Where a value lies along the indices of the axis; infinite ones lie at its ends.
   * @param {number} value
   */
  position(value) {
    const whole = this.wholePosition(value);
    if (!this.described.window) return whole;
    return Math.min(Math.max(whole - this.offset, 0), this.size);
  }

  /** @param {number} value */
  wholePosition(value) {
    const d = this.described;
    if (d.kind === "integer") {
      return Math.min(Math.max(Math.ceil(value) - d.lo, 0), d.bins);
    }
    if (d.kind === "date") return this.datePosition(value);
    if (d.kind === "variable") {
      const x = Math.min(Math.max(value, d.edges[0]), d.edges[d.bins]);
      const index = Math.min(countUpTo(d.edges, x) - 1, d.bins - 1);
      return index + (x - d.edges[index]) / (d.edges[index + 1] - d.edges[index]);
    }
    const { lo, hi, bins } = d;
    const span = hi - lo;
    const x = Math.min(Math.max(value, lo), hi);
    const base = lo + 16 * ulp(Math.max(Math.abs(lo), Math.abs(hi)));
    const below = Math.floor((x - base) * (bins / span));
    const upper = lo + ((below + 1) * span) / bins;
    const index = Math.min(below + (x >= upper ? 1 : 0), bins - 1);
    const start = lo + (index * span) / bins;
    const stop = index === bins - 1 ? hi : lo + ((index + 1) * span) / bins;
    return index + (x - start) / (stop - start);
  }

  /** @param {number} seconds */
  datePosition(seconds) {
    const d = this.described;
    if (seconds === Infinity) return d.bins;
    if (seconds === -Infinity) return 0;
    const step =
      d.step !== undefined
        ? Math.floor((seconds - d.first) / d.step)
        : Math.floor((monthOf(seconds) - monthOf(d.first)) / d.months);
    if (!(step >= 0 && step < d.bins)) return Math.min(Math.max(step, 0), d.bins);
    const [start, stop] = [this.moment(step), this.moment(step + 1)];
    return step + (seconds - start) / (stop - start);
  }

  /**
   * What is asked, in units of indices.
   * @param {Asked} asked
   * @returns {null | import("./layout.js").Stretch | import("./layout.js").Choice}
   */
  locate(asked) {
    if (asked === null) return null;
    if ("values" in asked) {
      const places = asked.values.map((value) => this.indexOf(value)).filter((place) => place >= 0);
      return { list: [...new Set(places)].sort((a, b) => a - b) };
    }
    const start = this.position(asked.from ?? -Infinity);
    return { start, stop: Math.max(this.position(asked.to ?? Infinity), start) };
  }

  /**
   * The index of a category or of a whole number, a day or "other"; -1 if there is none.
   * @param {string | number} value
   */
  indexOf(value) {
    if (value === OTHER && this.described.other) {
      const place = this.bins - this.offset;
      return place >= 0 && place < this.size ? place : -1;
    }
    const found = this.labels
      ? this.labels.indexOf(String(value)) - this.offset
      : Math.floor(this.wholePosition(Number(value))) - this.offset;
    return found >= 0 && found < this.declared ? found : -1;
  }

  /**
   * The value at a position, in the axis's own kind. Whole numbers and days take a stretch of
   * positions: where one ends and the next begins, `ends` says which is meant.
   * @param {number} position
   * @param {boolean} ends
   */
  valueAt(position, ends) {
    const within = Math.min(Math.max(position, 0), this.declared);
    if (this.isWhole) {
      const index = ends ? Math.ceil(within) - 1 : Math.floor(within);
      return this.edge(Math.min(Math.max(index, 0), this.declared - 1));
    }
    const index = Math.min(Math.floor(within), this.declared - 1);
    const [low, high] = [this.edge(index), this.edge(index + 1)];
    const found = low + (within - index) * (high - low);
    if (!this.isDate) return found;
    if (!this.described.days) return Math.round(found);
    const last = (ends || found >= this.edge(this.declared)) && found > this.edge(0);
    const days = found / DAY;
    return DAY * (last ? Math.ceil(days) - 1 : Math.floor(days));
  }

  /**
   * A place to draw a position at: values, where neighbouring indices differ by their width.
   * @param {number} position
   */
  place(position) {
    if (!this.ordered) return position;
    if (position >= this.declared) return this.edge(this.declared) + (position - this.declared) * this.otherWidth;
    const index = Math.min(Math.max(Math.floor(position), 0), this.declared - 1);
    const low = this.edge(index);
    return position === index ? low : low + (position - index) * (this.edge(index + 1) - low);
  }

  /** How wide "other" is drawn, after all declared values. */
  get otherWidth() {
    return (this.edge(this.declared) - this.edge(0)) / Math.min(Math.max(this.declared, 8), 40);
  }

  /**
   * A category's label, or that of "other".
   * @param {number} index
   * @returns {string}
   */
  label(index) {
    if (index >= this.declared) return OTHER;
    return this.labels ? this.labels[index + this.offset] : this.format(this.edge(index));
  }

  /**
   * A value for people, and for questions: the shortest text that means just it.
   * @param {number} value
   */
  format(value) {
    if (!this.isDate) return String(value);
    const text = new Date(value * 1000).toISOString();
    if (this.described.days) return text.slice(0, 10);
    return text.slice(0, 19).replace(/:00$/, "");
  }

  /**
   * A value that somebody typed; NaN if it is none.
   * @param {string} text
   */
  parse(text) {
    const trimmed = text.trim();
    if (!this.isDate) {
      const found = trimmed === "" ? NaN : Number(trimmed.replace(/[−–]/g, "-"));
      return Number.isFinite(found) ? found : NaN;
    }
    if (!/^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?$/.test(trimmed)) return NaN;
    const [day, time] = trimmed.split(/[ T]/);
    return Date.parse(`${day}T${time ?? "00:00"}Z`) / 1000;
  }
}

/** @param {number} months since the year 0 */
function monthStart(months) {
  const moment = new Date(0);
  moment.setUTCFullYear(Math.floor(months / 12), months % 12, 1);
  return moment.getTime() / 1000;
}

/** @param {number} seconds */
function monthOf(seconds) {
  const moment = new Date(seconds * 1000);
  return moment.getUTCFullYear() * 12 + moment.getUTCMonth();
}
