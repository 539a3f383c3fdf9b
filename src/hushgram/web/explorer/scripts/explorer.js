/**
 * The page: one question, which the map, the charts and the address of the page show and change, and
 * its answer.
 *
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./painting.js").Area} Area
 * @typedef {import("./areas.js").Ring} Ring
 * @typedef {import("./release.js").Asking} Asking
 */
import { crossesItself, enclosed } from "./areas.js";
import { Asker, ROWS, isUnsure } from "./asker.js";
import { checkRange, questionText, readFragment, readOutline, toCommand, toFragment, toPython } from "./asking.js";
import { Categories } from "./categories.js";
import { Chart } from "./chart.js";
import { button, element, label, shorten } from "./dom.js";
import { formatAnswer, formatLevel, formatParts, formatRows, formatValue } from "./format.js";
import { groupsOf, isWhole } from "./groups.js";
import { AreaMap, PlaneMap } from "./mapcard.js";
import { Comparison } from "./multiples.js";
import { saveChart } from "./picture.js";
import { Contents } from "./release.js";
import { TEXT } from "./strings.js";
import { GroupTable, toCsv } from "./table.js";
import { DOMINANT } from "./widths.js";
import { Work } from "./work.js";

/** What the table of groups calls given areas: no axis can be called that. */
const GIVEN = "";
/** Letters of a command that are shown; all are copied. */
const LONGEST = 2000;
const QUARTERS = [0.25, 0.5, 0.75];

export class Explorer {
  /** @param {Contents} contents */
  constructor(contents) {
    this.contents = contents;
    this.asker = new Asker(contents);
    /** What does not depend on the release that is shown: all have the same axes. */
    this.release = contents.releases[0];
    this.work = new Work();
    readFragment(this.asker, location.hash);
    this.answerBox = element("div", { class: "answer", role: "status", "aria-live": "polite", "aria-atomic": "true" });
    this.message = element("p", { class: "hint", role: "status" });
    this.commandText = element("code", { id: "command" });
    this.pythonText = element("code", { id: "python" });
    /** The answer of each release, where there are several. @type {import("./asker.js").Answer[] | null} */
    this.compared = null;
    this.level = element("select", { id: "level", onchange: () => this.setLevel(Number(this.level.value)) },
      ...contents.confidences.map((one) => element("option", { value: one.level }, formatLevel(one.level))));
    this.measure = this.measureSelect();
    this.shown = this.shownSelect();
    this.comparison = contents.releases.length > 1
      ? new Comparison(contents.releases.map(({ called }) => called), (n) => this.showRelease(n, false)) : null;
    this.ordered = this.release.axes.filter((axis) => axis.ordered && axis.declared > 0);
    this.maps = this.makeMaps();
    this.cards = this.release.axes.map((axis) => this.makeCard(axis));
    this.table = new GroupTable();
    this.groupAxis = element("select", { id: "group", onchange: () => this.changed(false) },
      ...this.release.axes.map((axis) => element("option", { value: axis.name }, shorten(axis.name))),
      contents.shapes ? element("option", { value: GIVEN }, TEXT.givenAreas(shorten(contents.shapes.file ?? "", 40))) : null);
    if (contents.shapes) this.groupAxis.value = GIVEN;
    this.build();
    this.changed(true);
    addEventListener("hashchange", () => this.readAddress());
  }

  /** The map of two axes, if there is one: what the rest of the page calls "the map". */
  get map() {
    return this.maps.find((one) => one instanceof PlaneMap)?.view ?? this.maps[0]?.view ?? null;
  }

  get look() {
    return { isRows: this.asker.what.kind === "rows", isSum: this.asker.what.kind !== "mean" };
  }

  makeMaps() {
    /** @type {(PlaneMap | AreaMap)[]} */
    const found = this.release.axes.filter((axis) => axis.shapes).map((axis) => new AreaMap(this, axis));
    if (this.ordered.length > 1) found.unshift(new PlaneMap(this, this.chooseMapAxes()));
    return found;
  }

