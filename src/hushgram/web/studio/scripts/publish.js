/**
 * The last step: a dry run, a review, and then the request, which has its name before it is sent. Sent
 * twice, after a reload or from another tab, it is the same request and spends once.
 */
import { button, element, label } from "../../explorer/scripts/dom.js";
import { call, insist, pause, Problems } from "./api.js";
import { field, problemBox, textInput } from "./fields.js";
import { newRequest, state } from "./state.js";
import { stepOf } from "./steps.js";
import { TEXT } from "./strings.js";

/** @typedef {import("./main.js").Page} Page */

const WAIT = 300;
const ENDED = ["failed", "cancelled", "forfeited", "unknown"];

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
async function review(page, body, said) {
  said.replaceChildren(element("p", { class: "status", role: "status" }, TEXT.working));
  const form = structuredClone(state.form);
  let planned;
  try {
    planned = await call("dry-run", form);
  } catch (error) {
    if (!(error instanceof Problems)) throw error;
    said.replaceChildren();
    complain(page, said, error.found);
    return;
  }
  state.sending = { request: newRequest(), form, call: "publish", sent: false };
  state.save();
  page.changed();
  body.replaceChildren(
    element("h3", {}, TEXT.reviewTitle),
    element("p", { class: "status", role: "status" }, TEXT.dryRunFine),
    factList(reviewFacts(planned, form)),
    element("p", { class: "warning" }, TEXT.final),
    element("p", { class: "tools" },
      button(TEXT.confirm(planned.epsilon), () => void send(page, body), { class: "main", id: "confirm" }),
      button(TEXT.change, () => {
        state.sending = null;
        page.redraw();
      })));
  body.querySelector("button")?.focus();
}

/**
 * Problems here, and a way to the step that they belong to.
 * @param {Page} page
 * @param {HTMLElement} said
 * @param {import("./api.js").Problem[]} problems
 */
function complain(page, said, problems) {
  const box = problemBox();
  box.hidden = false;
  for (const one of problems) {
    const step = stepOf(one);
    box.append(element("p", {}, plainText(one.message), " ",
      step === "publish" ? null : button(TEXT.steps[/** @type {keyof typeof TEXT.steps} */ (step)], () => page.go(step))));
  }
  said.replaceChildren(box);
}

/** @param {string} text */
function plainText(text) {
  return element("bdi", {}, text);
}

/**
 * @param {any} planned
 * @param {any} form
 * @returns {[string, Node | string][]}
 */
function reviewFacts(planned, form) {
  const names = TEXT.reviewFacts;
  const unit = planned.unit === "rows" ? TEXT.each : TEXT.eachPerson(planned.unit.user, planned.unit.max_rows);
  const account = planned.account;
  /** @type {[string, Node | string][]} */
  const facts = [
    [names.source, plainText(form.source)],
    [names.where, planned.where ? plainText(planned.where) : ""],
    [names.axes, listOf(planned.axes)],
    [names.columns, listOf(Object.entries(planned.columns).map(([name, kind]) => `${name} (${kind})`))],
    [names.measures, listOf(planned.measured)],
    [names.parts, planned.cells === null ? TEXT.chosenCells : TEXT.declaredCells(planned.cells.toLocaleString("en"))],
    [names.mechanism, planned.candidates.join(", ")],
    [names.unit, plainText(`${unit}; ${TEXT.neighboursOf[planned.neighbours]}`)],
    [names.cost, plainText(TEXT.costText(planned.epsilon, account.name, account.remaining))],
    [names.request, state.sending?.request ?? ""],
  ];
  return facts.filter(([, value]) => typeof value !== "string" || value);
}

/** @param {string[]} texts */
function listOf(texts) {
  if (!texts.length) return "";
  const list = element("ul", { class: "plain" });
  for (const text of texts) list.append(element("li", {}, plainText(text)));
  return list;
}

