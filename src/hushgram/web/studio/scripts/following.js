/**
 * A request that was sent, until it has ended. Sent twice, after a reload or from another tab, it is the
 * same request and spends once.
 */
import { button, element } from "../../explorer/scripts/dom.js";
import { attempt, insist, pause } from "./api.js";
import { complain } from "./complaint.js";
import { finished } from "./result.js";
import { state } from "./state.js";
import { TEXT } from "./strings.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./api.js").Problem} Problem */

const WAIT = 300;
const ENDED = ["failed", "cancelled", "forfeited", "unknown"];

/**
 * Send the request, and say how far it is until it has ended.
 * @param {Page} page
 * @param {HTMLElement} body
 */
export async function follow(page, body) {
  const { sending } = state;
  if (!sending) return;
  const shown = progress(body, sending.request);
  /** Whether what goes wrong goes wrong before anything can be charged. */
  let isFree = false;
  await attempt(async () => {
    const asked = { request: sending.request, form: sending.form, reviewed: sending.reviewed ?? "" };
    let found = await insist("job", asked, shown.say);
    if (["unknown", "kept"].includes(found.stage)) { // what an earlier run finished is fetched, for nothing
      isFree = found.stage === "unknown";
      found = await insist(sending.call, asked, shown.say);
      isFree = false;
    }
    for (;; found = await insist("job", asked, shown.say)) {
      if (state.sending !== sending || !body.isConnected) return;
      if (found.stage === "done") return finished(page, body, found);
      if (ENDED.includes(found.stage)) return ended(page, body, found);
      shown.draw(found);
      await pause(WAIT);
    }
  }, ([problem]) => (isFree ? ended(page, body, { stage: "failed", charged: false, problem }) : lost(page, body, problem)));
}

/**
 * How far a request is, and a way to cancel it.
 * @param {HTMLElement} body
 * @param {string} request
 */
function progress(body, request) {
  const said = element("p", { class: "status", role: "status", id: "stage" }, TEXT.working);
  const bar = element("progress", { "aria-label": TEXT.working }); // without a share: it would say how many rows there are
  const say = (/** @type {string} */ text) => {
    if (said.textContent !== text) said.textContent = text;
  };
  const cancel = button(TEXT.cancel, () => {
    cancel.disabled = true;
    void attempt(async () => {
      const found = await insist("cancel", { request }, say);
      if (!found.cancelled) say(TEXT.tooLate);
    }, (problems) => say(problems[0].message));
  }, { id: "cancel" });
  body.replaceChildren(said, bar, element("p", { class: "tools" }, cancel));
  return {
    say,
    /** @param {any} found */
    draw(found) {
      say(TEXT.stages[found.stage] ?? found.stage);
      cancel.hidden = found.stage !== "preparing";
    },
  };
}

/**
 * @param {Page} page
 * @param {HTMLElement} body
 * @param {any} found
 */
function ended(page, body, found) {
  state.sending = null;
  state.save();
  const said = element("div");
  if (found.problem) complain(page, said, [found.problem]);
  body.replaceChildren(
    element("p", { class: "status", role: "status", id: "stage" }, TEXT.stages[found.stage],
      found.stage === "failed" ? ` ${chargeText(found.charged)}` : ""),
    said,
    element("p", { class: "tools" }, button(TEXT.change, () => page.redraw())));
}

/** @param {boolean | null} charged - null if only the ledger knows */
const chargeText = (charged) => (charged === null ? TEXT.maybeCharged : charged ? TEXT.charged : TEXT.notCharged);

/**
 * Nobody knows here what became of the request: it is kept, and can be asked for again.
 * @param {Page} page
 * @param {HTMLElement} body
 * @param {Problem} problem
 */
function lost(page, body, problem) {
  const said = element("div");
  complain(page, said, [problem]);
  body.replaceChildren(
    element("p", { class: "status", role: "status", id: "stage" }, TEXT.lost),
    said,
    element("p", { class: "tools" }, button(TEXT.again, () => page.redraw(), { class: "main", id: "again" })));
}
