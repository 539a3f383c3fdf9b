/** Bounds that nobody knows, for part of the budget: a step of its own, with its price. */
import { element } from "../../explorer/scripts/dom.js";

/** @param {import("./main.js").Page} _page @param {import("./state.js").AxisForm} _axis */
export function boundsForm(_page, _axis) {
  return element("div");
}