/** @param {[string, Node | string][]} facts */
function factList(facts) {
  return element("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

/**
 * @param {Page} page
 * @param {HTMLElement} body
 */
async function send(page, body) {
  const sending = state.sending;
  if (!sending || sending.sent) return;
  sending.sent = true;
  state.save();
  page.redraw();
}

/**
 * Send the request, and say how far it is until it has ended.
 * @param {Page} page
 * @param {HTMLElement} body
 */
async function follow(page, body) {
  const sending = state.sending;
  if (!sending) return;
  const said = element("p", { class: "status", role: "status", id: "stage" }, TEXT.working);
  const bar = element("progress", { "aria-label": TEXT.working });
  const cancel = button(TEXT.cancel, () => void stop(), { id: "cancel" });
  const say = (/** @type {string} */ text) => {
    if (said.textContent !== text) said.textContent = text;
  };
  const stop = async () => {
    cancel.disabled = true;
    const found = await insist("cancel", { request: sending.request }, say);
    if (!found.cancelled) say(TEXT.tooLate);
  };
  body.replaceChildren(said, bar, element("p", { class: "tools" }, cancel));
  try {
    for (let first = true; ; first = false) {
      const asked = { request: sending.request, form: sending.form };
      const known = first ? await insist("job", asked, say) : null;
      // What has not begun is begun; what an earlier run of the Studio finished is fetched, for nothing.
      const found = known && !["unknown", "kept"].includes(known.stage) ? known : await insist(first ? sending.call : "job", asked, say);
      if (state.sending !== sending || !body.isConnected) return;
      if (found.stage === "done") return finished(page, body, found);
      if (ENDED.includes(found.stage)) return ended(page, body, found);
      say(TEXT.stages[found.stage] ?? found.stage);
      cancel.hidden = found.stage !== "preparing";
      if (found.share !== null) bar.value = found.share;
      else bar.removeAttribute("value");
      await pause(WAIT);
    }
  } catch (error) {
    if (!(error instanceof Problems)) throw error;
    ended(page, body, { stage: "failed", charged: false, problem: error.found[0] });
  }
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
      found.stage === "failed" ? ` ${found.charged ? TEXT.charged : TEXT.notCharged}` : ""),
    said,
    element("p", { class: "tools" }, button(TEXT.change, () => page.redraw())));
}

/**
 * @param {Page} page
 * @param {HTMLElement} body
 * @param {any} found
 */
function finished(page, body, found) {
  body.replaceChildren(
    element("p", { class: "status", role: "status", id: "stage" }, TEXT.stages.done),
    ...found.releases.map((/** @type {any} */ one) => resultCard(found.request, one, found.releases.length > 1)),
    element("p", { class: "tools" },
      button(TEXT.another, () => {
        state.sending = null;
        page.go("table");
      }),
      button(TEXT.views.ledger, () => page.show("ledger"))));
}

/**
 * @param {string} request
 * @param {any} release
 * @param {boolean} several
 */
export function resultCard(request, release, several) {
  const account = state.sending?.form.account ?? state.form.account;
  const called = several ? release.name : account || "release";
  const address = (/** @type {string} */ what) =>
    `file/${encodeURIComponent(request)}/${encodeURIComponent(release.name)}/${what}?as=${encodeURIComponent(called)}`;
  const names = TEXT.facts;
  return element("section", { class: "result", "aria-label": TEXT.resultTitle },
    element("h3", {}, several ? label(release.name) : TEXT.resultTitle),
    element("p", { class: "tools" },
      element("a", { href: address("explore"), target: "_blank", rel: "noopener noreferrer", class: "button main explore" }, TEXT.explore),
      ...Object.entries(TEXT.files).map(([what, name]) =>
        element("a", { href: address(what), download: "", class: `button download-${what}` }, name))),
    factList([
      [names.mechanism, release.mechanism], [names.epsilon, release.epsilon], [names.parts, release.parts.toLocaleString("en")],
      [names.unit, plainText(release.unit)], [names.receipt, release.receipt], [names.request, request],
    ]),
    signForm(request, release.name));
}

/**
 * @param {string} request
 * @param {string} name
 */
function signForm(request, name) {
  const form = { key: "", words: "", request, name };
  const said = element("p", { class: "status", role: "status" });
  const key = field("key", TEXT.key, textInput(form, "key", () => {}));
  const sign = async () => {
    try {
      const found = await call("sign", form);
      said.textContent = TEXT.signed(found.public);
    } catch (error) {
      if (!(error instanceof Problems)) throw error;
      said.textContent = error.message;
    }
  };
  return element("details", { class: "fold" }, element("summary", {}, TEXT.signTitle),
    element("p", { class: "hint" }, TEXT.signHint),
    element("form", { onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      void sign();
    } },
      element("div", { class: "fields" }, key,
        field("words", `${TEXT.passphrase} (${TEXT.optional})`,
          textInput(form, "words", () => {}, { type: "password", autocomplete: "new-password" }))),
      element("p", { class: "tools" }, element("button", { type: "submit" }, TEXT.sign))), said);
}