  /**
   * Longitude and latitude, or what given areas lie on, or else the first two axes with an order.
   * @returns {[Axis, Axis]}
   */
  chooseMapAxes() {
    const names = this.asker.outline?.axes ?? this.contents.shapes?.axes ?? this.release.map ?? this.ordered.map(({ name }) => name);
    return [this.release.axis(names[0]), this.release.axis(names[1])];
  }

  readAddress() {
    if (location.hash.slice(1) === this.fragment) return;
    readFragment(this.asker, location.hash);
    this.changed(false);
  }

  get fragment() {
    return toFragment(this.asker);
  }

  measureSelect() {
    const { measures } = this.release;
    if (!measures.length) return null;
    const options = [element("option", { value: "rows" }, TEXT.unit.rows)];
    measures.forEach(({ kind, name }, place) => {
      const kinds = kind === "mean" ? ["mean", "sum"] : kind === "sum" ? ["sum", "mean"] : ["sum"];
      for (const one of kinds) options.push(element("option", { value: `${one} ${place}` }, unitText({ kind: one, place }, this.release)));
    });
    const select = element("select", { id: "measure", onchange: () => {
      const [kind, place] = select.value.split(" ");
      this.asker.what = kind === "rows" ? ROWS : { kind: kind === "sum" ? "sum" : "mean", place: Number(place) };
      this.changed(true);
    } }, ...options);
    return select;
  }

  shownSelect() {
    const { releases } = this.contents;
    if (releases.length < 2) return null;
    const names = releases.map(({ called }) => shorten(called, 40));
    const select = element("select", { id: "shown", onchange: () => {
      const [n, isChange] = select.value.split(" ");
      this.showRelease(Number(n), isChange === "change");
    } },
      ...names.map((name, n) => element("option", { value: `${n} itself` }, name)),
      ...names.slice(1).map((name, n) => element("option", { value: `${n + 1} change` }, TEXT.changeFrom(name, names[0]))));
    return select;
  }

  /**
   * @param {number} n
   * @param {boolean} isChange
   */
  showRelease(n, isChange) {
    [this.asker.shown, this.asker.isChange] = [n, isChange];
    this.changed(true);
  }

  build() {
    const names = this.release.axes.map((axis) => shorten(axis.name)).join(", ");
    document.body.prepend(element("main", {},
      element("header", {}, element("h1", {}, label(this.contents.title)), element("p", { class: "lead" }, TEXT.lead(names))),
      this.answerCard(),
      ...this.maps.map((map) => map.card),
      ...this.cards.map((card) => card.root),
      this.tableCard(),
      this.askCard(),
      this.helpCard()),
      element("footer", {}, TEXT.footer));
  }

  answerCard() {
    const choice = (/** @type {string} */ text, /** @type {HTMLSelectElement | null} */ select) =>
      select && element("label", {}, `${text} `, select);
    return element("section", { class: "card sticky", "aria-label": TEXT.answer },
      this.answerBox,
      element("div", { class: "tools" },
        choice(TEXT.show, this.measure),
        choice(TEXT.shownRelease, this.shown),
        choice(TEXT.confidence, this.level),
        button(TEXT.clear, () => this.ask({})),
        button(TEXT.copyLink, () => this.copy(this.link)),
        button(TEXT.copyCommand, () => this.copy(this.command ?? TEXT.noCommand)),
        button(TEXT.copyPython, () => this.copy(this.python))),
      this.message,
      this.comparison?.root);
  }

  get link() {
    return `${location.href.split("#")[0]}#${this.fragment}`;
  }

  /** The releases that an answer is about: two for a change. */
  get asked() {
    const { release, isChange } = this.asker;
    return isChange ? [this.contents.releases[0], release] : [release];
  }

  get command() {
    const commands = this.asked.map((release) => toCommand(this.asker, release, this.contents.shapes));
    return commands.includes(null) ? null : commands.join("\n");
  }

  get python() {
    return this.asked.map((release) => toPython(this.asker, release, this.contents.shapes)).join("\n");
  }

