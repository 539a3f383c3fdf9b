/**
 * The map of an axis of areas.
 *
 * @typedef {import("./explorer.js").Explorer} Explorer
 * @typedef {import("./shapes.js").Shapes} Shapes
 */
import { askedOf } from "./asking.js";
import { Axis } from "./axes.js";
import { element, shorten } from "./dom.js";
import { formatAnswer } from "./format.js";
import { MapView } from "./map.js";
import { MapCard, stretchAt } from "./mapcard.js";
import { TEXT } from "./strings.js";

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
      choose: (area, done) => this.chooseWithin(area, done),
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
    const asked = askedOf(explorer.asker.asking, axis.name);
    const chosen = asked && "values" in asked ? asked.values.map(String) : [];
    const values = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
    explorer.askAxis(axis, values.length ? { values } : null, true);
  }

  /**
   * The areas that have their middle in a box of the map.
   * @param {import("./painting.js").Area | null} box
   * @param {boolean} done
   */
  chooseWithin(box, done) {
    const { axis, shapes } = this;
    const isIn = (/** @type {[number, number]} */ [from, to], /** @type {[number, number]} */ [low, high]) =>
      (from + to) / 2 >= low && (from + to) / 2 <= high;
    const values = shapes.names.filter((name, n) =>
      box && axis.indexOf(name) >= 0 && isIn(shapes.boxes[n].x, box.x) && isIn(shapes.boxes[n].y, box.y));
    this.explorer.askAxis(axis, values.length ? { values } : null, done);
  }

  showChosen() {
    const asked = askedOf(this.explorer.asker.asking, this.axis.name);
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
    this.small?.draw();
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
