/**
 * The page: one question, which the map, the charts and the address of the page show and change, and
 * its answer.
 *
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./map.js").Area} Area
 * @typedef {import("./release.js").Asking} Asking
 */
import { checkRange, fromFragment, questionText, rangeText, toCommand, toFragment, toPython } from "./asking.js";
import { Categories } from "./categories.js";
import { Chart } from "./chart.js";
import { button, element, label, shorten } from "./dom.js";
import { formatLevel, formatRows, formatValue } from "./format.js";
import { groupsOf } from "./groups.js";
import { Lattice, countUpTo } from "./layout.js";
import { MapView } from "./map.js";
import { Contents } from "./release.js";
import { TEXT } from "./strings.js";
import { GroupTable } from "./table.js";
import { tilesOf } from "./tiles.js";
import { DOMINANT } from "./widths.js";
import { Work } from "./work.js";

const QUARTERS = [0.25, 0.5, 0.75];

class Explorer {
  /** @param {Contents} contents */
  constructor(contents) {
    this.contents = contents;
    this.release = contents.releases[0];
    this.work = new Work();
    const { asking, level } = fromFragment(this.release, location.hash);
    /** @type {Asking} */
    this.asking = asking;
    this.confidence = contents.confidence(level);
    this.answerBox = element("div", { class: "answer", "aria-live": "polite", "aria-atomic": "true" });
    this.compared = element("div", { class: "scroll" });
    this.message = element("p", { class: "hint", role: "status" });
    this.commandText = element("code", { id: "command" });
    this.pythonText = element("code", { id: "python" });
    this.level = element("select", { id: "level", onchange: () => this.setLevel(Number(this.level.value)) },
      ...contents.confidences.map((one) =>
        element("option", { value: one.level, selected: one === this.confidence }, formatLevel(one.level))));
    this.ordered = this.release.axes.filter((axis) => axis.ordered && axis.declared > 0);
    /** @type {[Axis, Axis] | null} */
    this.mapAxes = this.chooseMapAxes();
    this.map = this.mapAxes && this.makeMap(this.mapAxes);
    /** What the map was painted for last. */
    this.paintedFor = "";
    this.cards = this.release.axes.map((axis) => this.makeCard(axis));
    this.table = new GroupTable();
    this.groupAxis = element("select", { id: "group", onchange: () => this.changed(false) },
      ...this.release.axes.map((axis) => element("option", { value: axis.name }, shorten(axis.name))));
    this.build();
    this.changed(true);
    addEventListener("hashchange", () => this.readAddress());
  }

  readAddress() {
    if (location.hash.slice(1) === this.fragment) return;
    const { asking, level } = fromFragment(this.release, location.hash);
    this.asking = asking;
    this.confidence = this.contents.confidence(level);
    this.level.value = String(this.confidence.level);
    this.changed(false);
  }

  get fragment() {
    return toFragment(this.release, this.asking, this.confidence.level);
  }

  build() {
    const names = this.release.axes.map((axis) => shorten(axis.name)).join(", ");
    document.body.prepend(element("main", {},
      element("header", {}, element("h1", {}, label(this.contents.title)), element("p", { class: "lead" }, TEXT.lead(names))),
      this.answerCard(),
      this.mapCard(),
      ...this.cards.map((card) => card.root),
      this.tableCard(),
      this.askCard(),
      this.helpCard(),
      element("footer", {}, TEXT.footer)));
  }

  answerCard() {
    return element("section", { class: "card sticky", "aria-label": TEXT.answer },
      this.answerBox,
      element("p", { class: "tools" },
        element("label", {}, `${TEXT.confidence} `, this.level),
        button(TEXT.clear, () => this.ask({})),
        button(TEXT.copyLink, () => this.copy(this.link)),
        button(TEXT.copyCommand, () => this.copy(toCommand(this.release, this.asking, this.confidence.level) ?? TEXT.noCommand)),
        button(TEXT.copyPython, () => this.copy(toPython(this.release, this.asking, this.confidence.level)))),
      this.message,
      this.compared);
  }

  get link() {
    return `${location.href.split("#")[0]}#${this.fragment}`;
  }

