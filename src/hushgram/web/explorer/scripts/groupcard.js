/**
 * The table of groups: of an axis that somebody chooses, or of given areas.
 *
 * @typedef {import("./explorer.js").Explorer} Explorer
 * @typedef {import("./axiscard.js").AxisCard} AxisCard
 */
import { askInstead } from "./asking.js";
import { button, element, shorten } from "./dom.js";
import { TEXT } from "./strings.js";
import { GroupTable } from "./table.js";
import { unitText } from "./units.js";

/** What given areas are called among the axes: no axis can be called that. */
const GIVEN = "";

export class GroupCard {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    const { shapes } = explorer.contents;
    this.table = new GroupTable();
    this.axis = element("select", { id: "group", onchange: () => explorer.changed(false) },
      ...explorer.release.axes.map((axis) => element("option", { value: axis.name }, shorten(axis.name))),
      shapes ? element("option", { value: GIVEN }, TEXT.givenAreas(shorten(shapes.file ?? "", 40))) : null);
    if (shapes) this.axis.value = GIVEN;
    this.root = element("section", { class: "card wide" }, element("h2", {}, TEXT.table),
      element("div", { class: "tools" }, element("label", {}, `${TEXT.groupBy} `, this.axis), this.table.find,
        button(TEXT.copyTable, () => explorer.copy(this.table.toCsv()))),
      this.table.root);
  }

  /**
   * The bars of an axis, if it is the one.
   * @param {AxisCard} card
   */
  showAxis({ axis, chart }) {
    if (axis.name === this.axis.value) this.show(axis.name, chart.groups, chart.answers);
  }

  /** Given areas, if these are chosen. */
  *updateAreas() {
    const { asker, contents } = this.explorer;
    const { shapes } = contents;
    if (!shapes || this.axis.value !== GIVEN) return;
    const asking = askInstead(asker.asking, shapes.axes, () => null);
    const answers = [];
    for (const outline of shapes.outlines) {
      answers.push(asker.ask(asking, outline));
      yield;
    }
    const groups = shapes.names.map((/** @type {string} */ name, /** @type {number} */ n) =>
      ({ start: n, stop: n + 1, asked: { values: [name] }, label: name }));
    this.show(shapes.file ?? "", groups, answers);
  }

  /**
   * @param {string} name
   * @param {import("./groups.js").Group[]} groups
   * @param {(import("./asker.js").Answer | undefined)[]} answers
   */
  show(name, groups, answers) {
    const { asker, look, release } = this.explorer;
    const unit = look.isRows ? TEXT.value : unitText(asker.what, release);
    Object.assign(this.table, { name, groups, answers, isRows: look.isRows, unit: asker.isChange ? TEXT.change : unit });
    this.table.draw();
  }
}
