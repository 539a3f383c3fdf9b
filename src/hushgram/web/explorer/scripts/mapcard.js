/**
 * The cards with a map: of two ordered axes, with or without given areas, and of an axis of areas.
 *
 * @typedef {import("./explorer.js").Explorer} Explorer
 * @typedef {import("./asker.js").Answer} Answer
 * @typedef {import("./map.js").Content} Content
 * @typedef {import("./shapes.js").Shapes} Shapes
 * @typedef {import("./tiles.js").Tiles} Tiles
 */
import { isUnsure } from "./asker.js";
import { rangeText } from "./asking.js";
import { Axis } from "./axes.js";
import { button, element, shorten } from "./dom.js";
import { formatAnswer, formatShort, formatTo, formatValue } from "./format.js";
import { Lattice, countUpTo } from "./layout.js";
import { MapView } from "./map.js";
import { SmallMaps } from "./multiples.js";
import { saveCanvas } from "./picture.js";
import { TEXT } from "./strings.js";
import { tilesOf } from "./tiles.js";

const KILOMETRES = 111.195;
const QUANTILE = 0.998;

/** What cards with a map have in common. */
class MapCard {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    /** What the map was painted for last. */
    this.paintedFor = "";
    /** Answers for areas, in the release that is shown. @type {Answer[]} */
    this.answers = [];
    this.colours = element("select", { onchange: () => {
      this.paintedFor = "";
      explorer.changed(false);
    } });
    this.title = element("h2");
  }

  /**
   * @param {MapView} view
   * @param {(HTMLElement | null)[]} choices
   * @param {HTMLElement | null} [more]
   */
  build(view, choices, more = null) {
    const { releases } = this.explorer.contents;
    view.tools.append(button(TEXT.picture, () => saveCanvas(view.canvas, this.title.textContent ?? "")));
    this.small = releases.length > 1
      ? new SmallMaps(view, releases.map(({ called }) => called), (n) => this.explorer.showRelease(n, false)) : null;
    return element("section", { class: "card wide", "aria-label": TEXT.map("", "") }, this.title,
      choices.length ? element("div", { class: "tools" }, ...choices) : null, view.root, this.small?.root, more);
  }

  /**
   * Answers for each area, in each release that is seen.
   * @param {Shapes} shapes
   * @param {(n: number, release: number | null) => Answer} ask of the shown release if there is no number
   */
  *answerShapes(shapes, ask) {
    /** @type {Answer[]} */
    const shown = [];
    /** @type {Answer[][]} */
    const each = [];
    for (let n = 0; n < shapes.names.length; n++) {
      shown.push(ask(n, null));
      yield;
    }
    for (let release = 0; this.small && release < this.small.contents.length; release++) {
      each.push([]);
      for (let n = 0; n < shapes.names.length; n++) {
        each[release].push(ask(n, release));
        yield;
      }
    }
    return { shown, each };
  }

  /**
   * @param {MapView} view
   * @param {Shapes} shapes
   * @param {{shown: Answer[], each: Answer[][]}} answers
   */
  showShapes(view, shapes, { shown, each }) {
    const { asker, look } = this.explorer;
    const bySize = look.isSum && this.colours.value !== "count";
    const values = (/** @type {Answer[]} */ answers) =>
      answers.map((answer, n) => (answer ? answer.value / (bySize ? shapes.sizes[n] || 1 : 1) : NaN));
    const scale = scaleOf(asker.isChange ? [values(shown)] : [values(shown), ...each.map(values)], look.isSum, asker.isChange);
    const looksOf = (/** @type {Answer[]} */ answers, /** @type {Scale} */ used) => values(answers).map((value, n) =>
      Number.isNaN(value) ? null
        : { share: used.share(value), unsure: (used.isChange || look.isSum) && (used.isChange ? isUnsure(answers[n]) : (answers[n]?.low ?? 0) <= 0) });
    const text = (/** @type {number} */ value) => {
      if (!bySize) return look.isSum ? formatShort(value) : formatTo(value, (scale.high - scale.low) / 20);
      if (!shapes.degrees) return TEXT.perUnit(formatShort(value));
      const size = 10 ** Math.max(-Math.floor(Math.log10(Math.max(scale.high / KILOMETRES ** 2, 1e-12))), 0);
      return TEXT.perKm(formatShort((value * size) / KILOMETRES ** 2), size > 1 ? `${formatShort(size)} ` : "");
    };
    this.answers = shown;
    view.setContent({ kind: "shapes", shapes, looks: looksOf(shown, scale), change: asker.isChange },
      { low: text(scale.low), high: text(scale.high), notes: look.isSum || asker.isChange ? TEXT.hatched : "", change: asker.isChange });
    if (!this.small) return;
    const plain = scaleOf(each.map(values), look.isSum, false);
    this.small.contents = each.map((answers) => ({ kind: "shapes", shapes, looks: looksOf(answers, plain), change: false }));
  }

  showSmall() {
    const { asker, look, compared } = this.explorer;
    if (this.small && compared) this.small.setAnswers(asker.isChange ? null : asker.shown, compared, look.isRows);
    this.small?.draw();
  }
}