  /**
   * Longitude and latitude, or else the first two axes with an order.
   * @returns {[Axis, Axis] | null}
   */
  chooseMapAxes() {
    if (this.release.map) return [this.release.axis(this.release.map[0]), this.release.axis(this.release.map[1])];
    return this.ordered.length > 1 ? [this.ordered[0], this.ordered[1]] : null;
  }

  /** @param {[Axis, Axis]} axes */
  makeMap([across, up]) {
    return new MapView({
      outlines: this.contents.outlines,
      across,
      up,
      stretch: this.stretchOf(across, up),
      choose: (area, done) => this.chooseArea(area, done),
      hover: (x, y) => this.describePlace(x, y),
    });
  }

  mapCard() {
    if (!this.map || !this.mapAxes) return null;
    const title = element("h2");
    const choose = () => this.setMapAxes(title, selects.map((select) => this.release.axis(select.value)));
    const selects = this.mapAxes.map((chosen) => element("select", { onchange: choose },
      ...this.ordered.map((axis) => element("option", { value: axis.name, selected: axis === chosen }, shorten(axis.name)))));
    const choices = [TEXT.mapAcross, TEXT.mapUp].map((text, n) => element("label", {}, `${text} `, selects[n]));
    this.map.tools.append(button(TEXT.picture, () => this.savePicture()));
    title.textContent = TEXT.map(shorten(this.mapAxes[0].name), shorten(this.mapAxes[1].name));
    return element("section", { class: "card wide" }, title,
      this.ordered.length > 2 ? element("p", { class: "tools" }, ...choices) : null, this.map.root);
  }

  /**
   * @param {HTMLElement} title
   * @param {Axis[]} axes
   */
  setMapAxes(title, [across, up]) {
    if (!this.map || across === up) return;
    this.mapAxes = [across, up];
    title.textContent = TEXT.map(shorten(across.name), shorten(up.name));
    this.map.setAxes(across, up, this.stretchOf(across, up));
    this.paintedFor = "";
    this.changed(false);
  }

  /**
   * How much longer a degree up is than one across, in the middle of a map; null elsewhere.
   * @param {Axis} across
   * @param {Axis} up
   */
  stretchOf(across, up) {
    if (this.release.map?.[0] !== across.name || this.release.map[1] !== up.name) return null;
    const middle = Math.abs(up.edge(0) + up.edge(up.declared)) / 2;
    return 1 / Math.cos((Math.min(middle, 75) * Math.PI) / 180);
  }

  /** @param {Axis} axis */
  makeCard(axis) {
    const groups = groupsOf(this.release, axis);
    const clear = button("×", () => this.askAxis(axis, null, true),
      { class: "clear", "aria-label": TEXT.clearAxis(axis.name), title: TEXT.clearAxis(shorten(axis.name)) });
    const quantiles = element("p", { class: "quantiles" });
    /** @type {Chart | Categories} */
    const chart = axis.ordered
      ? new Chart(axis, groups, (range, done) => this.chooseRange(axis, range, done))
      : new Categories(axis, groups, (values) => this.askAxis(axis, values.length ? { values } : null, true));
    const inputs = this.ordered.includes(axis) ? this.inputs(axis) : [];
    const root = element("section", { class: "card" },
      element("h2", {}, label(axis.name), clear),
      inputs.length ? element("p", { class: "range" }, inputs[0], axis.isWhole ? TEXT.through : TEXT.until, inputs[1]) : null,
      chart.root, axis.ordered ? quantiles : null);
    return { axis, chart, clear, quantiles, inputs, root };
  }

  /** @param {Axis} axis */
  inputs(axis) {
    const made = [TEXT.from(axis.name), axis.isWhole ? TEXT.upTo(axis.name) : TEXT.to(axis.name)].map((text) =>
      element("input", { type: "text", inputmode: axis.isDate ? "text" : "decimal", "aria-label": text, spellcheck: "false",
        autocomplete: "off", onchange: () => read() }));
    const read = () => {
      const [from, to] = made.map((input) => (input.value.trim() === "" ? null : axis.parse(input.value)));
      const stop = to !== null && axis.isWhole ? to + 1 : to;
      const wrong = [from, to].some((end) => end !== null && Number.isNaN(end)) || (from !== null && stop !== null && from >= stop);
      for (const input of made) input.setAttribute("aria-invalid", String(wrong));
      if (!wrong) this.askAxis(axis, checkRange(axis, from, stop), true);
    };
    return made;
  }

