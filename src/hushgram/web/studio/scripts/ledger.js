/** Accounts: what was spent on what, and what is left. */
import { button, element, label, message } from "../../explorer/scripts/dom.js";
import { addressOf, attempt, call } from "./api.js";
import { field, fillBox, filledBox, fold, problemBox, textInput, tick } from "./fields.js";
import { bar } from "./gauge.js";
import { TEXT } from "./strings.js";
import { bothWords } from "./words.js";

/** @typedef {import("./main.js").Page} Page */

/** @param {Page} page */
export function ledgerView(page) {
  const list = element("div", { "aria-live": "polite" }, element("p", { class: "status" }, TEXT.working));
  const said = element("p", { class: "status", role: "status", id: "sound" });
  const verify = () => attempt(async () => {
    said.textContent = TEXT.sound((await call("verify")).entries);
  }, (problems) => said.replaceChildren(filledBox(problems)));
  void fill(list);
  return element("section", { class: "card" },
    element("h2", {}, TEXT.ledgerTitle),
    element("p", { class: "hint" }, TEXT.ledgerHint),
    list,
    element("p", { class: "tools" }, button(TEXT.verify, () => void verify(), { id: "verify" })),
    said,
    bothWords("hushgram ledger show\nhushgram ledger verify", "import hushgram as hg\n\nledger = hg.Ledger.open()\nprint(ledger.accounts(), ledger.verify())\n"));
}

/** @param {HTMLElement} list */
function fill(list) {
  return attempt(async () => {
    const found = await call("ledger");
    list.replaceChildren(
      ...(found.accounts.length ? found.accounts.map(accountCard) : [element("p", {}, TEXT.noAccounts)]),
      ...(found.location ? [element("p", { class: "hint" }, message(TEXT.ledgerAt(found.location)))] : []));
  }, (problems) => list.replaceChildren(filledBox(problems)));
}

/** @param {any} account */
function accountCard(account) {
  const text = `${account.spent} / ${account.cap}`;
  const root = element("section", { class: "account", "data-account": account.name },
    element("h3", {}, label(account.name)),
    bar([[account.share, "spent"]], `${TEXT.gauge}: ${text}`),
    element("p", { class: "status" }, `${text} ${TEXT.spent}, ${account.remaining} ${TEXT.left} · `,
      message(TEXT.protects(account.unit === "rows" ? TEXT.each : account.unit, account.neighbours))),
    historyOf(account.name),
    capForm(account, () => void fill(/** @type {HTMLElement} */ (root.parentElement))));
  return root;
}

/**
 * A button that shows what an account was spent on.
 * @param {string} name
 */
export function historyOf(name) {
  const box = element("div");
  return element("div", {},
    element("p", { class: "tools" }, button(TEXT.history, () => void show(name, box), { "aria-label": `${TEXT.history}: ${name}` })), box);
}

/**
 * @param {any} account
 * @param {() => void} done
 */
function capForm(account, done) {
  const form = { account: account.name, cap: "", allow_large: false };
  const box = problemBox();
  const set = () => attempt(async () => {
    await call("cap", form);
    done();
  }, (problems) => fillBox(box, problems));
  return fold(TEXT.setCap, false,
    element("p", { class: "warning" }, TEXT.capWarning),
    element("div", { class: "fields" }, field("cap", TEXT.newCap, textInput(form, "cap", () => {}, { class: "short new-cap" }))),
    tick("", TEXT.allowLarge, form, "allow_large", () => {}),
    element("p", { class: "tools" }, button(TEXT.setCap, () => void set(), { class: "set-cap" })), box,
    bothWords(account.cap_command, `import hushgram as hg\n\nhg.Ledger.open().set_cap(${JSON.stringify(account.name)}, "CAP")\n`));
}

/**
 * @param {string} name
 * @param {HTMLElement} box
 */
function show(name, box) {
  return attempt(async () => {
    const found = await call("account", { account: name });
    box.replaceChildren(historyTable(found));
  }, (problems) => box.replaceChildren(filledBox(problems)));
}

/** @param {any} found */
function historyTable(found) {
  const heads = [TEXT.time, TEXT.event, TEXT.budget, TEXT.bought];
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": TEXT.history },
    element("table", { class: "history" },
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, ...found.entries.map((/** @type {any} */ one) => element("tr", {},
        element("td", { class: "time" }, one.time.replace("T", " ")),
        element("td", {}, TEXT.events[one.kind] ?? one.kind),
        element("td", {}, one.epsilon ?? one.cap ?? ""),
        element("td", {}, ...purchase(one, found.account.name)))))),
    found.more ? element("p", { class: "hint" }, TEXT.moreEntries(found.more)) : null);
}

/**
 * What a charge bought: releases can be explored and downloaded again.
 * @param {any} entry
 * @param {string} account
 */
function purchase(entry, account) {
  if (!("bought" in entry)) return [];
  if (entry.bought === "nothing") return [TEXT.boughtNothing];
  if (!entry.releases.length) return [label(entry.bought)];
  return entry.releases.flatMap((/** @type {any} */ one) => {
    const called = entry.releases.length > 1 ? one.name : account;
    const address = (/** @type {string} */ what) => addressOf(entry.request, one.name, what, called);
    return [
      element("a", { href: address("explore"), target: "_blank", rel: "noopener noreferrer" }, TEXT.explore), " ",
      element("a", { href: address("release"), download: "" }, TEXT.files.release), " ",
      label(`${one.axes.map((/** @type {any} */ axis) => axis.name).join(", ")}${one.where ? ` (${one.where})` : ""}; ${one.mechanism}, ε = ${one.epsilon}`), " "];
  });
}
