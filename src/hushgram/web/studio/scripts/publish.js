/** The last step: a dry run, a review, and then the request, which has its name before it is sent. */
import { button, element, message } from "../../explorer/scripts/dom.js";
import { attempt, call } from "./api.js";
import { complain } from "./complaint.js";
import { factList } from "./fields.js";
import { follow } from "./following.js";
import { newRequest, state } from "./state.js";
import { LANGUAGE, TEXT } from "./strings.js";

/** @typedef {import("./main.js").Page} Page */

/** @param {Page} page */
export function publishStep(page) {
  const body = element("div");
  const root = element("div", {}, element("h2", { tabindex: -1 }, TEXT.publishTitle), body);
  if (state.sending?.sent) void follow(page, body);
  else start(page, body);
  return root;
}

/**
 * @param {Page} page
 * @param {HTMLElement} body
 */
function start(page, body) {
  const said = element("div", { "aria-live": "polite" });
  body.replaceChildren(
    element("p", { class: "hint" }, TEXT.publishHint),
    element("p", { class: "tools" }, button(TEXT.review, () => void review(page, body, said), { class: "main", id: "review" })),
    said);
}

/**
 * A dry run, then everything once more to be read.
 * @param {Page} page
 * @param {HTMLElement} body
 * @param {HTMLElement} said
 */
function review(page, body, said) {
  said.replaceChildren(element("p", { class: "status", role: "status" }, TEXT.working));
  return attempt(async () => {
    const form = structuredClone(state.form);
    showReview(page, body, form, await call("dry-run", form));
  }, (problems) => complain(page, said, problems));
}

/**
 * @param {Page} page
 * @param {HTMLElement} body
 * @param {import("./state.js").Form} form
 * @param {any} planned
 */
function showReview(page, body, form, planned) {
  if (!body.isConnected || state.sending?.sent) return;
  const heading = element("h3", { tabindex: -1 }, TEXT.reviewTitle);
  state.sending = { request: newRequest(), form, reviewed: planned.reviewed, call: "publish", sent: false };
  state.save();
  page.changed();
  body.replaceChildren(
    heading,
    element("p", { class: "status", role: "status" }, TEXT.dryRunFine),
    factList(reviewFacts(planned)),
    element("p", { class: "warning" }, TEXT.final),
    element("p", { class: "tools" },
      button(TEXT.confirm(planned.epsilon), () => send(page), { class: "main", id: "confirm" }),
      button(TEXT.change, () => {
        state.sending = null;
        page.redraw();
      })));
  heading.focus(); // not the button: whoever holds Enter has read nothing
}

/**
 * @param {any} planned
 * @returns {[string, Node | string][]}
 */
function reviewFacts(planned) {
  const names = TEXT.reviewFacts;
  const unit = planned.unit === "rows" ? TEXT.each : TEXT.eachPerson(planned.unit.user, planned.unit.max_rows);
  const account = planned.account;
  /** @type {[string, Node | string][]} */
  const facts = [
    [names.source, message(planned.source)],
    [names.where, planned.where ? message(planned.where) : ""],
    [names.axes, listOf(planned.axes)],
    [names.columns, listOf(Object.entries(planned.columns).map(([name, kind]) => `${name} (${kind})`))],
    [names.measures, listOf(planned.measured)],
    [names.parts, planned.cells === null ? TEXT.chosenCells : TEXT.declaredCells(planned.cells.toLocaleString(LANGUAGE))],
    [names.mechanism, planned.candidates.join(", ")],
    [names.unit, message(`${unit}; ${TEXT.neighboursOf[planned.neighbours]}`)],
    [names.cost, message(TEXT.costText(planned.epsilon, account.name, account.remaining))],
    [names.request, state.sending?.request ?? ""],
  ];
  return facts.filter(([, value]) => typeof value !== "string" || value);
}

/** @param {string[]} texts */
function listOf(texts) {
  if (!texts.length) return "";
  const list = element("ul", { class: "plain" });
  for (const text of texts) list.append(element("li", {}, message(text)));
  return list;
}

/** @param {Page} page */
function send(page) {
  const { sending } = state;
  if (!sending || sending.sent) return;
  sending.sent = true;
  state.save();
  page.redraw();
}
