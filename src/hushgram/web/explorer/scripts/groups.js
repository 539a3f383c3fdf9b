/**
 * The groups that a chart or a table shows along an axis: years, months or days, bins or runs of bins,
 * categories, or larger areas.
 *
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {{start: number, stop: number, asked: NonNullable<import("./axes.js").Asked>, label: string,
 *   exact?: string}} Group positions where it starts and stops, how it is asked for, and what it is called;
 *   exactly, where that takes more digits than people want to read
 * @typedef {[number, number]} Window positions on the axis
 */
import { OTHER } from "./axes.js";
import { Lattice } from "./layout.js";
import { TEXT } from "./strings.js";
import { rangeText } from "./wording.js";

const MOST_BARS = 62;

/**
 * @param {import("./release.js").Release} release
 * @param {Axis} axis
 * @param {Window} [window] the part of the axis that is shown
 * @param {number} [most] how many ranges there may be
 * @returns {Group[]}
 */
export function groupsOf(release, axis, window = [0, axis.declared], most = MOST_BARS) {
  const found = axis.ordered ? rangesOf(release, axis, window, most) : categoriesOf(axis);
  if (axis.ordered && axis.hasOther && isWhole(axis, window)) {
    found.push({ start: axis.declared, stop: axis.size, asked: { values: [OTHER] }, label: OTHER });
  }
  return found;
}

/**
 * @param {Axis} axis
 * @param {Window} window
 */
export function isWhole(axis, [start, stop]) {
  return start <= 0 && stop >= axis.declared;
}

/**
 * @param {Axis} axis
 * @returns {Group[]}
 */
function categoriesOf(axis) {
  return Array.from({ length: axis.size }, (_, index) => {
    const label = axis.label(index);
    return { start: index, stop: index + 1, asked: { values: [label] }, label };
  });
}

/**
 * The larger areas of a level, each asked for by all areas in it.
 * @param {Axis} axis
 * @param {string} level
 * @returns {Group[]}
 */
export function levelGroups(axis, level) {
  const groups = axis.levels.find((one) => one.name === level)?.groups ?? [];
  /** @type {Map<string, string[]>} */
  const members = new Map();
  for (let index = 0; index < axis.declared; index++) {
    const group = groups[index + axis.offset];
    members.set(group, [...(members.get(group) ?? []), axis.label(index)]);
  }
  const found = [...members].map(([label, values], n) => ({ start: n, stop: n + 1, asked: { values }, label }));
  if (axis.hasOther) found.push({ start: found.length, stop: found.length + 1, asked: { values: [OTHER] }, label: OTHER });
  return found;
}

/**
 * Units of the calendar, whole bins, or the slices that the mechanism chose.
 * @param {import("./release.js").Release} release
 * @param {Axis} axis
 * @param {Window} window
 * @param {number} most
 * @returns {Group[]}
 */
function rangesOf(release, axis, window, most) {
  const unit = axis.isDate ? unitOf(axis, window, most) : null;
  const cuts = unit ? cutsOf(axis, window, unit) : chooseCuts(release, axis, window, most);
  return cuts.slice(1).map((stop, n) => {
    const asked = { from: axis.edge(cuts[n]), to: axis.edge(stop) };
    const whole = unit && isUnit(axis, asked.from, asked.to, unit);
    if (whole) return { start: cuts[n], stop, asked, label: unitLabel(asked.from, unit) };
    const exact = axis.isWhole ? undefined : TEXT.range(axis.format(asked.from), axis.format(asked.to));
    return { start: cuts[n], stop, asked, label: rangeText(axis, asked), exact };
  });
}

/**
 * @param {import("./release.js").Release} release
 * @param {Axis} axis
 * @param {Window} window
 * @param {number} most
 * @returns {number[]}
 */
