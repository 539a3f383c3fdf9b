/** Values to mark along an axis. */
import { ticksBetween } from "./format.js";

/**
 * @param {import("./axes.js").Axis} axis
 * @param {[number, number]} ends
 * @param {number} most
 */
export function ticksOf(axis, [low, high], most) {
  const [first, last] = [axis.place(0), axis.place(axis.declared)];
  const inside = /** @type {[number, number]} */ ([Math.max(low, first), Math.min(high, last)]);
  if (!axis.isDate) return ticksBetween(inside[0], inside[1], Math.max(most, 2));
  const [start, stop] = inside.map((value) => Math.round(axis.position(value)));
  const run = Math.max(Math.ceil((stop - start) / Math.max(most, 2)), 1);
  const found = [];
  for (let index = start; index < stop; index += run) found.push(axis.edge(index));
  return found;
}