/** @typedef {{low: number, high: number, isChange: boolean, share: (value: number) => number}} Scale */

/**
 * From values to places between the colours: roots of rows, so that few are seen beside many.
 * @param {number[][]} all
 * @param {boolean} isSum
 * @param {boolean} isChange
 * @returns {Scale}
 */
function scaleOf(all, isSum, isChange) {
  let [low, high] = [Infinity, -Infinity];
  for (const values of all) {
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
  }
  if (!(high >= low)) [low, high] = [0, 1];
  if (isChange) {
    const most = Math.max(Math.abs(low), Math.abs(high), 1e-300);
    const share = (/** @type {number} */ value) => 0.5 + 0.5 * Math.sign(value) * Math.sqrt(Math.min(Math.abs(value) / most, 1));
    return { low: -most, high: most, isChange, share };
  }
  if (isSum && low > -high) {
    const most = Math.max(high, 1e-300);
    return { low: 0, high: most, isChange, share: (value) => Math.sqrt(Math.min(Math.max(value, 0) / most, 1)) };
  }
  return { low, high, isChange, share: (value) => (value - low) / Math.max(high - low, 1e-300) };
}

/** The map of two ordered axes. */
export class PlaneMap extends MapCard {
  /**
   * @param {Explorer} explorer
   * @param {[Axis, Axis]} axes
   */
  constructor(explorer, axes) {
    super(explorer);
    /** @type {[Axis, Axis]} */
    this.axes = axes;
    const [across, up] = axes;
    const isReal = explorer.ordered.some((axis) => axis.isReal);
    this.view = new MapView({
      outlines: explorer.contents.outlines, across, up, stretch: this.stretch(),
      modes: isReal ? ["box", "outline", "move"] : ["box", "move"], help: TEXT.mapHelp,
      choose: (area, done) => explorer.chooseArea(this.axes, area, this.fine, done),
      chooseRing: (ring, done) => this.chooseRing(ring, done),
      chooseShape: (n) => this.chooseShape(n),
      hover: (x, y) => this.describePlace(x, y),
    });
    this.axisSelects = axes.map((chosen) => element("select", { onchange: () => this.setAxes() },
      ...explorer.ordered.map((axis) => element("option", { value: axis.name, selected: axis === chosen }, shorten(axis.name)))));
    const choices = explorer.ordered.length > 2
      ? [TEXT.mapAcross, TEXT.mapUp].map((text, n) => element("label", {}, `${text} `, this.axisSelects[n])) : [];
    this.colourLabel = element("label", {}, `${TEXT.colourBy} `, this.colours);
    if (explorer.contents.shapes) {
      this.colours.append(...[["density", TEXT.areasDensity], ["count", TEXT.areasCount], ["cells", TEXT.cells]]
        .map(([value, text]) => element("option", { value }, text)));
      choices.push(this.colourLabel);
    }
    this.areaSelect = element("select", { id: "area", onchange: () => this.chooseShape(this.areaSelect.selectedIndex - 1) },
      element("option", { value: "" }, TEXT.noArea),
      ...(explorer.contents.shapes?.names ?? []).map((/** @type {string} */ name) => element("option", {}, shorten(name))));
    this.areaLabel = element("label", {}, `${TEXT.area} `, this.areaSelect);
    if (explorer.contents.shapes) choices.push(this.areaLabel);
    this.corners = this.cornersInput();
    this.card = this.build(this.view, choices, isReal ? this.corners : null);
    this.named();
  }

