/** What was published: its page, its files, its facts, and a signature. */
import { button, element, label, message } from "../../explorer/scripts/dom.js";
import { addressOf, attempt, call } from "./api.js";
import { factList, field, filledBox, fold, textInput } from "./fields.js";
import { state } from "./state.js";
import { LANGUAGE, TEXT } from "./strings.js";
import { bothWords } from "./words.js";

/** @typedef {import("./main.js").Page} Page */

/**
 * @param {Page} page
 * @param {HTMLElement} body
 * @param {any} found
 */
export function finished(page, body, found) {
  const left = element("p", { class: "status", id: "left" });
  page.onCheck(({ account }) => {
    if (account) left.replaceChildren(message(TEXT.accountLeft(account.name, account.remaining, account.cap)));
  });
  page.changed(); // the account has paid
  body.replaceChildren(
    element("p", { class: "status", role: "status", id: "stage" }, TEXT.stages.done),
    left,
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
function resultCard(request, release, several) {
  const account = state.sending?.form.account ?? state.form.account;
  const called = several ? release.name : account || "release";
  const address = (/** @type {string} */ what) => addressOf(request, release.name, what, called);
  const names = TEXT.facts;
  return element("section", { class: "result", "aria-label": TEXT.resultTitle },
    element("h3", {}, several ? label(release.name) : TEXT.resultTitle),
    element("p", { class: "tools" },
      element("a", { href: address("explore"), target: "_blank", rel: "noopener noreferrer", class: "button main explore" }, TEXT.explore),
      ...Object.entries(TEXT.files).map(([what, name]) =>
        element("a", { href: address(what), download: "", class: `button download-${what}` }, name))),
    fileWords(stemOf(called)),
    factList([
      [names.mechanism, release.mechanism], [names.epsilon, release.epsilon], [names.parts, release.parts.toLocaleString(LANGUAGE)],
      [names.unit, message(release.unit === "rows" ? TEXT.each : release.unit)], [names.receipt, release.receipt], [names.request, request],
    ]),
    signForm(request, release.name));
}

/**
 * A name for files: plain letters only. The server holds what it hands out to the same.
 * @param {string} text
 */
function stemOf(text) {
  return text.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 60).replace(/^-+|-+$/g, "") || "release";
}

/**
 * The same files, made elsewhere from the release file.
 * @param {string} stem
 */
function fileWords(stem) {
  const file = `${stem}.hush.parquet`;
  return fold(TEXT.filesElsewhere, false, bothWords(
    [`hushgram explore ${file} -o ${stem}.html`, `hushgram report ${file} -o ${stem}-report.html`,
      `hushgram export ${file} -o ${stem}.csv`, `hushgram sign ${file} --key KEY`].join("\n"),
    ["import hushgram as hg", "", `release = hg.load("${file}")`, `release.explore("${stem}.html")`,
      `release.report("${stem}-report.html")`, `release.to_csv("${stem}.csv")`, ""].join("\n")));
}

/**
 * @param {string} request
 * @param {string} name
 */
function signForm(request, name) {
  const form = { key: "", words: "", request, name };
  const said = element("p", { class: "status", role: "status" });
  const key = field("key", TEXT.key, textInput(form, "key", () => {}));
  const sign = () => attempt(async () => {
    said.textContent = TEXT.signed((await call("sign", form)).public);
  }, (problems) => said.replaceChildren(filledBox(problems)));
  return fold(TEXT.signTitle, false,
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
