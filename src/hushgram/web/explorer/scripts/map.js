/**
 * The map: two ordered axes on a canvas, to be moved, enlarged and chosen from, by boxes, by outlines
 * that are drawn, or by areas.
 *
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./painting.js").Area} Area
 * @typedef {import("./painting.js").Content} Content
 * @typedef {import("./painting.js").Frame} Frame
 * @typedef {import("./areas.js").Ring} Ring
 * @typedef {"box" | "outline" | "move"} Mode
 * @typedef {{low: string, high: string, notes: string, change: boolean}} Legend
 */
import { isDark, makeColours } from "./colours.js";
import { button, element, shorten } from "./dom.js";
import { formatTick } from "./format.js";
import { Hand } from "./map/hand.js";
import { paintAxes, paintChosen, paintCorners } from "./map/overlay.js";
import { LETTER, Viewport } from "./map/viewport.js";
import { paintContent, paintOutlines } from "./painting.js";
import { TEXT } from "./strings.js";
import { ticksOf } from "./ticks.js";

let count = 0;

export class MapView {
  /**
   * @param {{outlines: import("./release.js").Outlines[], across: Axis, up: Axis,
   *   stretch: number | null, modes: Mode[], help: string,
   *   choose: (area: Area | null, done: boolean) => void,
   *   chooseRing: (ring: Ring, done: boolean) => void,
   *   chooseShape: (n: number) => void,
   *   hover: (x: number, y: number) => string}} options
   */
  constructor({ outlines, across, up, stretch, modes, help, choose, chooseRing, chooseShape, hover }) {
    this.outlines = outlines;
    this.choose = choose;
    this.chooseRing = chooseRing;
    this.chooseShape = chooseShape;
    this.hover = hover;
    this.across = across;
    this.up = up;
    /** @type {Content | null} */
    this.content = null;
    /** @type {Legend | null} */
    this.legendText = null;
    /** @type {Area | null} */
    this.chosen = null;
    /** The outlines that are chosen. @type {Ring[]} */
    this.rings = [];
    this.modes = modes;
    /** @type {Mode} */
    this.mode = modes[0];
    /** What was painted last below outlines and choices. @type {{content: Content | null, key: string, pixels: ImageData | null}} */
    this.below = { content: null, key: "", pixels: null };
    this.drawn = 0;
    this.port = new Viewport();
    /** Whoever draws the same view. @type {(() => void)[]} */
    this.followers = [];
    const helpId = `map-help-${++count}`;
    this.canvas = element("canvas", { tabindex: 0, role: "application", "aria-describedby": helpId });
    this.status = element("p", { class: "status", role: "status" });
    this.box = element("div", { class: "map-box" }, this.canvas);
    this.legend = element("p", { class: "legend" });
    this.tools = this.makeTools();
    const helpText = element("p", { class: "hint", id: helpId }, help);
    this.root = element("div", {}, this.tools, this.box, this.legend, this.status, helpText);
    this.hand = new Hand(this);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.drawLegend();
      this.draw();
    });
    new ResizeObserver(() => this.resize()).observe(this.box);
    this.setAxes(across, up, stretch);
  }

  makeTools() {
    const mode = (/** @type {Mode} */ one) =>
      button(TEXT.modes[one], () => this.setMode(one), { "aria-pressed": one === this.mode, "data-mode": one });
    return element(
      "div",
      { class: "tools", role: "group", "aria-label": TEXT.mapTools },
      ...this.modes.map(mode),
      button("+", () => this.zoom(0.6), { "aria-label": TEXT.zoomIn, title: TEXT.zoomIn }),
      button("−", () => this.zoom(1 / 0.6), { "aria-label": TEXT.zoomOut, title: TEXT.zoomOut }),
      button(TEXT.showAll, () => this.showAll()),
      button(TEXT.useView, () => this.chooseView()),
    );
  }

  /**
   * Two axes to draw; stretch says how much longer a unit up is than one across, if that is fixed.
   * @param {Axis} across
   * @param {Axis} up
   * @param {number | null} stretch
   */
  setAxes(across, up, stretch) {
    this.across = across;
    this.up = up;
    const ends = (/** @type {Axis} */ axis) =>
      /** @type {[number, number]} */ ([axis.place(0), axis.place(axis.size)]);
    const whole = { x: ends(across), y: ends(up) };
    const texts = ticksOf(up, whole.y, 6).map((tick) => formatTick(up, tick).length);
    this.port.setWhole(whole, stretch, LETTER * Math.max(...texts) + 12);
    this.canvas.setAttribute("aria-label", TEXT.map(shorten(across.name), shorten(up.name)));
    this.resize();
  }

  /**
   * @param {Content} content
   * @param {Legend} legend
   */
  setContent(content, legend) {
    this.content = content;
    this.legendText = legend;
    this.drawLegend();
    this.draw();
  }

  /**
   * @param {Area | null} area
   * @param {Ring[]} rings
   */
  setChosen(area, rings) {
    this.chosen = area;
    this.rings = rings;
    this.draw();
  }

  /** @param {Mode} mode */
  setMode(mode) {
    this.mode = mode;
    this.hand.corners = [];
    this.status.textContent = mode === "outline" ? TEXT.outlineHelp : "";
    this.draw();
    for (const one of this.tools.querySelectorAll("[data-mode]")) {
      one.setAttribute("aria-pressed", String(one.getAttribute("data-mode") === mode));
    }
  }

  resize() {
    const width = this.box.clientWidth;
    if (!width) return;
    const { port, canvas } = this;
    port.resize(width);
    canvas.width = Math.round(width * port.ratio);
    canvas.height = Math.round(port.height * port.ratio);
    canvas.style.height = `${port.height}px`;
    this.draw();
  }

  draw() {
    cancelAnimationFrame(this.drawn);
    this.drawn = requestAnimationFrame(() => {
      this.paint();
      this.followers.forEach((follow) => follow());
    });
  }

  paint() {
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    if (!context || !this.content || !this.port.width) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const { content } = this;
    const { frame, stretch } = this.port;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = colour("--card");
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.paintBelow(context, frame, content, colour);
    frame.inside(context, () => {
      const hasShapes = content.kind === "shapes";
      const [line, halo] = [colour("--accent"), colour("--halo")];
      if (stretch !== null) paintOutlines(context, frame, this.outlines, colour("--coast"), hasShapes ? 0.5 : 1);
      paintChosen(context, frame, this.chosen, this.rings, { line, halo, filled: !hasShapes });
      paintCorners(context, this.hand.corners, line, halo);
    });
    paintAxes(context, this.port, this.across, this.up, { ink: colour("--ink"), line: colour("--line") });
  }

  /**
   * What lies below outlines and choices; painted anew only if it is seen differently.
   * @param {CanvasRenderingContext2D} context
   * @param {Frame} frame
   * @param {Content} content
   * @param {(name: string) => string} colour
   */
  paintBelow(context, frame, content, colour) {
    const { view, width, height, ratio } = this.port;
    const key = JSON.stringify([view, width, height, ratio, isDark()]);
    if (this.below.content !== content || this.below.key !== key) {
      paintContent(context, frame, content, colour);
      const { canvas } = this;
      this.below = { content, key, pixels: context.getImageData(0, 0, canvas.width, canvas.height) };
    } else if (this.below.pixels) context.putImageData(this.below.pixels, 0, 0);
  }

  drawLegend() {
    if (!this.legendText) return;
    const { low, high, notes, change } = this.legendText;
    const ramp = element("span", { class: "ramp", "aria-hidden": "true" });
    ramp.style.background = `linear-gradient(to right, ${makeColours(isDark(), change).css.join(", ")})`;
    this.legend.replaceChildren(element("span", { class: "scale" }, low, ramp, high), notes);
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  shift(x, y) {
    this.port.shift(x, y);
    this.draw();
  }

  /**
   * @param {number} factor
   * @param {import("./map/viewport.js").Place} [place] that stays where it is
   */
  zoom(factor, place) {
    this.port.zoom(factor, place);
    this.draw();
  }

  showAll() {
    this.port.showAll();
    this.draw();
  }

  chooseView() {
    this.choose(this.port.visible, true);
  }
}
