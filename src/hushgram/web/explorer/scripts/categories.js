/**
 * The chart of categories: a button for each, with a bar and a margin. Areas can be shown by what
 * they lie in.
 *
 * @typedef {import("./groups.js").Group} Group
 * @typedef {import("./asker.js").Answer} Answer
 */
import { OTHER } from "./axes.js";
import { element, label, shorten } from "./dom.js";
import { formatAnswer } from "./format.js";
import { groupsOf, levelGroups } from "./groups.js";
import { TEXT } from "./strings.js";

const SHOWN = 12;

export class Categories {
  /**
   * @param {import("./release.js").Release} release
   * @param {import("./axes.js").Axis} axis
   * @param {(values: string[]) => void} choose
   * @param {() => void} regroup
   */
  constructor(release, axis, choose, regroup) {
    this.axis = axis;
    this.groups = groupsOf(release, axis);
    this.choose = choose;
    /** @type {(Answer | undefined)[]} */
    this.answers = [];
    /** @type {Set<string>} */
    this.chosen = new Set();
    this.look = { isRows: true, isSum: true };
    this.list = element("div", { class: "categories", role: "group", "aria-label": shorten(axis.name) });
    this.note = element("p", { class: "hint", role: "status" });
    const search = TEXT.search(shorten(axis.name));
    this.find = element("input", { type: "search", "aria-label": search, placeholder: search, oninput: () => this.draw() });
    this.level = element("select", { onchange: () => {
      this.groups = this.level.value ? levelGroups(axis, this.level.value) : groupsOf(release, axis);
      this.answers = [];
      regroup();
    } }, element("option", { value: "" }, TEXT.areas),
      ...axis.levels.map(({ name }) => element("option", { value: name }, shorten(name))));
    this.root = element("div", {},
      axis.levels.length ? element("p", {}, element("label", {}, `${TEXT.level} `, this.level)) : null,
      this.groups.length > SHOWN ? this.find : null, this.list, this.note);
  }

  /** @param {Group} group */
  toggle(group) {
    const values = valuesOf(group);
    const left = [...this.chosen].filter((one) => !values.includes(one));
    this.choose(this.isChosen(group) ? left : [...left, ...values]);
  }

  /** @param {Group} group */
  isChosen(group) {
    return valuesOf(group).every((value) => this.chosen.has(value));
  }

  draw() {
    const wanted = this.find.value.trim().toLowerCase();
    const focused = document.activeElement?.getAttribute("data-place");
    const isOther = (/** @type {number} */ n) => this.groups[n].label === OTHER && this.axis.hasOther;
    const rank = (/** @type {number} */ n) => (this.isChosen(this.groups[n]) ? Infinity : this.answers[n]?.value ?? -Infinity);
    const matching = [...this.groups.keys()].filter((n) => this.groups[n].label.toLowerCase().includes(wanted));
    const sorted = this.groups.length > SHOWN ? matching.sort((a, b) => (rank(b) === rank(a) ? a - b : rank(b) - rank(a))) : matching;
    const others = sorted.filter(isOther);
    const shown = [...sorted.filter((n) => !isOther(n)).slice(0, SHOWN), ...others];
    const named = this.answers.filter((_, n) => !isOther(n) || this.groups.length < 3);
    const [bottom, top] = meterEnds(named, this.look);
    this.list.replaceChildren(...shown.map((n) => this.row(n, bottom, top)));
    if (focused) /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-place="${focused}"]`))?.focus();
    const rest = sorted.length - shown.length;
    this.note.textContent = !sorted.length ? TEXT.noMatch : rest ? TEXT.moreValues(rest) : "";
  }

  /**
   * @param {number} n
   * @param {number} bottom
   * @param {number} top
   */
  row(n, bottom, top) {
    const group = this.groups[n];
    const answer = this.answers[n];
    const pressed = this.isChosen(group);
    const bar = meter(answer, bottom, top, pressed || !this.chosen.size, this.look.isSum);
    const text = answer === undefined ? "…" : formatAnswer(answer, this.look.isRows);
    return element("button", { type: "button", class: "category", "aria-pressed": pressed, "data-place": n,
      onclick: () => this.toggle(group) },
      element("span", { class: "name" }, label(group.label)), bar, element("span", { class: "number" }, text));
  }
}

/**
 * Where the lines of meters start and end.
 * @param {(Answer | undefined)[]} answers
 * @param {{isRows: boolean, isSum: boolean}} look
 */
export function meterEnds(answers, { isRows, isSum }) {
  let [low, high] = isSum ? [0, isRows ? 1 : 1e-9] : [Infinity, -Infinity];
  for (const answer of answers) {
    if (!answer) continue;
    low = Math.min(low, isSum && answer.value >= 0 ? 0 : answer.low);
    high = Math.max(high, answer.high);
  }
  if (isSum || !(high > low)) return [Math.min(low, high - 1e-9), high];
  return [low - 0.1 * (high - low), high + 0.1 * (high - low)];
}

/**
 * A bar, or a point, with its margin, on a line between two numbers.
 * @param {Answer | undefined} answer
 * @param {number} bottom
 * @param {number} top
 * @param {boolean} isIn
 * @param {boolean} isSum
 */
export function meter(answer, bottom, top, isIn, isSum) {
  const found = element("span", { class: "meter", "aria-hidden": "true" });
  if (!answer) return found;
  const percent = (/** @type {number} */ value) => Math.min(Math.max((100 * (value - bottom)) / (top - bottom), 0), 100);
  const mark = element("span", { class: `${isSum ? "bar" : "dot"}${answer.value < 0 ? " negative" : ""}${isIn ? "" : " outside"}` });
  const [from, to] = [percent(isSum ? Math.min(answer.value, 0) : answer.value), percent(Math.max(answer.value, isSum ? 0 : answer.value))];
  mark.style.left = `${from}%`;
  if (isSum) mark.style.width = `${to - from}%`;
  const margin = element("span", { class: "margin" });
  margin.style.left = `${percent(answer.low)}%`;
  margin.style.right = `${100 - percent(answer.high)}%`;
  found.append(mark, margin);
  return found;
}

/** @param {Group} group */
function valuesOf({ asked }) {
  return "values" in asked ? asked.values.map(String) : [];
}