  named() {
    const [across, up] = this.axes.map(({ name }) => shorten(name));
    this.title.textContent = TEXT.map(across, up);
    this.card.setAttribute("aria-label", TEXT.map(across, up));
    this.colourLabel.hidden = this.areaLabel.hidden = !this.shapes;
  }

  /** The given areas, if they lie on these axes. */
  get shapes() {
    const { shapes } = this.explorer.contents;
    return shapes && shapes.axes[0] === this.axes[0].name && shapes.axes[1] === this.axes[1].name ? shapes : null;
  }

  /** How much of each axis a pixel is. @returns {[number, number]} */
  get fine() {
    const { view, inner } = this.view;
    return [(view.x[1] - view.x[0]) / inner.width, (view.y[1] - view.y[0]) / inner.height];
  }

  setAxes() {
    const [across, up] = /** @type {[Axis, Axis]} */ (this.axisSelects.map((select) => this.explorer.release.axis(select.value)));
    if (across === up) return;
    this.axes = [across, up];
    this.view.setAxes(across, up, this.stretch());
    this.view.setMode("box");
    this.named();
    this.paintedFor = "";
    this.explorer.changed(false);
  }

  /** How much longer a degree up is than one across, in the middle of a map; null elsewhere. */
  stretch() {
    const [across, up] = this.axes;
    const { map } = this.explorer.release;
    return map && map[0] === across.name && map[1] === up.name ? stretchAt(up.edge(0), up.edge(up.declared)) : null;
  }

  cornersInput() {
    const wrong = element("p", { class: "hint", role: "alert" });
    const field = element("input", { type: "text", "aria-label": TEXT.corners, placeholder: "2,48; 3,49; 2.5,50", spellcheck: "false",
      autocomplete: "off", onchange: () => {
        const isKnown = field.value.trim() === "" || this.explorer.typeOutline(this.axes, field.value);
        field.setAttribute("aria-invalid", String(!isKnown));
        wrong.textContent = isKnown ? "" : TEXT.wrongCorners;
      } });
    return element("details", { class: "corners" }, element("summary", {}, TEXT.cornersHelp), field, wrong);
  }

  /**
   * @param {import("./areas.js").Ring} ring
   * @param {boolean} done
   */
  chooseRing(ring, done) {
    this.explorer.chooseRing(this.axes, ring, this.fine, done);
  }

  /** @param {number} n */
  chooseShape(n) {
    const { explorer, shapes } = this;
    if (!shapes) return;
    const { outline } = explorer.asker;
    const chosen = shapes.outlines[n] ?? outline;
    if (chosen === outline) explorer.ask(explorer.asker.asking);
    else explorer.chooseOutline(chosen, true);
  }

  showChosen() {
    const { asking, outline } = this.explorer.asker;
    const here = outline && this.axes.every(({ name }, n) => outline.axes[n] === name) ? outline.rings : [];
    this.areaSelect.selectedIndex = outline && this.shapes ? this.shapes.outlines.indexOf(outline) + 1 : 0;
    const area = this.axes.map((axis) => (asking[axis.name] ? this.explorer.placesOf(axis) : null));
    this.view.setChosen(area.some(Boolean)
      ? { x: area[0] ?? this.view.whole.x, y: area[1] ?? this.view.whole.y } : null, here);
    this.showSmall();
  }

