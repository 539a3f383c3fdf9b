/** An account's budget as a bar: what is spent, what this adds, what is left. */
import { element, label, svg } from "../../explorer/scripts/dom.js";
import { TEXT } from "./strings.js";

/** @typedef {{new: boolean, spent: string, epsilon: string, cap: string, left: string, fits: boolean, meaning: string, shares: [number, number]}} After */

/**
 * @param {After} after
 * @param {string} account
 */
export function drawGauge(after, account) {
  const text = after.fits ? TEXT.gaugeText(/** @type {any} */ (after)) : TEXT.overText(/** @type {any} */ (after));
  const [spent, own] = after.shares;
  return element("div", { class: after.fits ? "gauge" : "gauge over" },
    bar([[spent, "spent"], [own, "own"]], `${TEXT.gauge}: ${text}`),
    element("p", { class: "status" }, after.new ? label(TEXT.newAccount(account.trim())) : null, " ", text),
    element("p", { class: "hint" }, TEXT.meaning(after.meaning)));
}

/**
 * @param {[number, string][]} parts shares of the whole, and their classes
 * @param {string} name
 */
export function bar(parts, name) {
  const drawing = svg("svg", { class: "gauge-bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", role: "img", "aria-label": name });
  let from = 0;
  for (const [share, kind] of parts) {
    const width = Math.max(Math.min(100 * share, 100 - from), 0);
    drawing.append(svg("rect", { x: from, width, y: 0, height: 6, class: kind }));
    from += width;
  }
  return drawing;
}