  /** @param {Axis} axis */
  makeCard(axis) {
    const name = shorten(axis.name);
    const tool = (/** @type {string} */ text, /** @type {string} */ about, /** @type {() => void} */ act) =>
      button(text, act, { class: "small", "aria-label": about, title: about });
    const clear = tool("×", TEXT.clearAxis(name), () => this.askAxis(axis, null, true));
    const quantiles = element("p", { class: "quantiles" });
    /** @type {Chart | Categories} */
    const chart = axis.ordered
      ? new Chart(axis, groupsOf(this.release, axis), (range, done) => this.chooseRange(axis, range, done))
      : new Categories(this.release, axis, (values) => this.askAxis(axis, values.length ? { values } : null, true), () => this.changed(false));
    const zoom = tool(TEXT.zoomChartShort, TEXT.zoomChart(name), () => this.zoomChart(axis, this.positionsOf(axis)));
    const all = tool(TEXT.wholeChartShort, TEXT.wholeChart(name), () => this.zoomChart(axis, null));
    const inputs = this.ordered.includes(axis) ? this.inputs(axis) : [];
    const csv = tool(TEXT.csv, TEXT.chartCsv(name), () => this.copy(toCsv(axis.name, chart.groups, chart.answers)));
    const png = tool(TEXT.png, TEXT.chartPicture(name), () => chart instanceof Chart && saveChart(chart, axis.name));
    const root = element("section", { class: "card", "aria-label": name },
      element("h2", {}, label(axis.name), clear,
        element("span", { class: "end" }, ...(chart instanceof Chart ? [zoom, all] : []), csv, chart instanceof Chart ? png : null)),
      inputs.length ? element("p", { class: "range" }, inputs[0], axis.isWhole ? TEXT.through : TEXT.until, inputs[1]) : null,
      chart.root, axis.ordered ? quantiles : null);
    return { axis, chart, clear, zoom, all, quantiles, inputs, root };
  }

  /**
   * Show a part of an axis in its chart, in finer bars.
   * @param {Axis} axis
   * @param {[number, number] | null} window
   */
  zoomChart(axis, window) {
    const card = this.cards.find((one) => one.axis === axis);
    if (!card || !(card.chart instanceof Chart)) return;
    const inside = /** @type {[number, number]} */ (window && window.map((place) => Math.min(place, axis.declared)));
    card.chart.setGroups(groupsOf(this.release, axis, inside ?? undefined));
    card.all.hidden = !inside || isWhole(axis, inside);
    this.changed(false);
  }

