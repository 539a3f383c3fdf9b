/**
 * Two axes at once: a table with a colour for each pair of groups. What is chosen on other axes
 * filters it, and a pair can be chosen.
 *
 * @typedef {import("./explorer.js").Explorer} Explorer
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./groups.js").Group} Group
 * @typedef {import("./asker.js").Answer} Answer
 */
import { askedOf, askInstead } from "./asking.js";
import { isUnsure } from "./asker.js";
import { cssOf, isDark, isPale, makeColours } from "./colours.js";
import { button, element, label, shorten } from "./dom.js";
import { formatAnswer, formatParts } from "./format.js";
import { groupsOf } from "./groups.js";
import { scaleOf } from "./scale.js";
import { TEXT } from "./strings.js";
import { csvCell, csvNumbers } from "./table.js";

const MOST_RANGES = 16;
const MOST_VALUES = 40;

/**
 * Whether there are two axes that no map shows.
 * @param {readonly Axis[]} axes
 */
export function needsCross(axes) {
  return axes.length > 2 || (axes.length === 2 && axes.some((axis) => !axis.ordered));
}

export class CrossCard {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    const { axes } = explorer.release;
    const first = axes.find((axis) => !axis.ordered) ?? axes[0];
    this.down = this.makeSelect("cross-down", first);
    this.across = this.makeSelect("cross-across", axes.find((axis) => axis !== first) ?? first);
    /** @type {[Group[], Group[]]} */
    this.groups = [[], []];
    /** For each row, the answers along it. @type {Answer[][]} */
    this.answers = [];
    this.table = element("table", { class: "cross" });
    this.note = element("p", { class: "hint", role: "status" });
    this.root = element("section", { class: "card wide", "aria-label": TEXT.cross }, element("h2", {}, TEXT.cross),
      element("div", { class: "tools" }, element("label", {}, `${TEXT.crossDown} `, this.down), element("label", {}, `${TEXT.crossAcross} `, this.across),
        button(TEXT.copyTable, () => explorer.copy(this.toCsv()))),
      element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": TEXT.crossTable }, this.table),
      this.note, element("p", { class: "hint" }, TEXT.crossHelp));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /**
   * @param {string} id
   * @param {Axis} axis
   */
  makeSelect(id, axis) {
    return element("select", { id, onchange: () => this.explorer.changed(false) }, ...this.explorer.release.axes.map((one) =>
      element("option", { value: one.name, selected: one === axis }, shorten(one.name))));
  }

  /** @returns {[Axis, Axis]} */
  get axes() {
    const { release } = this.explorer;
    return [release.axis(this.down.value), release.axis(this.across.value)];
  }

  /**
   * The groups of an axis, as coarse as a table can show, in the part that its chart shows.
   * @param {Axis} axis
   */
  groupsOf(axis) {
    const { cards, release } = this.explorer;
    const shown = cards.find((card) => card.axis === axis)?.chart.groups ?? [];
    if (!axis.ordered || !axis.declared) return shown.slice(0, MOST_VALUES);
    const inside = shown.filter((group) => group.start < axis.declared);
    return groupsOf(release, axis, [inside[0].start, inside[inside.length - 1].stop], MOST_RANGES);
  }

  /** Answers for each pair, one step each. */
  *update() {
    const { asker } = this.explorer;
    const axes = this.axes;
    const names = axes.map(({ name }) => name);
    const isPair = axes[0] !== axes[1];
    this.note.textContent = isPair ? "" : TEXT.crossSame;
    const [rows, columns] = isPair ? axes.map((axis) => this.groupsOf(axis)) : [[], []];
    const answers = [];
    for (const row of rows) {
      /** @type {Answer[]} */
      const along = [];
      for (const column of columns) {
        along.push(asker.ask(askInstead(asker.asking, names, (n) => (n ? column : row).asked)));
        yield;
      }
      answers.push(along);
    }
    this.groups = [rows, columns];
    this.answers = answers;
    this.draw();
  }

  draw() {
    const [rows, columns] = this.groups;
    const { asker, look } = this.explorer;
    const place = this.table.contains(document.activeElement) ? document.activeElement?.getAttribute("data-place") : null;
    const scale = scaleOf(this.answers.map((along) => along.map((answer) => answer?.value ?? NaN)), look.isSum, asker.isChange);
    const colours = makeColours(isDark(), asker.isChange);
    this.table.replaceChildren(
      element("thead", {}, element("tr", {}, element("td"), ...columns.map((one) => element("th", { scope: "col" }, label(one.label))))),
      element("tbody", {}, ...rows.map((row, n) => element("tr", {}, element("th", { scope: "row" }, label(row.label)),
        ...columns.map((_, k) => element("td", {}, this.cell(n, k, scale, colours)))))));
    if (place) /** @type {HTMLElement | null} */ (this.table.querySelector(`[data-place="${place}"]`))?.focus();
  }

  /**
   * @param {number} n
   * @param {number} k
   * @param {import("./scale.js").Scale} scale
   * @param {import("./colours.js").Colours} colours
   */
  cell(n, k, scale, colours) {
    const { look, asker } = this.explorer;
    const [row, column] = [this.groups[0][n], this.groups[1][k]];
    const answer = this.answers[n][k];
    const text = TEXT.crossCell(shorten(row.label), shorten(column.label), formatAnswer(answer, look.isRows));
    const made = button(formatParts(answer, look.isRows)[0], () => this.choose(row, column),
      { "aria-label": text, title: text, "aria-pressed": this.isChosen(row, column), "data-place": `${n} ${k}` });
    if (!answer) return made;
    const isFaded = (look.isSum || asker.isChange) && isUnsure(answer);
    const colour = cssOf(colours, scale.share(answer.value), isFaded);
    made.style.background = colour;
    made.style.color = isPale(colour) ? "#000" : "#fff";
    return made;
  }

  /**
   * @param {Group} row
   * @param {Group} column
   */
  isChosen(row, column) {
    const { asker, release } = this.explorer;
    return this.axes.every((axis, n) => {
      const asked = askedOf(asker.asking, axis.name);
      const group = n ? column : row;
      if (!asked) return false;
      if ("values" in asked) return "values" in group.asked && group.asked.values.every((value) => asked.values.includes(value));
      const [start, stop] = this.explorer.positionsOf(release.axis(axis.name)) ?? [0, 0];
      return !("values" in group.asked) && group.start >= start && group.stop <= stop;
    });
  }

  /**
   * @param {Group} row
   * @param {Group} column
   */
  choose(row, column) {
    const { asker } = this.explorer;
    const names = this.axes.map(({ name }) => name);
    const kept = names.some((name) => asker.outline?.axes.includes(name)) ? null : asker.outline;
    this.explorer.ask(askInstead(asker.asking, names, (n) => (n ? column : row).asked), kept);
  }

  toCsv() {
    const [rows, columns] = this.groups;
    const heads = this.axes.map(({ name }) => csvCell(name));
    const lines = rows.flatMap((row, n) => columns.map((column, k) =>
      [csvCell(row.exact ?? row.label), csvCell(column.exact ?? column.label), ...csvNumbers(this.answers[n][k])].join(",")));
    return [`${heads.join(",")},value,lower,upper`, ...lines].join("\r\n") + "\r\n";
  }
}