  tableCard() {
    return element("section", { class: "card wide" }, element("h2", {}, TEXT.table),
      element("p", { class: "tools" }, element("label", {}, `${TEXT.groupBy} `, this.groupAxis), this.table.find,
        button(TEXT.copyTable, () => this.copy(this.table.toCsv()))),
      this.table.root);
  }

  askCard() {
    return element("section", { class: "card wide" }, element("h2", {}, TEXT.ask),
      element("pre", { tabindex: 0 }, this.commandText), element("pre", { tabindex: 0 }, this.pythonText));
  }

  helpCard() {
    const { facts, file } = this.release;
    const shown = Object.entries({ ...facts, file }).filter(([, value]) => value !== "");
    return element("section", { class: "card wide" },
      element("h2", {}, TEXT.helpTitle),
      ...TEXT.help.flatMap(([question, text]) => [element("h3", {}, question), element("p", {}, text)]),
      element("h3", {}, TEXT.facts),
      element("dl", {}, ...shown.flatMap(([key, value]) => [
        element("dt", {}, TEXT.factNames[key] ?? key),
        element("dd", {}, label(typeof value === "number" ? formatRows(value) : String(value))),
      ])));
  }

  /** @param {number} level */
  setLevel(level) {
    this.confidence = this.contents.confidence(level);
    this.changed(true);
  }

  /** @param {Asking} asking */
  ask(asking) {
    this.asking = asking;
    this.changed(true);
  }

  /**
   * @param {Axis} axis
   * @param {import("./axes.js").Asked} asked
   * @param {boolean} done
   */
  askAxis(axis, asked, done) {
    this.asking = { ...this.asking, [axis.name]: asked };
    this.changed(done);
  }

  /**
   * @param {Area | null} area
   * @param {boolean} done
   */
  chooseArea(area, done) {
    const [across, up] = /** @type {Axis[]} */ (this.mapAxes);
    const view = /** @type {MapView} */ (this.map);
    const { width, height } = view.inner;
    const fine = [(view.view.x[1] - view.view.x[0]) / width, (view.view.y[1] - view.view.y[0]) / height];
    this.asking = {
      ...this.asking,
      [across.name]: area && this.rangeOf(across, area.x, fine[0]),
      [up.name]: area && this.rangeOf(up, area.y, fine[1]),
    };
    this.changed(done);
  }

  /**
   * @param {Axis} axis
   * @param {[number, number] | null} range
   * @param {boolean} done
   */
  chooseRange(axis, range, done) {
    const card = this.cards.find((one) => one.axis === axis);
    const fine = card && card.chart instanceof Chart ? (card.chart.ends[1] - card.chart.ends[0]) / card.chart.width : 0;
    this.askAxis(axis, range && this.rangeOf(axis, range, fine), done);
  }

  /**
   * The range that somebody means who points to two places: whole cells where cells were declared,
   * round values elsewhere.
   * @param {Axis} axis
   * @param {[number, number]} places
   * @param {number} fine how much of the axis a pixel is
   * @returns {import("./axes.js").Asked}
   */
  rangeOf(axis, places, fine) {
    const [low, high] = [axis.place(0), axis.place(axis.declared)];
    const [from, to] = places.map((place) => Math.min(Math.max(place, low), high));
    if (!axis.continuous) {
      const [start, stop] = [from, to].map((value) => Math.round(axis.position(value)));
      const first = Math.min(start, axis.declared - 1);
      return { from: axis.edge(first), to: axis.edge(Math.max(stop, first + 1)) };
    }
    const digits = Math.min(Math.max(Math.ceil(-Math.log10(fine)), 0), 15);
    const round = (/** @type {number} */ value) => Math.min(Math.max(Number(value.toFixed(digits)), low), high);
    return checkRange(axis, round(from), round(to)) ?? checkRange(axis, from, to);
  }

  /** @param {boolean} done whether this is a step that the address should show */
  changed(done) {
    this.showAnswer();
    this.showChosen();
    if (done && location.protocol !== "about:") history.replaceState(null, "", `#${this.fragment}`);
    document.body.dataset.state = "working";
    this.work.start(this.update());
  }

