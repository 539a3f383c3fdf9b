/**
 * The card of an axis: its chart, fields for both ends of a range, and its median.
 *
 * @typedef {import("./explorer.js").Explorer} Explorer
 * @typedef {import("./axes.js").Axis} Axis
 */
import { askedOf } from "./asking.js";
import { Categories } from "./categories.js";
import { Chart } from "./chart.js";
import { checkRange, rangeOf } from "./choosing.js";
import { button, element, label, shorten } from "./dom.js";
import { formatValue } from "./format.js";
import { groupsOf, isWhole } from "./groups.js";
import { saveChart } from "./picture.js";
import { TEXT } from "./strings.js";
import { toCsv } from "./table.js";

const QUARTERS = [0.25, 0.5, 0.75];

export class AxisCard {
  /**
   * @param {Explorer} explorer
   * @param {Axis} axis
   */
  constructor(explorer, axis) {
    this.explorer = explorer;
    this.axis = axis;
    this.chart = this.makeChart();
    this.quantiles = element("p", { class: "quantiles" });
    this.uneven = element("p", { class: "hint" });
    this.inputs = axis.ordered && axis.declared > 0 ? this.makeInputs() : [];
    const name = shorten(axis.name);
    this.clear = tool("×", TEXT.clearAxis(name), () => explorer.askAxis(axis, null, true));
    this.zoom = tool(TEXT.zoomChartShort, TEXT.zoomChart(name), () => this.show(explorer.positionsOf(axis)));
    this.all = tool(TEXT.wholeChartShort, TEXT.wholeChart(name), () => this.show(null));
    this.root = this.build(name);
  }

  /** @param {string} name */
  build(name) {
    const { axis, chart, inputs } = this;
    const csv = tool(TEXT.csv, TEXT.chartCsv(name), () => this.explorer.copy(toCsv(axis.name, chart.groups, chart.answers)));
    const tools = chart instanceof Chart
      ? [this.zoom, this.all, csv, tool(TEXT.png, TEXT.chartPicture(name), () => saveChart(chart, axis.name))] : [csv];
    return element("section", { class: "card", "aria-label": name },
      element("h2", {}, label(axis.name), this.clear, element("span", { class: "end" }, ...tools)),
      inputs.length ? element("p", { class: "range" }, inputs[0], axis.isWhole ? TEXT.through : TEXT.until, inputs[1]) : null,
      axis.isArea && !axis.shapes ? element("p", { class: "hint" }, TEXT.noOutlines) : null,
      chart.root, this.uneven, axis.ordered ? this.quantiles : null);
  }

  /** @returns {Chart | Categories} */
  makeChart() {
    const { axis, explorer } = this;
    const { release } = explorer;
    if (axis.ordered) return new Chart(axis, groupsOf(release, axis), (range, done) => this.chooseRange(range, done));
    return new Categories(release, axis, (values) => explorer.askAxis(axis, values.length ? { values } : null, true),
      () => explorer.changed(false));
  }

  makeInputs() {
    const { axis } = this;
    const name = shorten(axis.name);
    const made = [TEXT.from(name), axis.isWhole ? TEXT.upTo(name) : TEXT.to(name)].map((text) =>
      element("input", { type: "text", inputmode: axis.isDate ? "text" : "decimal", "aria-label": text, spellcheck: "false",
        autocomplete: "off", onchange: () => read() }));
    const read = () => {
      const [from, to] = made.map((input) => (input.value.trim() === "" ? null : axis.parse(input.value)));
      const stop = to !== null && axis.isWhole ? to + 1 : to;
      const wrong = [from, to].some((end) => end !== null && Number.isNaN(end)) || (from !== null && stop !== null && from >= stop);
      for (const input of made) input.setAttribute("aria-invalid", String(wrong));
      if (!wrong) this.explorer.askAxis(axis, checkRange(axis, from, stop), true);
    };
    return made;
  }

  /**
   * @param {[number, number] | null} range
   * @param {boolean} done
   */
  chooseRange(range, done) {
    const { axis, chart } = this;
    const fine = chart instanceof Chart ? (chart.ends[1] - chart.ends[0]) / chart.width : 0;
    this.explorer.askAxis(axis, range && rangeOf(axis, range, fine), done);
  }

  /**
   * Show a part of the axis in its chart, in finer bars; null for all of it.
   * @param {[number, number] | null} window
   */
  show(window) {
    const { axis, chart, explorer } = this;
    if (!(chart instanceof Chart)) return;
    const inside = /** @type {[number, number]} */ (window && window.map((place) => Math.min(place, axis.declared)));
    chart.setGroups(groupsOf(explorer.release, axis, inside ?? undefined));
    chart.draw();
    this.all.hidden = !inside || isWhole(axis, inside);
    explorer.changed(false);
  }

  /** What is chosen, in the chart and in the fields. */
  showChosen() {
    const { axis, chart, explorer } = this;
    const { asking, outline } = explorer.asker;
    const asked = askedOf(asking, axis.name);
    this.clear.hidden = asked === null && !outline?.axes.includes(axis.name);
    chart.look = explorer.look;
    if (chart instanceof Chart) {
      chart.chosen = explorer.placesOf(axis);
      this.uneven.textContent = chart.isEven ? TEXT.evenBars : "";
      chart.showChosen();
      this.zoom.hidden = !asked || !("from" in asked) || axis.declared < 2;
      this.all.hidden = isWhole(axis, [chart.groups[0].start, chart.groups[chart.groups.length - 1].stop]);
    } else chart.chosen = new Set(asked && "values" in asked ? asked.values.map(String) : []);
    const [from, to] = asked && "from" in asked ? [asked.from, asked.to] : [null, null];
    this.inputs.forEach((input, n) => {
      const end = n ? (to !== null && axis.isWhole ? to - 1 : to) : from;
      const usual = n ? axis.edge(axis.declared - (axis.isWhole ? 1 : 0)) : axis.edge(0);
      input.value = end === null ? "" : axis.format(end);
      input.placeholder = formatValue(axis, usual);
      input.setAttribute("aria-invalid", "false");
    });
  }

  /** Answers for each bar, one step each. */
  *updateChart() {
    const { axis, chart, explorer } = this;
    const { asker } = explorer;
    const answers = [];
    for (const group of chart.groups) {
      answers.push(asker.ask({ ...asker.asking, [axis.name]: group.asked }));
      yield;
    }
    chart.answers = answers;
    chart.draw();
  }

  showQuantiles() {
    if (this.axis.ordered && this.axis.declared > 0) this.quantiles.textContent = this.quantileText();
  }

  /** Its median, and between what half of its rows lie. */
  quantileText() {
    const { axis } = this;
    const { release, asking, outline, isChange, confidence } = this.explorer.asker;
    if (outline || isChange) return TEXT.noQuantilesHere;
    const found = release.quantile(axis.name, QUARTERS, { ...asking, [axis.name]: null }, confidence);
    if (!found) return TEXT.noQuantiles;
    const text = (/** @type {number} */ value) => formatValue(axis, value, 4);
    const [first, median, third] = found;
    return TEXT.quantiles(text(median.value), text(median.low), text(median.high), text(first.value), text(third.value));
  }
}

/**
 * A small button with a longer name.
 * @param {string} text
 * @param {string} about
 * @param {() => void} act
 */
function tool(text, about, act) {
  return button(text, act, { class: "small", "aria-label": about, title: about });
}