  *update() {
    const { asker, contents } = this.explorer;
    const { shapes } = this;
    const others = { ...asker.asking };
    for (const { name } of this.axes) others[name] = null;
    const mode = shapes ? this.colours.value : "cells";
    const level = mode === "cells" ? 0 : asker.confidence.level;
    const key = JSON.stringify([mode, this.axes.map(({ name }) => name), others, asker.what, asker.shown, asker.isChange, level]);
    if (key === this.paintedFor) return;
    if (shapes && mode !== "cells") {
      const answers = yield* this.answerShapes(shapes, (n, release) => {
        const outline = shapes.outlines[n];
        return release === null ? asker.ask(others, outline) : asker.answer(contents.releases[release], others, outline);
      });
      this.showShapes(this.view, shapes, answers);
    } else yield* this.updateTiles(others);
    this.paintedFor = key;
    this.showSmall();
  }

  /** @param {import("./release.js").Asking} others */
  *updateTiles(others) {
    const { asker, contents } = this.explorer;
    const seen = contents.releases.length > 1 ? contents.releases : [asker.release];
    /** @type {Tiles[]} */
    const tiles = [];
    for (const release of seen) {
      const [across, up] = this.axes.map((axis) => release.axes.findIndex(({ name }) => name === axis.name));
      tiles.push(tilesOf(release, across, up, release.locate(others)));
      yield;
    }
    const top = Math.max(...tiles.map((one) => one.top));
    const shown = tiles.length > 1 ? tiles[asker.shown] : tiles[0];
    const faded = tiles.every((one) => one.unsure) ? TEXT.faded : "";
    if (asker.isChange) {
      const content = { kind: /** @type {const} */ ("change"), before: tiles[0], after: shown, top: topChange(tiles[0], shown) };
      this.view.setContent(content, { low: TEXT.decrease, high: TEXT.increase, notes: faded, change: true });
    } else {
      const unit = this.axes.some(({ isReal }) => !isReal) ? TEXT.more
        : this.stretch() === null ? TEXT.perUnits(formatShort(top)) : TEXT.perDegree(formatShort(top));
      this.view.setContent({ kind: "tiles", tiles: shown, top },
        { low: unit === TEXT.more ? TEXT.fewer : "0", high: unit, notes: faded, change: false });
    }
    if (this.small) this.small.contents = tiles.map((one) => ({ kind: "tiles", tiles: one, top }));
  }

  /**
   * What is at a place of the map: an area, or the part or the cell there.
   * @param {number} x
   * @param {number} y
   */
  describePlace(x, y) {
    const { explorer, axes, shapes } = this;
    const { isRows } = explorer.look;
    if (shapes && this.view.content?.kind === "shapes") {
      const n = shapes.at(x, y);
      return n < 0 || !(n in this.answers) ? "" : TEXT.here(shorten(shapes.names[n]), formatAnswer(this.answers[n], isRows));
    }
    const places = [x, y];
    if (axes.some((axis, n) => places[n] < axis.place(0) || places[n] >= axis.place(axis.declared))) return "";
    const ranges = this.cellAround(axes.map((axis, n) => axis.position(places[n])));
    const asking = { ...explorer.asker.asking };
    axes.forEach((axis, n) => {
      asking[axis.name] = { from: axis.edge(ranges[n][0]), to: axis.edge(ranges[n][1]) };
    });
    const place = axes.map((axis) => `${shorten(axis.name, 20)} ${shortRange(axis, asking[axis.name])}`).join(", ");
    return TEXT.here(place, formatAnswer(explorer.asker.ask(asking, null), isRows));
  }

  /**
   * @param {number[]} positions
   * @returns {[number, number][]}
   */
  cellAround(positions) {
    const { axes } = this;
    const { release } = this.explorer.asker;
    const { layout } = release.counts;
    const numbers = axes.map((one) => release.axes.findIndex(({ name }) => name === one.name));
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
}

/** The map of an axis of areas. */
export class AreaMap extends MapCard {
  /**
   * @param {Explorer} explorer
   * @param {Axis} axis
   */
  constructor(explorer, axis) {
    super(explorer);
    this.axis = axis;
    this.shapes = /** @type {Shapes} */ (axis.shapes);
    const { axes, ends, degrees } = this.shapes;
    const [across, up] = axes.map((name, n) => sideOf(name, /** @type {[number, number][]} */ (ends)[n]));
    this.view = new MapView({
      outlines: degrees ? explorer.contents.outlines : [], across, up,
      stretch: degrees ? stretchAt(up.edge(0), up.edge(1)) : 1, modes: ["box", "move"], help: TEXT.areaMapHelp,
      choose: (area, done) => area === null && explorer.askAxis(axis, null, done),
      chooseRing: () => {},
      chooseShape: (n) => this.chooseShape(n),
      hover: (x, y) => this.describePlace(x, y),
    });
    this.colours.append(...[["density", TEXT.areasDensity], ["count", TEXT.areasCount]]
      .map(([value, text]) => element("option", { value }, text)));
    this.card = this.build(this.view, [element("label", {}, `${TEXT.colourBy} `, this.colours)]);
    this.title.textContent = TEXT.mapOfAreas(shorten(axis.name));
    this.card.setAttribute("aria-label", TEXT.mapOfAreas(shorten(axis.name)));
    this.view.canvas.setAttribute("aria-label", TEXT.mapOfAreas(shorten(axis.name)));
  }

