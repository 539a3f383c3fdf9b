/** The fourth step: which account pays, how much, and what that leaves. */
import { button, element } from "../../explorer/scripts/dom.js";
import { call } from "./api.js";
import { field, fold, textInput, tick } from "./fields.js";
import { drawGauge } from "./gauge.js";
import { historyOf } from "./ledger.js";
import { addToPlan } from "./plan.js";
import { state } from "./state.js";
import { TEXT } from "./strings.js";

/** @typedef {import("./main.js").Page} Page */

/** @param {Page} page */
export function budgetStep(page) {
  const { form } = state;
  const changed = () => page.changed();
  const known = element("datalist", { id: "accounts" });
  void call("ledger").then((found) => known.replaceChildren(...found.accounts.map((/** @type {any} */ one) =>
    element("option", { value: one.name })))).catch(() => {});
  const gauge = element("div", { id: "gauge", "aria-live": "polite" });
  const spentOn = element("div", { id: "spent-on" });
  let shown = "";
  const cap = field("cap", `${TEXT.cap} (${TEXT.optional})`, textInput(form, "cap", changed, { class: "short" }), { hint: TEXT.capHint });
  page.onCheck((found) => {
    gauge.replaceChildren(...(found.after ? [drawGauge(found.after, form.account)] : []));
    const isNew = !found.account;
    const name = found.account?.name ?? "";
    if (name !== shown) spentOn.replaceChildren(...(name ? [historyOf(name)] : []));
    shown = name;
    cap.hidden = !isNew;
    if (!isNew && form.cap) form.cap = "";
  });
  const about = Object.entries(TEXT.about).map(([key, title]) => field(key === "date" ? "about" : "", title, textInput(form.about, key, changed)));
  return element("div", {},
    element("h2", { tabindex: -1 }, TEXT.budgetTitle),
    element("p", { class: "hint" }, TEXT.budgetHint),
    known,
    element("div", { class: "fields" },
      field("account", TEXT.account, textInput(form, "account", changed, { list: "accounts" }), { hint: TEXT.accountHint }),
      field("epsilon", TEXT.epsilon, textInput(form, "epsilon", changed, { inputmode: "decimal", class: "short" })),
      cap),
    tick("allow_large", TEXT.allowLarge, form, "allow_large", changed),
    gauge,
    spentOn,
    fold(`${TEXT.aboutTitle} (${TEXT.optional})`, Object.values(form.about).some(Boolean), element("div", { class: "fields" }, ...about)),
    element("p", { class: "tools" }, button(TEXT.addToPlan, () => void addToPlan(page), { id: "add-to-plan" })));
}
