/** Several releases for one charge: assembled here, saved as the TOML that the command line reads. */
import { button, element, label, shorten } from "../../explorer/scripts/dom.js";
import { attempt, call } from "./api.js";
import { fillBox, problemBox, textInput } from "./fields.js";
import { blankAxis, blankForm, newRequest, state } from "./state.js";
import { TEXT } from "./strings.js";
import { block, bothWords } from "./words.js";

/** @typedef {import("./main.js").Page} Page */

/** What plans and forms share: the table, the people, the publisher and the account are said once. */
function formOfPlan() {
  const { source, where, text, unit, max_rows, neighbours, about, account, cap, allow_large } = state.form;
  const plan = state.plan.map((one) => ({ name: one.name, form: { ...one.form, unit, max_rows, neighbours } }));
  return { source, where, text, unit, max_rows, neighbours, about, account, cap, allow_large, plan };
}

/** @param {Page} page */
export function planView(page) {
  const shown = element("div", { id: "plan-text" });
  const said = problemBox();
  const review = element("div", { "aria-live": "polite" });
  const complain = (/** @type {import("./api.js").Problem[]} */ problems) => fillBox(said, problems);
  if (state.plan.length) void attempt(() => show(shown), complain);
  const load = element("input", { type: "file", accept: ".toml", id: "plan-file", "aria-label": TEXT.planLoad });
  load.addEventListener("change", () => attempt(async () => {
    await read(await (load.files?.[0]?.text() ?? ""));
    page.redraw();
  }, complain));
  const ask = () => {
    said.hidden = true;
    return attempt(() => reviewPlan(page, review), complain);
  };
  return element("section", { class: "card" },
    element("h2", { tabindex: -1 }, TEXT.planTitle),
    element("p", { class: "hint" }, TEXT.planHint),
    state.plan.length ? list(page) : element("p", {}, TEXT.planEmpty),
    element("p", { class: "tools" }, element("label", {}, `${TEXT.planLoad} `, load)),
    shown,
    said,
    state.plan.length ? element("p", { class: "hint" }, TEXT.planTable) : null,
    state.plan.length ? element("p", { class: "tools" }, button(TEXT.planReview, () => void ask(), { class: "main", id: "review-plan" })) : null,
    review);
}

/** @param {Page} page */
function list(page) {
  return element("ul", { class: "plain plan-list" }, ...state.plan.map((one, n) => element("li", { class: "tools" },
    element("label", {}, `${TEXT.planName} `, textInput(one, "name", () => state.save())),
    label(`${one.form.axes.map((axis) => axis.name).join(", ")}; ε = ${one.form.epsilon}`),
    button(TEXT.planEdit, () => {
      const { axes, epsilon, mechanism, workload, measures } = structuredClone(one.form);
      Object.assign(state.form, { axes, epsilon, mechanism, workload, measures });
      state.plan.splice(n, 1);
      state.view = "publish";
      page.go("axes");
    }),
    button(TEXT.remove, () => {
      state.plan.splice(n, 1);
      page.redraw();
      state.save();
    }, { "aria-label": TEXT.removeNamed(shorten(one.name)) }))));
}

/** @param {HTMLElement} shown */
async function show(shown) {
  const found = await call("plan-text", formOfPlan());
  const code = element("code", {}, found.toml);
  const link = element("a", { class: "button", id: "save-plan", download: "plan.toml",
    href: URL.createObjectURL(new Blob([found.toml], { type: "application/toml" })) }, TEXT.planSave);
  shown.replaceChildren(
    element("p", { class: "status" }, TEXT.planOf(found.releases, found.epsilon)),
    block(TEXT.planText, code),
    element("p", { class: "tools" }, link),
    bothWords(found.command, found.python));
}

/** @param {string} toml */
async function read(toml) {
  const found = await call("plan-read", { toml });
  state.plan = found.plan.map((/** @type {any} */ one) => ({
    name: one.name,
    form: { ...blankForm(), ...one.form, axes: one.form.axes.map((/** @type {any} */ axis) => ({ ...blankAxis(axis.name, []), ...axis })) },
  }));
  Object.assign(state.form, found.who);
  state.save();
}

/**
 * @param {Page} page
 * @param {HTMLElement} review
 */
async function reviewPlan(page, review) {
  const form = formOfPlan();
  const found = await call("plan-review", form);
  const request = newRequest();
  review.replaceChildren(
    element("p", { class: "warning" }, TEXT.planNeeds(found.epsilon, found.account, found.remaining)),
    element("p", { class: "tools" }, button(TEXT.planConfirm(found.epsilon), () => {
      if (state.sending?.sent) return;
      state.sending = { request, form, reviewed: found.reviewed, call: "publish-plan", sent: true };
      Object.assign(state, { view: "publish", step: "publish" });
      page.show("publish");
    }, { class: "main", id: "confirm-plan" })));
}

/** @param {Page} page */
export async function addToPlan(page) {
  const found = await page.check();
  const wrong = found.problems.filter((/** @type {any} */ one) => !["account", "cap"].includes(one.field));
  if (wrong.length) {
    page.complain(wrong);
    return;
  }
  const names = state.form.axes.map((axis) => axis.name.replace(/[^A-Za-z0-9]+/g, "")).filter(Boolean);
  let name = names.join("-").slice(0, 40) || "release";
  for (let n = 2; state.plan.some((one) => one.name === name); n++) name = `${names.join("-").slice(0, 40) || "release"}-${n}`;
  state.plan.push({ name, form: structuredClone(state.form) });
  state.save();
  page.show("plan");
}
