/**
 * The table of groups: sorted by any column, searched, and copied as CSV.
 *
 * @typedef {import("./groups.js").Group} Group
 * @typedef {import("./asker.js").Answer} Answer
 * @typedef {{group: Group, answer: Answer | undefined, place: number}} Row
 */
import { button, element, label } from "./dom.js";
import { formatParts } from "./format.js";
import { TEXT } from "./strings.js";

const SHOWN = 200;

/** @type {[string, (row: Row) => number | string][]} */
const COLUMNS = [
  [TEXT.group, (row) => row.place],
  [TEXT.value, (row) => row.answer?.value ?? -Infinity],
  [TEXT.lower, (row) => (row.answer ? row.answer.low : -Infinity)],
  [TEXT.upper, (row) => (row.answer ? row.answer.high : -Infinity)],
];

export class GroupTable {
  constructor() {
    /** @type {Group[]} */
    this.groups = [];
    /** @type {(Answer | undefined)[]} */
    this.answers = [];
    this.name = "";
    this.isRows = true;
    this.unit = TEXT.value;
    this.column = 0;
    this.falling = false;
    this.find = element("input", { type: "search", "aria-label": TEXT.filter, placeholder: TEXT.filter, oninput: () => this.draw() });
    this.heads = element("tr");
    this.body = element("tbody");
    this.note = element("p", { class: "hint" });
    this.root = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": TEXT.table },
      element("table", {}, element("thead", {}, this.heads), this.body), this.note);
  }

  /** @param {number} column */
  sortBy(column) {
    this.falling = this.column === column ? !this.falling : column > 0;
    this.column = column;
    this.draw();
  }

  rows() {
    const wanted = this.find.value.trim().toLowerCase();
    const rows = this.groups.map((group, place) => ({ group, place, answer: this.answers[place] }));
    const [, key] = COLUMNS[this.column];
    const sign = this.falling ? -1 : 1;
    return rows
      .filter((row) => row.group.label.toLowerCase().includes(wanted))
      .sort((a, b) => sign * (Number(key(a)) - Number(key(b))) || a.place - b.place);
  }

  draw() {
    this.heads.replaceChildren(...COLUMNS.map(([usual], column) => {
      const name = column === 1 ? this.unit : usual;
      const sorted = column === this.column ? (this.falling ? "descending" : "ascending") : "none";
      return element("th", { scope: "col", "aria-sort": sorted },
        button(name + (sorted === "none" ? "" : this.falling ? " ↓" : " ↑"), () => this.sortBy(column)));
    }));
    this.body.replaceChildren(...this.rows().slice(0, SHOWN).map(({ group, answer }) => element("tr", {},
      element("th", { scope: "row" }, label(group.label)),
      ...(answer === undefined ? ["…", "", ""] : formatParts(answer, this.isRows)).map((text) => element("td", {}, text)))));
    const more = this.rows().length - SHOWN;
    this.note.textContent = more > 0 ? TEXT.moreRows(more) : "";
  }

  toCsv() {
    return toCsv(this.name, this.groups, this.answers);
  }
}

/**
 * All groups as CSV, in the order of the axis. Nothing in it is taken for a formula.
 * @param {string} name
 * @param {Group[]} groups
 * @param {(Answer | undefined)[]} answers
 */
export function toCsv(name, groups, answers) {
  const lines = groups.map((group, n) => {
    return [csvCell(group.exact ?? group.label), ...csvNumbers(answers[n])].join(",");
  });
  return [`${csvCell(name)},value,lower,upper`, ...lines].join("\r\n") + "\r\n";
}

/** @param {Answer | undefined} answer */
export function csvNumbers(answer) {
  return answer ? [answer.value, answer.low, answer.high] : ["", "", ""];
}

/** @param {string} text */
export function csvCell(text) {
  const safe = /^[=+\-@\t\r\n]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
