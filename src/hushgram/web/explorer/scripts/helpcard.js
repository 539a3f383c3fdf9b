/** What the page explains, and what is known about the release. */
import { element, label } from "./dom.js";
import { formatRows } from "./format.js";
import { TEXT } from "./strings.js";

/** @param {import("./release.js").Release} release */
export function helpCard({ facts, file }) {
  const shown = Object.entries({ ...facts, file }).filter(([, value]) => value !== "");
  return element("section", { class: "card wide help" },
    element("h2", { tabindex: -1 }, TEXT.helpTitle),
    ...TEXT.help.flatMap(([question, text]) => [element("h3", {}, question), element("p", {}, text)]),
    element("h3", {}, TEXT.facts),
    element("dl", {}, ...shown.flatMap(([key, value]) => [
      element("dt", {}, TEXT.factNames[key] ?? key),
      element("dd", {}, label(typeof value === "number" ? formatRows(value) : String(value))),
    ])));
}

/**
 * Go to the explanations. A link would change the address, which holds the question.
 * @param {HTMLElement} card
 */
export function showHelp(card) {
  card.scrollIntoView();
  card.querySelector("h2")?.focus();
}
