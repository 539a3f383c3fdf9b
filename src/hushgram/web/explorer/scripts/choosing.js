/**
 * What somebody means who points at an axis.
 *
 * @typedef {import("./axes.js").Asked} Asked
 * @typedef {import("./axes.js").Axis} Axis
 */

/**
 * The range that somebody means who points to two places: whole cells where cells were declared,
 * round values elsewhere.
 * @param {Axis} axis
 * @param {[number, number]} places
 * @param {number} fine how much of the axis a pixel is
 * @returns {Asked}
 */
export function rangeOf(axis, places, fine) {
  const [low, high] = [axis.place(0), axis.place(axis.declared)];
  const [from, to] = places.map((place) => Math.min(Math.max(place, low), high));
  if (!axis.continuous) {
    const [start, stop] = [from, to].map((value) => Math.round(axis.position(value)));
    const first = Math.min(start, axis.declared - 1);
    return { from: axis.edge(first), to: axis.edge(Math.max(stop, first + 1)) };
  }
  return checkRange(axis, roundTo(axis, from, fine), roundTo(axis, to, fine)) ?? checkRange(axis, from, to);
}

/**
 * A value as round as a pixel is wide, on the axis.
 * @param {Axis} axis
 * @param {number} value
 * @param {number} fine
 */
export function roundTo(axis, value, fine) {
  const digits = Math.min(Math.max(Math.ceil(-Math.log10(fine)), 0), 15);
  return Math.min(Math.max(Number(value.toFixed(digits)), axis.place(0)), axis.place(axis.declared));
}

/**
 * A range, if some of it lies on the axis.
 * @param {Axis} axis
 * @param {number | null} from
 * @param {number | null} to
 * @returns {Asked}
 */
export function checkRange(axis, from, to) {
  if (from === null && to === null) return null;
  const [start, stop] = [axis.position(from ?? -Infinity), axis.position(to ?? Infinity)];
  return start < stop ? { from, to } : null;
}
