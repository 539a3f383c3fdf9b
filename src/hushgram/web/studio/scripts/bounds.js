/** Bounds that nobody knows, for part of the budget: a step of its own, with its price. */
import { button, element, shorten } from "../../explorer/scripts/dom.js";
import { attempt, call, insist, pause, Problems } from "./api.js";
import { field, filledBox, fold, textInput } from "./fields.js";
import { drawGauge } from "./gauge.js";
import { newRequest, state } from "./state.js";
import { TEXT } from "./strings.js";
import { bothWords } from "./words.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./state.js").AxisForm} AxisForm */

const WAIT = 300;
const KINDS = /** @type {Record<string, string>} */ ({ bins: "interval", interval: "interval", integer: "integer", date: "date" });

/**
 * @param {Page} page
 * @param {AxisForm} axis
 */
export function boundsForm(page, axis) {
  const price = { epsilon: "0.1" };
  const said = element("div", { "aria-live": "polite" });
  const complain = (/** @type {import("./api.js").Problem[]} */ problems) => said.replaceChildren(filledBox(problems));
  const search = () => void attempt(() => find(page, axis, said), (problems) => {
    delete axis.search;
    state.save();
    complain(problems);
  });
  if (axis.search) search(); // it was sent before a reload, and is paid for once
  const ask = () => attempt(async () => {
    const form = formOf(axis, price.epsilon);
    const request = newRequest(); // made before anything is sent: pressed twice, it is paid for once
    const pay = button(TEXT.boundsSure, () => {
      pay.disabled = true;
      axis.search = { request, form };
      state.save();
      search();
    }, { class: "main pay-bounds" });
    const words = await call("bounds-words", form);
    said.replaceChildren(
      element("p", { class: "warning" }, TEXT.boundsPrice(price.epsilon, shorten(form.account), shorten(axis.name))),
      drawGauge(words.after, form.account),
      element("p", { class: "tools" }, pay),
      bothWords(words.command, words.python));
  }, complain);
  return fold(TEXT.bounds, Boolean(axis.search),
    element("p", { class: "hint" }, TEXT.boundsHint),
    element("div", { class: "fields" },
      field("", TEXT.boundsEpsilon, textInput(price, "epsilon", () => said.replaceChildren(), { inputmode: "decimal", class: "short" })),
      field("", TEXT.boundsAccount, textInput(state.form, "account", () => said.replaceChildren()))),
    element("p", { class: "tools" }, button(TEXT.review, () => void ask(), { class: "review-bounds" })),
    said);
}

/**
 * @param {AxisForm} axis
 * @param {string} epsilon
 */
function formOf(axis, epsilon) {
  const { source, where, text, unit, max_rows, neighbours, account, cap, allow_large } = state.form;
  return { source, where, text, unit, max_rows, neighbours, account, cap, allow_large, epsilon, column: axis.name, kind: KINDS[axis.kind] };
}

/**
 * @param {Page} page
 * @param {AxisForm} axis
 * @param {HTMLElement} said
 */
async function find(page, axis, said) {
  const { request, form } = /** @type {{request: string, form: Record<string, any>}} */ (axis.search);
  const status = element("p", { class: "status", role: "status" }, TEXT.working);
  said.replaceChildren(status);
  const say = (/** @type {string} */ words) => {
    status.textContent = words;
  };
  let found = await insist("bounds", { form, request }, say);
  while (["preparing", "counting"].includes(found.stage)) {
    await pause(WAIT);
    if (!said.isConnected) return; // another step is shown; this one goes on when it is drawn again
    found = await insist("job", { request }, say);
  }
  if (found.problem) throw new Problems([found.problem]);
  const { lo, hi, start, stop } = found.axis;
  delete axis.search;
  axis.lo = String(lo ?? start).slice(0, start ? 10 : undefined);
  axis.hi = String(hi ?? stop).slice(0, stop ? 10 : undefined);
  if (found.axis.kind === "interval" && axis.kind === "integer") axis.kind = "interval";
  page.redraw();
}