function chooseCuts(release, axis, [start, stop], most) {
  const { layout } = release.counts;
  const own = layout instanceof Lattice ? layout.cuts[release.axes.indexOf(axis)] : null;
  if (axis.continuous && own) {
    const inside = [...own].filter((cut) => cut > start && cut < stop && cut <= axis.declared);
    if (inside.length && inside.length < most) return [start, ...inside, stop];
  }
  const [first, last] = [Math.floor(start), Math.ceil(stop)];
  const run = niceRun((last - first) / most);
  const found = [first];
  for (let cut = (Math.floor(first / run) + 1) * run; cut < last; cut += run) found.push(cut);
  return [...found, last];
}

/**
 * So many bins, or slightly more: 1, 2, 5, 10, …, or halves of halves where there are many.
 * @param {number} least
 */
function niceRun(least) {
  const wanted = Math.max(Math.ceil(least), 1);
  if (wanted > 1000) return 2 ** Math.ceil(Math.log2(wanted));
  for (let power = 1; ; power *= 10) {
    for (const factor of [1, 2, 3, 4, 5, 6, 8]) if (factor * power >= wanted) return factor * power;
  }
}

// Years, months, days --------------------------------------------------------------------------

const UNITS = /** @type {const} */ (["minute", "hour", "day", "month", "year", "decade"]);

/** @typedef {typeof UNITS[number]} Unit */

/** The least that a unit takes, in seconds. @type {Record<Unit, number>} */
const LEAST = { minute: 60, hour: 3600, day: 86400, month: 28 * 86400, year: 365 * 86400, decade: 3652 * 86400 };

/**
 * The unit after some steps from the one that holds a moment.
 * @param {number} seconds
 * @param {Unit} unit
 * @param {number} steps
 */
function unitStart(seconds, unit, steps) {
  if (unit === "minute" || unit === "hour" || unit === "day") return (Math.floor(seconds / LEAST[unit]) + steps) * LEAST[unit];
  const moment = new Date(seconds * 1000);
  const months = moment.getUTCFullYear() * 12 + moment.getUTCMonth();
  const length = { month: 1, year: 12, decade: 120 }[unit];
  const start = (Math.floor(months / length) + steps) * length;
  const found = new Date(0);
  found.setUTCFullYear(Math.floor(start / 12), start % 12, 1);
  return found.getTime() / 1000;
}

/**
 * The finest unit of the calendar that fits into a chart and is no finer than the bins; null where
 * bins are what fits.
 * @param {Axis} axis
 * @param {Window} window
 * @param {number} most
 */
function unitOf(axis, [start, stop], most) {
  if (stop - start <= most) {
    const unit = UNITS.find((one) => isUnit(axis, axis.edge(start), axis.edge(start + 1), one));
    return unit ?? null;
  }
  const span = axis.edge(stop) - axis.edge(start);
  return UNITS.find((unit) => span / LEAST[unit] <= most) ?? "decade";
}

/**
 * @param {Axis} axis
 * @param {Window} window
 * @param {Unit} unit
 */
function cutsOf(axis, [start, stop], unit) {
  const found = [start];
  for (let moment = unitStart(axis.edge(start), unit, 1); ; moment = unitStart(moment, unit, 1)) {
    const cut = Math.round(axis.position(moment));
    if (cut >= stop) break;
    if (cut > found[found.length - 1]) found.push(cut);
  }
  return [...found, stop];
}

/**
 * Whether a range is just a unit of the calendar.
 * @param {Axis} _axis
 * @param {number} from
 * @param {number} to
 * @param {Unit} unit
 */
function isUnit(_axis, from, to, unit) {
  return unitStart(from, unit, 0) === from && unitStart(from, unit, 1) === to;
}

/**
 * @param {number} seconds
 * @param {Unit} unit
 */
function unitLabel(seconds, unit) {
  const text = new Date(seconds * 1000).toISOString();
  const length = { minute: 16, hour: 13, day: 10, month: 7, year: 4, decade: 4 }[unit];
  const short = text.slice(0, length).replace("T", " ");
  return unit === "hour" ? `${short}:00` : unit === "decade" ? `${short}s` : short;
}
