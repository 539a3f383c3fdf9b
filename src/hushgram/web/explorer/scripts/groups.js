/**
 * The groups that a chart or a table shows along an axis: bins, runs of bins, or categories.
 *
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {{start: number, stop: number, asked: NonNullable<import("./axes.js").Asked>, label: string}} Group
 *   positions where it starts and stops, and how it is asked for
 */
import { OTHER } from "./axes.js";
import { Lattice } from "./layout.js";
import { rangeText } from "./asking.js";

const MOST_BARS = 60;

/**
 * @param {import("./release.js").Release} release
 * @param {Axis} axis
 * @returns {Group[]}
 */
export function groupsOf(release, axis) {
  const found = axis.ordered ? rangesOf(release, axis) : categoriesOf(axis);
  if (axis.ordered && axis.hasOther) {
    found.push({ start: axis.declared, stop: axis.size, asked: { values: [OTHER] }, label: OTHER });
  }
  return found;
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
 * Runs of whole bins, or of the slices that the mechanism chose.
 * @param {import("./release.js").Release} release
 * @param {Axis} axis
 * @returns {Group[]}
 */
function rangesOf(release, axis) {
  const cuts = chooseCuts(release, axis);
  return cuts.slice(1).map((stop, n) => {
    const asked = { from: axis.edge(cuts[n]), to: axis.edge(stop) };
    return { start: cuts[n], stop, asked, label: rangeText(axis, asked) };
  });
}

/**
 * @param {import("./release.js").Release} release
 * @param {Axis} axis
 * @returns {number[]}
 */
function chooseCuts(release, axis) {
  const { layout } = release.counts;
  const own = layout instanceof Lattice ? layout.cuts[release.axes.indexOf(axis)] : null;
  const slices = own ? [...own].filter((cut) => cut <= axis.declared) : null;
  if (axis.continuous && slices && slices.length > 1 && slices.length <= MOST_BARS + 1) return slices;
  const run = Math.ceil(axis.declared / MOST_BARS);
  const found = [];
  for (let cut = 0; cut < axis.declared; cut += run) found.push(cut);
  return [...found, axis.declared];
}
