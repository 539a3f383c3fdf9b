/**
 * The page: one question, which the map, the charts and the address of the page show and change, and
 * its answer.
 *
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./areas.js").Outline} Outline
 * @typedef {import("./release.js").Asking} Asking
 */
import { AnswerCard } from "./answercard.js";
import { AreaMap } from "./areamap.js";
import { isClear } from "./areas.js";
import { Asker } from "./asker.js";
import { askedOf, askInstead } from "./asking.js";
import { AxisCard } from "./axiscard.js";
import { rangeOf, roundTo } from "./choosing.js";
import { CrossCard, needsCross } from "./crosscard.js";
import { button, element, label, shorten } from "./dom.js";
import { readFragment, readOutline, toFragment } from "./fragment.js";
import { GroupCard } from "./groupcard.js";
import { helpCard, showHelp } from "./helpcard.js";
import { PlaneMap } from "./planemap.js";
import { Contents } from "./release.js";
import { TEXT } from "./strings.js";
import { Work } from "./work.js";

export class Explorer {
  /** @param {Contents} contents */
  constructor(contents) {
    this.contents = contents;
    this.asker = new Asker(contents);
    /** What does not depend on the release that is shown: all have the same axes. */
    this.release = contents.releases[0];
    this.work = new Work();
    readFragment(this.asker, location.hash);
    this.answer = new AnswerCard(this);
    this.ordered = this.release.axes.filter((axis) => axis.ordered && axis.declared > 0);
    this.maps = this.makeMaps();
    this.cards = this.release.axes.map((axis) => new AxisCard(this, axis));
    this.cross = needsCross(this.release.axes) ? new CrossCard(this) : null;
    this.groups = new GroupCard(this);
    this.build();
    this.changed(true);
    addEventListener("hashchange", () => this.readAddress());
  }

  /** The map of two axes, if there is one: what the rest of the page calls "the map". */
  get map() {
    return this.maps.find((one) => one instanceof PlaneMap)?.view ?? this.maps[0]?.view ?? null;
  }

  /** Whether the numbers are rows, and whether they add up. */
  get look() {
    return { isRows: this.asker.what.kind === "rows", isSum: this.asker.what.kind !== "mean" };
  }

  get fragment() {
    return toFragment(this.asker);
  }

  makeMaps() {
    /** @type {(PlaneMap | AreaMap)[]} */
    const found = this.release.axes.filter((axis) => axis.shapes).map((axis) => new AreaMap(this, axis));
    if (this.ordered.length > 1) found.unshift(new PlaneMap(this, this.chooseMapAxes()));
    return found;
  }

  /**
   * Longitude and latitude, or what given areas lie on, or else the first two axes of real numbers, or with an order.
   * @returns {[Axis, Axis]}
   */
  chooseMapAxes() {
    const real = this.ordered.filter(({ isReal }) => isReal);
    const first = (real.length > 1 ? real : this.ordered).map(({ name }) => name);
    const names = this.asker.outline?.axes ?? this.contents.shapes?.axes ?? this.release.map ?? first;
    return [this.release.axis(names[0]), this.release.axis(names[1])];
  }

  build() {
    const names = this.release.axes.map((axis) => shorten(axis.name)).join(", ");
    const help = helpCard(this.release);
    if (this.cards.length % 2) this.cards[this.cards.length - 1].root.classList.add("wide");
    document.body.prepend(element("main", {},
      element("header", {}, element("h1", {}, label(this.contents.title)), element("p", { class: "lead" }, TEXT.lead(names)),
        button(TEXT.helpTitle, () => showHelp(help), { class: "small" })),
      this.answer.root,
      ...this.maps.map((map) => map.card),
      ...this.cards.map((card) => card.root),
      ...(this.cross ? [this.cross.root] : []),
      this.groups.root,
      this.answer.elsewhere,
      help),
      element("footer", {}, TEXT.footer));
  }

  readAddress() {
    if (location.hash.slice(1) === this.fragment) return;
    readFragment(this.asker, location.hash);
    this.changed(false);
  }

  /**
   * @param {number} n
   * @param {boolean} isChange
   */
  showRelease(n, isChange) {
    [this.asker.shown, this.asker.isChange] = [n, isChange];
    this.changed(true);
  }

  // Asking ---------------------------------------------------------------------------------------

  /**
   * @param {Asking} asking
   * @param {Outline | null} [outline]
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
   * @param {import("./painting.js").Area | null} area
   * @param {[number, number]} fine how much of each axis a pixel is
   * @param {boolean} done
   */
  chooseArea([across, up], area, fine, done) {
    this.ask({
      ...this.asker.asking,
      [across.name]: area && rangeOf(across, area.x, fine[0]),
      [up.name]: area && rangeOf(up, area.y, fine[1]),
    }, null, done);
  }

  /**
   * An outline on a map instead of ranges of its axes.
   * @param {Outline | null} outline
   * @param {boolean} done
   */
  chooseOutline(outline, done) {
    this.ask(askInstead(this.asker.asking, outline?.axes ?? [], () => null), outline, done);
  }

  /**
   * @param {[Axis, Axis]} axes
   * @param {import("./areas.js").Ring} ring
   * @param {[number, number]} fine
   * @param {boolean} done
   */
  chooseRing(axes, ring, fine, done) {
    const inside = (/** @type {number[]} */ values, /** @type {number} */ n) =>
      values.map((value) => roundTo(axes[n], value, fine[n]));
    const made = { xs: inside(ring.xs, 0), ys: inside(ring.ys, 1), sign: 1 };
    if (!isClear(made)) {
      if (done) this.say(TEXT.crossing);
      return;
    }
    this.say("");
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

  // Showing --------------------------------------------------------------------------------------

  /** @param {boolean} done whether this is a step that the address should show */
  changed(done) {
    this.answer.show();
    for (const one of [this.answer, ...this.maps, ...this.cards]) one.showChosen();
    if (done && location.protocol !== "about:") history.replaceState(null, "", `#${this.fragment}`);
    document.body.dataset.state = "working";
    this.work.start(this.update());
  }

  /** Everything that takes longer: a step for each bar. */
  *update() {
    for (const map of this.maps) yield* map.update();
    for (const card of this.cards) {
      yield* card.updateChart();
      this.groups.showAxis(card);
    }
    yield* this.groups.updateAreas();
    for (const card of this.cards) {
      card.showQuantiles();
      yield;
    }
    if (this.cross) yield* this.cross.update();
    document.body.dataset.state = "ready";
  }

  /**
   * Where what is asked of an axis starts and stops, in units of indices.
   * @param {Axis} axis
   * @returns {[number, number] | null}
   */
  positionsOf(axis) {
    const asked = axis.locate(askedOf(this.asker.asking, axis.name));
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

  /** @param {string} text */
  say(text) {
    this.answer.message.textContent = text;
  }

  /** @param {string} text */
  copy(text) {
    return this.answer.copy(text);
  }
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