  showAnswer() {
    const { release, asking, confidence } = this;
    const answer = release.count(asking, confidence);
    const { value, width, noise } = answer;
    const level = formatLevel(confidence.level);
    const wide = width > DOMINANT * noise ? TEXT.wide[release.whyWide] ?? "" : "";
    this.answerBox.replaceChildren(
      element("p", { class: "question" }, questionText(release, asking)),
      element("p", { class: "count" }, TEXT.rows(formatRows(value), formatRows(width))),
      element("p", {}, TEXT.between(formatRows(value - width), formatRows(value + width), level),
        value - width <= 0 ? ` ${TEXT.cannotTell}` : "", wide ? ` ${wide}` : ""));
    this.commandText.textContent = toCommand(release, asking, confidence.level) ?? TEXT.noCommand;
    this.pythonText.textContent = toPython(release, asking, confidence.level);
    this.showCompared(answer);
  }

  /** @param {import("./counts.js").Answer} first */
  showCompared(first) {
    const { releases } = this.contents;
    if (releases.length < 2) return;
    const rows = releases.map((release, n) => {
      const { value, width } = n ? release.count(this.asking, this.confidence) : first;
      const apart = n ? TEXT.rows(formatRows(value - first.value), formatRows(Math.hypot(width, first.width))) : "";
      return element("tr", {}, element("th", { scope: "row" }, label(release.file)),
        element("td", {}, TEXT.rows(formatRows(value), formatRows(width))), element("td", {}, apart));
    });
    const heads = [TEXT.release, TEXT.value, TEXT.difference].map((text) => element("th", { scope: "col" }, text));
    this.compared.replaceChildren(element("table", { "aria-label": TEXT.compare },
      element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)));
  }

  /** What is chosen, on the map, in the charts and in the inputs. */
  showChosen() {
    const area = (this.mapAxes ?? []).map((axis) => this.placesOf(axis));
    this.map?.setChosen(area.some(Boolean)
      ? { x: area[0] ?? this.map.whole.x, y: area[1] ?? this.map.whole.y } : null);
    for (const { axis, chart, clear, inputs } of this.cards) {
      const asked = this.asking[axis.name] ?? null;
      clear.hidden = asked === null;
      if (chart instanceof Chart) {
        chart.chosen = this.placesOf(axis);
        chart.draw();
      } else chart.chosen = asked && "values" in asked ? asked.values.map(String) : [];
      const [from, to] = asked && "from" in asked ? [asked.from, asked.to] : [null, null];
      inputs.forEach((input, n) => {
        const end = n ? (to !== null && axis.isWhole ? to - 1 : to) : from;
        const usual = n ? axis.edge(axis.declared - (axis.isWhole ? 1 : 0)) : axis.edge(0);
        input.value = end === null ? "" : axis.format(end);
        input.placeholder = formatValue(axis, usual);
        input.setAttribute("aria-invalid", "false");
      });
    }
  }

  /**
   * @param {Axis} axis
   * @returns {[number, number] | null}
   */
  placesOf(axis) {
    const asked = axis.locate(this.asking[axis.name] ?? null);
    if (asked === null) return null;
    const [start, stop] = "list" in asked ? [asked.list[0], asked.list[asked.list.length - 1] + 1] : [asked.start, asked.stop];
    return [axis.place(start), axis.place(stop)];
  }

  /** Everything that takes longer: a step for each bar. */
  *update() {
    yield* this.updateMap();
    for (const { axis, chart } of this.cards) {
      const answers = [];
      for (const group of chart.groups) {
        answers.push(this.release.count({ ...this.asking, [axis.name]: group.asked }, this.confidence));
        yield;
      }
      chart.answers = answers;
      chart.draw();
      if (axis.name === this.groupAxis.value) {
        [this.table.name, this.table.groups, this.table.answers] = [axis.name, chart.groups, answers];
        this.table.draw();
      }
    }
    for (const { axis, quantiles } of this.cards) {
      if (!axis.ordered || axis.declared < 1) continue;
      quantiles.textContent = this.quantileText(axis);
      yield;
    }
    document.body.dataset.state = "ready";
  }

  *updateMap() {
    if (!this.map || !this.mapAxes) return;
    const places = this.mapAxes.map((axis) => this.release.axes.indexOf(axis));
    const question = this.release.locate(this.asking);
    const key = JSON.stringify([places, question.map((asked, axis) => (places.includes(axis) ? null : asked))]);
    if (key === this.paintedFor) return;
    this.map.setTiles(tilesOf(this.release, places[0], places[1], question));
    this.paintedFor = key;
    yield;
  }

  /** @param {Axis} axis */
  quantileText(axis) {
    const others = { ...this.asking, [axis.name]: null };
    const found = this.release.quantile(axis.name, QUARTERS, others, this.confidence);
    if (!found) return TEXT.noQuantiles;
    const text = (/** @type {number} */ value) => formatValue(axis, value, 4);
    const [first, median, third] = found;
    return TEXT.quantiles(text(median.value), text(median.low), text(median.high), text(first.value), text(third.value));
  }

  /**
   * The count of the part or the cell at a place of the map.
   * @param {number} x
   * @param {number} y
   */
  describePlace(x, y) {
    const axes = /** @type {Axis[]} */ (this.mapAxes);
    const places = [x, y];
    if (axes.some((axis, n) => places[n] < axis.place(0) || places[n] >= axis.place(axis.declared))) return "";
    const positions = axes.map((axis, n) => axis.position(places[n]));
    const ranges = this.cellAround(axes, positions);
    const asking = { ...this.asking };
    axes.forEach((axis, n) => {
      asking[axis.name] = { from: axis.edge(ranges[n][0]), to: axis.edge(ranges[n][1]) };
    });
    const { value, width } = this.release.count(asking, this.confidence);
    const place = axes.map((axis) => `${shorten(axis.name, 20)} ${shortRange(axis, asking[axis.name])}`).join(", ");
    return TEXT.here(place, TEXT.rows(formatRows(value), formatRows(width)));
  }

  /**
   * @param {Axis[]} axes
   * @param {number[]} positions
   * @returns {[number, number][]}
   */
  cellAround(axes, positions) {
    const { layout } = this.release.counts;
    const numbers = axes.map((axis) => this.release.axes.indexOf(axis));
    if (layout instanceof Lattice) {
      return numbers.map((axis, n) => {
        const after = Math.min(Math.max(countUpTo(layout.cuts[axis], positions[n]), 1), layout.cuts[axis].length - 1);
        return [layout.cuts[axis][after - 1], Math.min(layout.cuts[axis][after], axes[n].declared)];
      });
    }
    for (let part = 0; part < layout.size; part++) {
      if (numbers.every((axis, n) => layout.lower[axis][part] <= positions[n] && positions[n] < layout.upper[axis][part])) {
        return numbers.map((axis, n) => [layout.lower[axis][part], Math.min(layout.upper[axis][part], axes[n].declared)]);
      }
    }
    return positions.map((position) => [Math.floor(position), Math.floor(position) + 1]);
  }

  /** @param {string} text */
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.message.textContent = TEXT.copied;
    } catch {
      this.message.replaceChildren(TEXT.cannotCopy, element("textarea", { readonly: true, rows: 3, "aria-label": TEXT.cannotCopy }, text));
      this.message.querySelector("textarea")?.select();
    }
  }

  savePicture() {
    this.map?.canvas.toBlob((blob) => {
      if (!blob) return;
      const address = URL.createObjectURL(blob);
      element("a", { href: address, download: "map.png" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 1000);
    });
  }
}

/**
 * @param {Axis} axis
 * @param {import("./axes.js").Asked | undefined} asked
 */
function shortRange(axis, asked) {
  if (!asked || "values" in asked || axis.isDate || axis.isWhole) return asked ? rangeText(axis, asked) : "";
  return `${formatValue(axis, asked.from ?? 0)} to ${formatValue(axis, asked.to ?? 0)}`;
}

async function main() {
  const text = (/** @type {string} */ id) => document.getElementById(id)?.textContent ?? "";
  const contents = await Contents.read(JSON.parse(text("contents")), text("numbers"));
  const explorer = new Explorer(contents);
  // For whoever opens the browser's console: hushgram.count({lon: {from: -10, to: 15}}, 0.95)
  Object.assign(window, {
    hushgram: {
      explorer,
      count: (/** @type {Asking} */ asking, level = 0.95, release = 0) =>
        contents.releases[release].count(asking, contents.confidence(level)),
      quantile: (/** @type {string} */ name, /** @type {number[]} */ shares, /** @type {Asking} */ asking, level = 0.95, release = 0) =>
        contents.releases[release].quantile(name, shares, asking, contents.confidence(level)),
    },
  });
}

main();
