/**
 * The chart of categories: a button for each, with a bar and a margin.
 *
 * @typedef {import("./groups.js").Group} Group
 * @typedef {import("./counts.js").Answer} Answer
 */
import { element, label } from "./dom.js";
import { formatRows } from "./format.js";
import { TEXT } from "./strings.js";

const SHOWN = 12;

export class Categories {
  /**
   * @param {import("./axes.js").Axis} axis
   * @param {Group[]} groups
   * @param {(values: string[]) => void} choose
   */
  constructor(axis, groups, choose) {
    this.axis = axis;
    this.groups = groups;
    this.choose = choose;
    /** @type {(Answer | undefined)[]} */
    this.answers = [];
    /** @type {string[]} */
    this.chosen = [];
    this.list = element("div", { class: "categories", role: "group", "aria-label": axis.name });
    this.note = element("p", { class: "hint" });
    this.find = element("input", { type: "search", "aria-label": TEXT.search(axis.name), placeholder: TEXT.search(axis.name),
      oninput: () => this.draw() });
    this.root = element("div", {}, groups.length > SHOWN ? this.find : null, this.list, this.note);
  }

  /** @param {string} value */
  toggle(value) {
    const left = this.chosen.filter((one) => one !== value);
    this.choose(left.length < this.chosen.length ? left : [...this.chosen, value]);
  }

  draw() {
    const wanted = this.find.value.trim().toLowerCase();
    const focused = document.activeElement?.getAttribute("data-place");
    const rank = (/** @type {number} */ n) => (this.chosen.includes(this.groups[n].label) ? Infinity : this.answers[n]?.value ?? -Infinity);
    const matching = [...this.groups.keys()].filter((n) => this.groups[n].label.toLowerCase().includes(wanted));
    const sorted = this.groups.length > SHOWN ? matching.sort((a, b) => rank(b) - rank(a)) : matching;
    const shown = sorted.slice(0, SHOWN);
    const top = Math.max(1, ...this.answers.map((answer) => (answer ? answer.value + answer.width : 0)));
    this.list.replaceChildren(...shown.map((n) => this.row(n, top)));
    if (focused) /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-place="${focused}"]`))?.focus();
    const rest = sorted.length - shown.length;
    this.note.textContent = !sorted.length ? TEXT.noMatch : rest ? TEXT.moreValues(rest) : "";
  }

  /**
   * @param {number} n
   * @param {number} top
   */
  row(n, top) {
    const group = this.groups[n];
    const answer = this.answers[n];
    const pressed = this.chosen.includes(group.label);
    const bar = element("span", { class: "meter", "aria-hidden": "true" });
    if (answer) {
      const percent = (/** @type {number} */ value) => `${Math.min(Math.max((100 * value) / top, 0), 100)}%`;
      const fill = element("span", { class: pressed || !this.chosen.length ? "bar" : "bar outside" });
      fill.style.width = percent(answer.value);
      const margin = element("span", { class: "margin" });
      margin.style.left = percent(answer.value - answer.width);
      margin.style.right = `calc(100% - ${percent(answer.value + answer.width)})`;
      bar.append(fill, margin);
    }
    const text = answer ? TEXT.rows(formatRows(answer.value), formatRows(answer.width)) : "…";
    return element("button", { type: "button", class: "category", "aria-pressed": pressed, "data-place": n,
      onclick: () => this.toggle(group.label) },
      element("span", { class: "name" }, label(group.label)), bar, element("span", { class: "number" }, text));
  }
}