  /** @param {Axis} axis */
  inputs(axis) {
    const name = shorten(axis.name);
    const made = [TEXT.from(name), axis.isWhole ? TEXT.upTo(name) : TEXT.to(name)].map((text) =>
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
      element("div", { class: "tools" }, element("label", {}, `${TEXT.groupBy} `, this.groupAxis), this.table.find,
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
    return element("section", { class: "card wide help" },
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
    this.asker.confidence = this.contents.confidence(level);
    this.changed(true);
  }

  /**
   * @param {Asking} asking
   * @param {import("./areas.js").Outline | null} [outline]
   */
  ask(asking, outline = null, done = true) {
    this.asker.asking = asking;
    this.asker.outline = outline;
    this.changed(done);
  }

  /**
   * @param {Axis} axis
   * @param {import("./axes.js").Asked} asked
   * @param {boolean} done
   */
  askAxis(axis, asked, done) {
    const { asking, outline } = this.asker;
    const kept = outline?.axes.includes(axis.name) && asked ? null : outline;
    this.ask({ ...asking, [axis.name]: asked }, kept, done);
  }

  /**
   * A box of a map.
   * @param {[Axis, Axis]} axes
   * @param {Area | null} area
   * @param {[number, number]} fine how much of each axis a pixel is
   * @param {boolean} done
   */
  chooseArea([across, up], area, fine, done) {
    this.ask({
      ...this.asker.asking,
      [across.name]: area && this.rangeOf(across, area.x, fine[0]),
      [up.name]: area && this.rangeOf(up, area.y, fine[1]),
    }, null, done);
  }

  /**
   * An outline on a map instead of ranges of its axes.
   * @param {import("./areas.js").Outline | null} outline
   * @param {boolean} done
   */
  chooseOutline(outline, done) {
    const asking = { ...this.asker.asking };
    for (const name of outline?.axes ?? []) asking[name] = null;
    this.ask(asking, outline, done);
  }

  /**
   * @param {[Axis, Axis]} axes
   * @param {Ring} ring
   * @param {[number, number]} fine
   * @param {boolean} done
   */
  chooseRing(axes, ring, fine, done) {
    const inside = (/** @type {number[]} */ values, /** @type {number} */ n) =>
      values.map((value) => roundTo(axes[n], value, fine[n]));
    const made = { xs: inside(ring.xs, 0), ys: inside(ring.ys, 1), sign: 1 };
    if (crossesItself(made) || !enclosed(made)) {
      if (done) this.message.textContent = TEXT.crossing;
      return;
    }
    this.message.textContent = "";
    this.chooseOutline({ axes: [axes[0].name, axes[1].name], rings: [made], name: null, file: null }, done);
  }

  /**
   * Corners that somebody typed.
   * @param {[Axis, Axis]} axes
   * @param {string} text
   * @returns {boolean} whether they were understood
   */
  typeOutline(axes, text) {
    const names = axes.map(({ name }) => encodeURIComponent(name)).join(",");
    const corners = text.trim().replace(/[−–]/g, "-").replace(/\s*([,;])\s*/g, "$1").replace(/;$/, "");
    const outline = readOutline(this.release, `${names}:${corners}`);
    if (outline) this.chooseOutline(outline, true);
    return Boolean(outline);
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
    return checkRange(axis, roundTo(axis, from, fine), roundTo(axis, to, fine)) ?? checkRange(axis, from, to);
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
    const { asker, look } = this;
    const { release, asking, confidence, outline, what, isChange } = asker;
    const answer = asker.ask(asking);
    const unit = unitText(what, release);
    const [, low, high] = formatParts(answer, look.isRows);
    const texts = [];
    if (!answer) texts.push(TEXT.tooFew);
    else {
      texts.push(TEXT.between(low, high, formatLevel(confidence.level)));
      if (isChange) texts.push(isUnsure(answer) ? TEXT.cannotTellChange : "");
      else if (look.isRows && answer.low <= 0) texts.push(TEXT.cannotTell);
      const isWide = answer.noise !== null && answer.high - answer.value > DOMINANT * answer.noise;
      if (isWide) texts.push(outline ? TEXT.wideArea : TEXT.wide[release.whyWide] ?? "");
    }
    this.answerBox.replaceChildren(
      element("p", { class: "question" }, questionText(asker)),
      element("p", { class: "count-line" }, element("span", { class: "count" }, formatAnswer(answer, look.isRows)), " ",
        element("span", { class: "unit" }, isChange ? TEXT.changeOf(unit) : unit)),
      element("p", { class: "meaning" }, texts.filter(Boolean).join(" ")));
    const clip = (/** @type {string} */ text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text);
    this.commandText.textContent = clip(this.command ?? TEXT.noCommand);
    this.pythonText.textContent = clip(this.python);
    if (this.comparison) {
      this.compared = this.contents.releases.map((one) => asker.answer(one, asking, outline));
      this.comparison.draw(this.compared, asker.shown, look);
    }
  }

  /** What is chosen, on the map, in the charts and in the inputs. */
  showChosen() {
    const { asking, outline, confidence, what, shown, isChange } = this.asker;
    this.level.value = String(confidence.level);
    if (this.measure) this.measure.value = what.kind === "rows" ? "rows" : `${what.kind} ${what.place}`;
    if (this.shown) this.shown.value = `${shown} ${isChange ? "change" : "itself"}`;
    for (const map of this.maps) map.showChosen();
    for (const { axis, chart, clear, zoom, all, inputs } of this.cards) {
      const asked = asking[axis.name] ?? null;
      clear.hidden = asked === null && !outline?.axes.includes(axis.name);
      chart.look = this.look;
      if (chart instanceof Chart) {
        chart.chosen = this.placesOf(axis);
        chart.draw();
        zoom.hidden = !asked || !("from" in asked) || axis.declared < 2;
        all.hidden = isWhole(axis, [chart.groups[0].start, chart.groups[chart.groups.length - 1].stop]);
      } else chart.chosen = new Set(asked && "values" in asked ? asked.values.map(String) : []);
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
   * Where what is asked of an axis starts and stops, in units of indices.
   * @param {Axis} axis
   * @returns {[number, number] | null}
   */
  positionsOf(axis) {
    const asked = axis.locate(this.asker.asking[axis.name] ?? null);
    if (asked === null) return null;
    return "list" in asked ? [asked.list[0], asked.list[asked.list.length - 1] + 1] : [asked.start, asked.stop];
  }

  /**
   * The same in the units in which the axis is drawn.
   * @param {Axis} axis
   * @returns {[number, number] | null}
   */
  placesOf(axis) {
    const found = this.positionsOf(axis);
    return found && [axis.place(found[0]), axis.place(found[1])];
  }

  /** Everything that takes longer: a step for each bar. */
  *update() {
    const { asker } = this;
    for (const map of this.maps) yield* map.update();
    for (const { axis, chart } of this.cards) {
      const answers = [];
      for (const group of chart.groups) {
        answers.push(asker.ask({ ...asker.asking, [axis.name]: group.asked }));
        yield;
      }
      chart.answers = answers;
      chart.draw();
      if (axis.name === this.groupAxis.value) this.showTable(axis.name, chart.groups, answers);
    }
    if (this.groupAxis.value === GIVEN) yield* this.updateAreas();
    for (const { axis, quantiles } of this.cards) {
      if (!axis.ordered || axis.declared < 1) continue;
      quantiles.textContent = this.quantileText(axis);
      yield;
    }
    document.body.dataset.state = "ready";
  }

  /** The table of given areas. */
  *updateAreas() {
    const { shapes } = this.contents;
    const asking = { ...this.asker.asking };
    for (const name of shapes.axes) asking[name] = null;
    const answers = [];
    for (const outline of shapes.outlines) {
      answers.push(this.asker.ask(asking, outline));
      yield;
    }
    const groups = shapes.names.map((/** @type {string} */ name, /** @type {number} */ n) =>
      ({ start: n, stop: n + 1, asked: { values: [name] }, label: name }));
    this.showTable(shapes.file ?? "", groups, answers);
  }

  /**
   * @param {string} name
   * @param {import("./groups.js").Group[]} groups
   * @param {import("./asker.js").Answer[]} answers
   */
  showTable(name, groups, answers) {
    const { isRows } = this.look;
    const unit = isRows ? TEXT.value : unitText(this.asker.what, this.release);
    Object.assign(this.table, { name, groups, answers, isRows, unit: this.asker.isChange ? TEXT.change : unit });
    this.table.draw();
  }

  /** @param {Axis} axis */
  quantileText(axis) {
    const { release, asking, outline, isChange, confidence } = this.asker;
    if (outline || isChange) return TEXT.noQuantilesHere;
    const found = release.quantile(axis.name, QUARTERS, { ...asking, [axis.name]: null }, confidence);
    if (!found) return TEXT.noQuantiles;
    const text = (/** @type {number} */ value) => formatValue(axis, value, 4);
    const [first, median, third] = found;
    return TEXT.quantiles(text(median.value), text(median.low), text(median.high), text(first.value), text(third.value));
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
}

/**
 * A value as round as a pixel is wide, on the axis.
 * @param {Axis} axis
 * @param {number} value
 * @param {number} fine
 */
function roundTo(axis, value, fine) {
  const digits = Math.min(Math.max(Math.ceil(-Math.log10(fine)), 0), 15);
  return Math.min(Math.max(Number(value.toFixed(digits)), axis.place(0)), axis.place(axis.declared));
}

/**
 * @param {{kind: string, place?: number}} what
 * @param {import("./release.js").Release} release
 */
function unitText({ kind, place }, release) {
  if (kind === "rows" || place === undefined) return TEXT.unit.rows;
  const { kind: declared, name } = release.measures[place];
  const text = shorten(name, 40);
  if (declared === "weighted-count") return TEXT.unit.weighted(text);
  return kind === "sum" ? TEXT.unit.sum(text) : TEXT.unit.mean(text);
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

if (document.getElementById("contents")) main();