  /** @param {number} n */
  chooseShape(n) {
    const { axis, explorer } = this;
    const name = this.shapes.names[n];
    if (axis.indexOf(name) < 0) return;
    const asked = explorer.asker.asking[axis.name];
    const chosen = asked && "values" in asked ? asked.values.map(String) : [];
    const values = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
    explorer.askAxis(axis, values.length ? { values } : null, true);
  }

  showChosen() {
    const asked = this.explorer.asker.asking[this.axis.name];
    const names = asked && "values" in asked ? asked.values.map(String) : [];
    this.view.setChosen(null, names.flatMap((name) => this.shapes.find(name)?.rings ?? []));
    this.showSmall();
  }

  *update() {
    const { axis, shapes } = this;
    const { asker, contents } = this.explorer;
    const others = { ...asker.asking, [axis.name]: null };
    const key = JSON.stringify([this.colours.value, others, asker.outline, asker.what, asker.shown, asker.isChange, asker.confidence.level]);
    if (key === this.paintedFor) return;
    const answers = yield* this.answerShapes(shapes, (n, release) => {
      if (axis.indexOf(shapes.names[n]) < 0) return null;
      const asking = { ...others, [axis.name]: { values: [shapes.names[n]] } };
      return release === null ? asker.ask(asking) : asker.answer(contents.releases[release], asking, asker.outline);
    });
    this.showShapes(this.view, shapes, answers);
    this.paintedFor = key;
    this.showSmall();
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  describePlace(x, y) {
    const n = this.shapes.at(x, y);
    return n < 0 || !(n in this.answers) ? "" : TEXT.here(shorten(this.shapes.names[n]), formatAnswer(this.answers[n], this.explorer.look.isRows));
  }
}

/**
 * A side of a map of areas, as an axis of one bin.
 * @param {string} name
 * @param {[number, number]} ends
 */
function sideOf(name, [lo, hi]) {
  return new Axis({ name, kind: "regular", bins: 1, offset: 0, size: 1, declared: 1, ordered: true, continuous: true, window: false, other: false, lo, hi });
}

/**
 * @param {number} low
 * @param {number} high
 */
function stretchAt(low, high) {
  return 1 / Math.cos((Math.min(Math.abs(low + high) / 2, 75) * Math.PI) / 180);
}

/**
 * The change that nearly all others are below.
 * @param {Tiles} before
 * @param {Tiles} after
 */
function topChange(before, after) {
  const isAlike = before.density.length === after.density.length && before.x0.every((x, n) => x === after.x0[n] && before.y0[n] === after.y0[n]);
  if (!isAlike) return Math.max(before.top, after.top);
  const changes = after.density.map((each, n) => Math.abs(each - before.density[n])).sort();
  return Math.max(changes[Math.floor(QUANTILE * (changes.length - 1))], 1e-300);
}

/**
 * @param {Axis} axis
 * @param {import("./axes.js").Asked | undefined} asked
 */
function shortRange(axis, asked) {
  if (!asked || "values" in asked || axis.isDate || axis.isWhole) return asked ? rangeText(axis, asked) : "";
  return `${formatValue(axis, asked.from ?? 0)} to ${formatValue(axis, asked.to ?? 0)}`;
}
