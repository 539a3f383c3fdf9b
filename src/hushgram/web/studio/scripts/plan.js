/** Several releases for one charge. */
import { element } from "../../explorer/scripts/dom.js";
import { TEXT } from "./strings.js";

/** @param {import("./main.js").Page} _page */
export function planView(_page) {
  return element("section", { class: "card" }, element("h2", {}, TEXT.planTitle), element("p", {}, TEXT.planEmpty));
}

/** @param {import("./main.js").Page} _page */
export async function addToPlan(_page) {}
