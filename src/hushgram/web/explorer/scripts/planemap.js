/**
 * The map of two ordered axes, with or without given areas.
 *
 * @typedef {import("./explorer.js").Explorer} Explorer
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./tiles.js").Tiles} Tiles
 */
import { USUAL } from "./asker.js";
import { askedOf, askInstead } from "./asking.js";
import { roundTo } from "./choosing.js";
import { element, shorten } from "./dom.js";
import { findDoubt } from "./doubt.js";
import { formatAnswer, formatShort } from "./format.js";
import { Lattice, countUpTo } from "./layout.js";
import { MapView } from "./map.js";
import { MapCard, stretchAt } from "./mapcard.js";
import { topChange } from "./scale.js";
import { TEXT } from "./strings.js";
import { tilesOf } from "./tiles.js";
import { rangeText } from "./wording.js";

/** Rows for the size of a map up to which there are none. */
const NONE = 1e-200;

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
    const canDraw = explorer.ordered.filter((axis) => axis.isReal).length > 1;
    this.view = new MapView({
      outlines: explorer.contents.outlines, across, up, stretch: this.stretch(),
      modes: canDraw ? ["box", "outline", "move"] : ["box", "move"], help: TEXT.mapHelp,
      choose: (area, done) => explorer.chooseArea(this.axes, area, this.view.port.fine, done),
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
    this.example = element("summary");
    this.corners = this.cornersInput();
    this.card = this.build(this.view, choices, canDraw ? this.corners : null);
    this.named();
  }

  named() {
    const [across, up] = this.axes.map(({ name }) => shorten(name));
    this.title.textContent = TEXT.map(across, up);
    this.card.setAttribute("aria-label", TEXT.map(across, up));
    this.colourLabel.hidden = this.areaLabel.hidden = !this.shapes;
    const canDraw = this.axes.every(({ isReal }) => isReal); // what lies between whole numbers or days has no share of them
    this.corners.hidden = !canDraw;
    this.view.tools.querySelector("[data-mode=outline]")?.toggleAttribute("hidden", !canDraw);
    this.example.textContent = TEXT.cornersHelp(this.exampleCorners());
  }

  /** Three corners on the axes of the map, as somebody would type them. */
  exampleCorners() {
    const [xs, ys] = [[0.25, 0.75, 0.5], [0.25, 0.5, 0.75]].map((shares, n) => {
      const [low, high] = [this.axes[n].edge(0), this.axes[n].edge(this.axes[n].declared)];
      return shares.map((share) => roundTo(this.axes[n], low + share * (high - low), (high - low) / 20));
    });
    return xs.map((x, n) => `${x},${ys[n]}`).join("; ");
  }

  /** The given areas, if they lie on these axes. */
  get shapes() {
    const { shapes } = this.explorer.contents;
    return shapes && shapes.axes[0] === this.axes[0].name && shapes.axes[1] === this.axes[1].name ? shapes : null;
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
    const field = element("input", { type: "text", "aria-label": TEXT.corners, spellcheck: "false",
      autocomplete: "off", onchange: () => {
        const isKnown = field.value.trim() === "" || this.explorer.typeOutline(this.axes, field.value);
        field.setAttribute("aria-invalid", String(!isKnown));
        wrong.textContent = isKnown ? "" : TEXT.wrongCorners(this.exampleCorners());
      } });
    return element("details", { class: "corners" }, this.example, field, wrong);
  }

  /**
   * @param {import("./areas.js").Ring} ring
   * @param {boolean} done
   */
  chooseRing(ring, done) {
    this.explorer.chooseRing(this.axes, ring, this.view.port.fine, done);
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
    const area = this.axes.map((axis) => (askedOf(asking, axis.name) ? this.explorer.placesOf(axis) : null));
    this.view.setChosen(area.some(Boolean)
      ? { x: area[0] ?? this.view.port.whole.x, y: area[1] ?? this.view.port.whole.y } : null, here);
    this.showSmall();
  }

  *update() {
    const { asker, contents } = this.explorer;
    const { shapes } = this;
    const others = askInstead(asker.asking, this.axes.map(({ name }) => name), () => null);
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
    this.small?.draw();
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
    this.showTiles(tiles);
    if (tiles.every((one) => one.unsure)) return;
    for (const [n, one] of tiles.entries()) yield* findDoubt(seen[n], one, seen[n].locate(others), contents.confidence(USUAL));
    this.showTiles(tiles);
  }

  /** @param {Tiles[]} tiles of each release that is seen */
  showTiles(tiles) {
    const { asker } = this.explorer;
    const top = Math.max(...tiles.map((one) => one.top));
    const shown = tiles.length > 1 ? tiles[asker.shown] : tiles[0];
    const faded = tiles.every((one) => one.unsure) ? TEXT.faded : "";
    if (asker.isChange) {
      const content = { kind: /** @type {const} */ ("change"), before: tiles[0], after: shown, top: topChange(tiles[0], shown) };
      this.view.setContent(content, { low: TEXT.decrease, high: TEXT.increase, notes: faded, change: true });
    } else {
      const unit = this.axes.some(({ isReal }) => !isReal) || top < NONE ? TEXT.more
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
    const here = axes.map((axis, n) => ({ from: axis.edge(ranges[n][0]), to: axis.edge(ranges[n][1]) }));
    const asking = askInstead(explorer.asker.asking, axes.map(({ name }) => name), (n) => here[n]);
    const place = axes.map((axis, n) => `${shorten(axis.name, 20)} ${rangeText(axis, here[n])}`).join(", ");
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
