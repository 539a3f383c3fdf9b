/** The page: a view, its steps, and the same in words below. */
import { button, element } from "../../explorer/scripts/dom.js";
import { accuracyStep } from "./accuracy.js";
import { call, Problems } from "./api.js";
import { axesStep } from "./axes.js";
import { budgetStep } from "./budget.js";
import { problemBox, showProblems } from "./fields.js";
import { ledgerView } from "./ledger.js";
import { planView } from "./plan.js";
import { publishStep } from "./publish.js";
import { openTable, sourceStep } from "./source.js";
import { state } from "./state.js";
import { STEPS, stepOf } from "./steps.js";
import { TEXT } from "./strings.js";
import { wordsCard } from "./words.js";

/** @typedef {import("./api.js").Problem} Problem */
/**
 * @typedef {object} Page what a step may ask of the page
 * @property {() => void} changed something was typed
 * @property {() => void} redraw draw the step anew
 * @property {(step: string) => void} go
 * @property {(view: string) => void} show
 * @property {(problems: Problem[]) => void} complain
 * @property {(act: (found: any) => void) => void} onCheck what to do when the form was checked
 * @property {() => Promise<any>} check
 */

const DELAY = 250;

/** @type {Record<string, (page: Page) => HTMLElement>} */
const MAKERS = { table: sourceStep, axes: axesStep, accuracy: accuracyStep, budget: budgetStep, publish: publishStep };

/** @implements {Page} */
class Studio {
  constructor() {
    this.main = element("main");
    this.rest = problemBox();
    this.body = element("div");
    this.words = wordsCard();
    /** Steps whose problems are shown: those that somebody wanted to leave. */
    this.left = new Set();
    /** What the last action found wrong. It is shown until something is typed. @type {Problem[]} */
    this.raised = [];
    /** @type {((found: any) => void)[]} */
    this.listeners = [];
    this.timer = 0;
    this.asked = 0;
    document.body.prepend(this.main);
    if (state.sending?.sent) Object.assign(state, { view: "publish", step: "publish" });
    history.replaceState(this.place, "");
    addEventListener("popstate", (event) => this.goBack(event.state));
    this.redraw();
    document.body.dataset.state = "ready";
  }

  changed() {
    this.raised = [];
    state.save();
    clearTimeout(this.timer);
    document.body.dataset.state = "checking";
    this.timer = setTimeout(() => this.check().catch(() => {}), DELAY);
  }

  /** Ask the server what is wrong, and what it comes to. */
  async check() {
    const number = ++this.asked;
    let found;
    try {
      found = await call("check", { ...state.form, request: state.sending?.request ?? "" });
    } catch (error) {
      if (error instanceof Problems) this.complain(error.found);
      throw error;
    }
    if (number !== this.asked) return found;
    this.words.show(found);
    for (const listener of this.listeners) listener(found);
    if (this.left.has(state.step)) this.showProblems([...this.raised, ...this.problemsHere(found.problems)]);
    document.body.dataset.state = "ready";
    return found;
  }

  /** @param {Problem[]} problems */
  problemsHere(problems) {
    return problems.filter((one) => stepOf(one) === state.step);
  }

  /** @param {Problem[]} problems */
  complain(problems) {
    this.raised = problems;
    this.showProblems(problems);
  }

  /** @param {Problem[]} problems */
  showProblems(problems) {
    showProblems(this.body, problems, this.rest);
    if (problems.length) document.body.dataset.state = "ready";
  }

  /** @param {(found: any) => void} act */
  onCheck(act) {
    this.listeners.push(act);
  }

  /** Where the page is, for the browser's Back. */
  get place() {
    return { view: state.view, step: state.step };
  }

  /** @param {string} view */
  show(view) {
    state.view = view;
    this.arrive();
  }

  /** @param {string} step */
  go(step) {
    state.step = step;
    this.arrive();
    this.body.querySelector("h2")?.focus();
  }

  /** Draw the place that was chosen, and keep the one before it for the browser's Back. */
  arrive() {
    state.save();
    history.pushState(this.place, "");
    this.redraw();
  }

  /**
   * To a place from the browser's history. A request that was sent is followed wherever that is.
   * @param {{view: string, step: string} | null} place
   */
  goBack(place) {
    if (!place) return;
    Object.assign(state, place, state.sending?.sent ? { step: "publish" } : {});
    state.save();
    this.redraw();
  }

  /** Leave a step forwards, if nothing in it is wrong. */
  async next() {
    const here = state.step;
    this.left.add(here);
    const found = await this.check();
    const isFine = !this.problemsHere(found.problems).length && (here !== "table" || (await openTable(this)));
    if (here !== state.step) return;
    if (isFine) this.go(STEPS[STEPS.indexOf(/** @type {any} */ (here)) + 1]);
    else this.focusProblem();
  }

  focusProblem() {
    const first = this.body.querySelector("[aria-invalid=true]");
    if (first instanceof HTMLElement) first.focus();
  }

  redraw() {
    this.listeners = [];
    this.rest.hidden = true;
    const drawn = state.view === "ledger" ? ledgerView(this) : state.view === "plan" ? planView(this) : this.publishing();
    this.body.replaceChildren(drawn);
    this.main.replaceChildren(this.header(), this.body, this.rest, ...(state.view === "publish" ? [this.words.root] : []));
    if (state.view !== "ledger") this.changed();
  }

  header() {
    return element("header", {},
      element("h1", {}, TEXT.title),
      element("p", { class: "lead" }, TEXT.lead),
      element("nav", { class: "tools", "aria-label": TEXT.title }, ...Object.entries(TEXT.views).map(([view, name]) =>
        button(name, () => this.show(view), { "aria-current": state.view === view ? "page" : "false", class: "view" }))));
  }

  publishing() {
    const sent = state.sending?.sent;
    const place = STEPS.indexOf(/** @type {any} */ (state.step));
    const steps = element("ol", { class: "steps" }, ...STEPS.map((step, n) => element("li", {},
      button(`${n + 1} ${TEXT.steps[step]}`, () => this.go(step), {
        "aria-current": step === state.step ? "step" : "false", disabled: Boolean(sent) && step !== "publish",
      }))));
    const tools = element("p", { class: "tools" },
      place > 0 && !sent ? button(TEXT.back, () => this.go(STEPS[place - 1])) : null,
      place < STEPS.length - 1 ? button(TEXT.next, () => void this.next().catch(() => {}), { class: "main onwards", id: "next" }) : null);
    return element("div", {}, steps, element("section", { class: "card" }, MAKERS[state.step](this)), tools);
  }
}

new Studio();
