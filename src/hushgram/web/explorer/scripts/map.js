/**
 * The map: two ordered axes on a canvas, to be moved, enlarged and chosen from, by boxes, by outlines
 * that are drawn, or by areas.
 *
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./tiles.js").Tiles} Tiles
 * @typedef {import("./shapes.js").Shapes} Shapes
 * @typedef {import("./painting.js").Area} Area in the units in which axes are drawn
 * @typedef {import("./areas.js").Ring} Ring
 * @typedef {{x: number, y: number}} Place on the canvas
 * @typedef {"box" | "outline" | "move"} Mode
 * @typedef {{kind: "tiles", tiles: Tiles, top: number}
 *   | {kind: "change", before: Tiles, after: Tiles, top: number}
 *   | {kind: "shapes", shapes: Shapes, looks: import("./painting.js").Look[], change: boolean}} Content
 * @typedef {{low: string, high: string, notes: string, change: boolean}} Legend
 */
import { isDark, makeColours } from "./colours.js";
import { button, element } from "./dom.js";
import { formatValue, ticksBetween } from "./format.js";
import { Frame, paintChange, paintOutlines, paintShapes, paintTiles, tracePath } from "./painting.js";
import { TEXT } from "./strings.js";

const EDGE = { left: 40, right: 12, top: 10, bottom: 30 };
const LETTER = 7;
const SMALLEST_DRAG = 5;
let count = 0;
const NARROWEST = 1e-6;
/** Pixels between the points of an outline that is drawn by hand. */
const STROKE = 4;

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
    this.stretch = stretch;
    /** @type {Content | null} */
    this.content = null;
    /** @type {Legend | null} */
    this.legendText = null;
    /** @type {Area | null} */
    this.chosen = null;
    /** The outlines that are chosen. @type {Ring[]} */
    this.rings = [];
    /** The corners of an outline that is being drawn. @type {Place[]} */
    this.corners = [];
    this.modes = modes;
    /** @type {Mode} */
    this.mode = modes[0];
    /** @type {Map<number, Place>} */
    this.pointers = new Map();
    /** @type {{place: Place, move: boolean} | null} */
    this.start = null;
    /** Whether the pointer has moved since it was pressed. */
    this.dragged = false;
    /** What was painted last below outlines and choices. @type {{content: Content | null, key: string, pixels: ImageData | null}} */
    this.below = { content: null, key: "", pixels: null };
    this.drawn = 0;
    this.left = EDGE.left;
    this.width = 0;
    this.height = 0;
    this.ratio = 1;
    /** @type {Area} */
    this.whole = { x: [0, 1], y: [0, 1] };
    /** @type {Area} */
    this.view = this.whole;
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
    this.listen();
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

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", (event) => this.release(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => (this.corners.length ? this.closeOutline() : this.choose(null, true)));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.drawLegend();
      this.draw();
    });
    new ResizeObserver(() => this.resize()).observe(this.box);
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
    this.stretch = stretch;
    const ends = (/** @type {Axis} */ axis) =>
      /** @type {[number, number]} */ ([axis.place(0), axis.place(axis.size)]);
    this.whole = { x: ends(across), y: ends(up) };
    const texts = ticksOf(up, this.whole.y, 6).map((tick) => formatValue(up, tick).length);
    this.left = Math.max(EDGE.left, LETTER * Math.max(...texts) + 12);
    this.view = this.fit(this.whole);
    this.canvas.setAttribute("aria-label", TEXT.map(across.name, up.name));
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
    this.corners = [];
    this.status.textContent = mode === "outline" ? TEXT.outlineHelp : "";
    this.draw();
    for (const one of this.tools.querySelectorAll("[data-mode]")) {
      one.setAttribute("aria-pressed", String(one.getAttribute("data-mode") === mode));
    }
  }

  get inner() {
    const { width, height } = this;
    return { width: Math.max(width - this.left - EDGE.right, 1), height: Math.max(height - EDGE.top - EDGE.bottom, 1) };
  }

  /**
   * An area in the shape of the canvas that shows all of another one.
   * @param {Area} area
   * @returns {Area}
   */
  fit(area) {
    const { stretch } = this;
    if (stretch === null || !this.width) return area;
    const { width, height } = this.inner;
    const [spanX, spanY] = [area.x[1] - area.x[0], area.y[1] - area.y[0]];
    const unit = Math.max(spanX / width, (spanY * stretch) / height);
    const grow = (/** @type {[number, number]} */ [low, high], /** @type {number} */ span) =>
      /** @type {[number, number]} */ ([(low + high - span) / 2, (low + high + span) / 2]);
    return { x: grow(area.x, unit * width), y: grow(area.y, (unit * height) / stretch) };
  }

  resize() {
    const width = this.box.clientWidth;
    if (!width) return;
    const first = !this.width;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    this.width = width;
    this.height = this.chooseHeight(width);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.height = `${this.height}px`;
    this.ratio = ratio;
    this.view = this.fit(first ? this.whole : this.view);
    this.draw();
  }

  /**
   * As high as all of a map is at full width, or about two thirds of that.
   * @param {number} width
   */
  chooseHeight(width) {
    const { x, y } = this.whole;
    const across = width - this.left - EDGE.right;
    const inner = this.stretch === null ? 0.6 * across : (across * this.stretch * (y[1] - y[0])) / (x[1] - x[0]);
    return Math.round(Math.min(Math.max(inner + EDGE.top + EDGE.bottom, 220), 600));
  }

  draw() {
    cancelAnimationFrame(this.drawn);
    this.drawn = requestAnimationFrame(() => {
      this.paint();
      this.followers.forEach((follow) => follow());
    });
  }

  get frame() {
    return new Frame(this.view, { left: this.left, top: EDGE.top, ...this.inner, ratio: this.ratio });
  }

  /**
   * @param {Place} place
   * @returns {Place} in the units in which axes are drawn
   */
  fromPlace({ x, y }) {
    const { view, inner } = this;
    return {
      x: view.x[0] + ((x - this.left) / inner.width) * (view.x[1] - view.x[0]),
      y: view.y[0] + (1 - (y - EDGE.top) / inner.height) * (view.y[1] - view.y[0]),
    };
  }

  paint() {
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    if (!context || !this.content || !this.width) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const { frame, content } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = colour("--card");
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.paintBelow(context, frame, content, colour);
    frame.inside(context, () => {
      if (this.stretch !== null) {
        paintOutlines(context, frame, this.outlines, colour("--coast"), content.kind === "shapes" ? 0.5 : 1);
      }
      this.paintChosen(context, frame, colour("--accent"), colour("--halo"));
    });
    this.paintAxes(context, frame, colour("--ink"), colour("--line"));
  }

  /**
   * What lies below outlines and choices; painted anew only if it is seen differently.
   * @param {CanvasRenderingContext2D} context
   * @param {Frame} frame
   * @param {Content} content
   * @param {(name: string) => string} colour
   */
  paintBelow(context, frame, content, colour) {
    const key = JSON.stringify([this.view, this.width, this.height, this.ratio, isDark()]);
    if (this.below.content !== content || this.below.key !== key) {
      paintContent(context, frame, content, colour);
      const { width, height } = this.canvas;
      this.below = { content, key, pixels: context.getImageData(0, 0, width, height) };
    } else if (this.below.pixels) context.putImageData(this.below.pixels, 0, 0);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Frame} frame
   * @param {string} colour
   * @param {string} halo around lines, so that they can be seen on any colour
   */
  paintChosen(context, frame, colour, halo) {
    const stroke = () => {
      context.lineJoin = "round";
      for (const [width, style] of /** @type {[number, string][]} */ ([[4.5, halo], [2, colour]])) {
        context.lineWidth = width;
        context.strokeStyle = style;
        context.stroke();
      }
    };
    const fill = () => {
      context.fillStyle = colour;
      context.globalAlpha = 0.12;
      context.fill("evenodd");
      context.globalAlpha = 1;
    };
    if (this.chosen) {
      const { x, y } = this.chosen;
      const [left, right, low, high] = [frame.toX(x[0]), frame.toX(x[1]), frame.toY(y[0]), frame.toY(y[1])];
      context.beginPath();
      context.rect(left, high, right - left, low - high);
      fill();
      stroke();
    }
    if (this.rings.length) {
      tracePath(context, frame, this.rings);
      if (this.content?.kind !== "shapes") fill();
      stroke();
    }
    if (this.corners.length) {
      context.beginPath();
      this.corners.forEach(({ x, y }, n) => (n ? context.lineTo(x, y) : context.moveTo(x, y)));
      stroke();
      context.fillStyle = colour;
      for (const { x, y } of this.corners.length > 40 ? this.corners.slice(0, 1) : this.corners) {
        context.beginPath();
        context.arc(x, y, 4, 0, 2 * Math.PI);
        context.fill();
      }
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Frame} frame
   * @param {string} ink
   * @param {string} line
   */
  paintAxes(context, frame, ink, line) {
    const { inner, view } = this;
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.strokeRect(this.left - 0.5, EDGE.top - 0.5, inner.width + 1, inner.height + 1);
    context.fillStyle = ink;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    for (const tick of ticksOf(this.across, view.x, inner.width / 60)) {
      context.fillText(formatValue(this.across, tick), frame.toX(tick), this.height - EDGE.bottom + 16);
    }
    context.textAlign = "right";
    for (const tick of ticksOf(this.up, view.y, inner.height / 60)) {
      context.fillText(formatValue(this.up, tick), this.left - 6, frame.toY(tick) + 4);
    }
  }

  drawLegend() {
    if (!this.legendText) return;
    const { low, high, notes, change } = this.legendText;
    const ramp = element("span", { class: "ramp", "aria-hidden": "true" });
    ramp.style.background = `linear-gradient(to right, ${makeColours(isDark(), change).css.join(", ")})`;
    this.legend.replaceChildren(element("span", { class: "scale" }, low, ramp, high), notes);
  }

  /** @param {MouseEvent} event */
  place(event) {
    const frame = this.canvas.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button > 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.place(event));
    const move = event.shiftKey || this.mode === "move" || this.pointers.size > 1;
    this.start = { place: this.place(event), move };
    this.dragged = false;
    if (move) this.corners = [];
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const place = this.place(event);
    if (!this.pointers.has(event.pointerId) || !this.start) {
      this.status.textContent = this.hover(this.fromPlace(place).x, this.fromPlace(place).y);
      return;
    }
    const before = /** @type {Place} */ (this.pointers.get(event.pointerId));
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    this.pointers.set(event.pointerId, place);
    if (others.length) {
      const [was, is] = [distance(before, others[0]), distance(place, others[0])];
      if (is > 10) this.zoom(was / is, middle(place, others[0]));
    } else if (this.start.move) {
      const [from, to] = [this.fromPlace(before), this.fromPlace(place)];
      this.shift(from.x - to.x, from.y - to.y);
    } else if (this.dragged || distance(place, this.start.place) >= SMALLEST_DRAG) {
      this.dragged = true;
      if (this.mode === "outline") this.drawTo(place);
      else this.choose(this.areaTo(place), false);
    }
  }

  /**
   * The pointer goes on around an area.
   * @param {Place} place
   */
  drawTo(place) {
    if (!this.corners.length && this.start) this.corners.push(this.start.place);
    if (distance(place, this.corners[this.corners.length - 1]) < STROKE) return;
    this.corners.push(place);
    this.draw();
    if (this.corners.length > 2) this.chooseRing(this.ringOf(this.corners), false);
  }

  /**
   * A click: a corner of an outline, or an area that was drawn.
   * @param {Place} place
   */
  click(place) {
    const { x, y } = this.fromPlace(place);
    if (this.mode === "outline") {
      const { corners } = this;
      if (corners.length > 2 && distance(place, corners[0]) < 2 * SMALLEST_DRAG) return this.closeOutline();
      if (!corners.length || distance(place, corners[corners.length - 1]) > 2) corners.push(place);
      return this.draw();
    }
    if (this.mode === "box" && this.content?.kind === "shapes") {
      const found = this.content.shapes.at(x, y);
      if (found >= 0) this.chooseShape(found);
    }
    return undefined;
  }

  closeOutline() {
    const corners = thin(this.corners, 1.5);
    this.corners = [];
    if (corners.length > 2) this.chooseRing(this.ringOf(corners), true);
    this.draw();
  }

  /**
   * @param {Place[]} corners
   * @returns {Ring}
   */
  ringOf(corners) {
    const places = corners.map((corner) => this.fromPlace(corner));
    return { xs: places.map(({ x }) => x), ys: places.map(({ y }) => y), sign: 1 };
  }

  /** @param {PointerEvent} event */
  release(event) {
    const place = this.place(event);
    const wanted = this.start && !this.start.move && this.pointers.size === 1;
    this.pointers.delete(event.pointerId);
    if (wanted && this.start) {
      if (!this.dragged) this.click(place);
      else if (this.mode === "outline") this.closeOutline();
      else this.choose(this.areaTo(place), true);
    }
    this.start = null;
  }

  /**
   * @param {Place} place
   * @returns {Area}
   */
  areaTo(place) {
    const [a, b] = [this.fromPlace(this.start?.place ?? place), this.fromPlace(place)];
    return {
      x: [Math.min(a.x, b.x), Math.max(a.x, b.x)],
      y: [Math.min(a.y, b.y), Math.max(a.y, b.y)],
    };
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.canvas) return;
    event.preventDefault();
    this.zoom(1.0015 ** event.deltaY, this.place(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const [x, y] = [this.view.x[1] - this.view.x[0], this.view.y[1] - this.view.y[0]];
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.shift(-x / 8, 0),
      ArrowRight: () => this.shift(x / 8, 0),
      ArrowUp: () => this.shift(0, y / 8),
      ArrowDown: () => this.shift(0, -y / 8),
      "+": () => this.zoom(0.6),
      "=": () => this.zoom(0.6),
      "-": () => this.zoom(1 / 0.6),
      0: () => this.showAll(),
      Enter: () => (this.corners.length ? this.closeOutline() : this.chooseView()),
      Escape: () => this.escape(),
      Backspace: () => {
        this.corners.pop();
        this.draw();
      },
    };
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  escape() {
    if (!this.corners.length) return this.choose(null, true);
    this.corners = [];
    return this.draw();
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  shift(x, y) {
    const move = (/** @type {[number, number]} */ [low, high], /** @type {number} */ by, /** @type {[number, number]} */ whole) => {
      const middle = (low + high) / 2 + by;
      const kept = Math.min(Math.max(middle, whole[0]), whole[1]) - (low + high) / 2;
      return /** @type {[number, number]} */ ([low + kept, high + kept]);
    };
    this.view = { x: move(this.view.x, x, this.whole.x), y: move(this.view.y, y, this.whole.y) };
    this.draw();
  }

  /**
   * @param {number} factor
   * @param {Place} [place] that stays where it is
   */
  zoom(factor, place) {
    const { view, whole } = this;
    const kept = place ? this.fromPlace(place) : { x: (view.x[0] + view.x[1]) / 2, y: (view.y[0] + view.y[1]) / 2 };
    const most = this.fit(whole);
    const share = (view.x[1] - view.x[0]) / (most.x[1] - most.x[0]);
    if (share * factor > 1) return this.showAll();
    const bounded = Math.max(factor, NARROWEST / share);
    const scale = (/** @type {[number, number]} */ ends, /** @type {number} */ at) =>
      /** @type {[number, number]} */ (ends.map((end) => at + (end - at) * bounded));
    this.view = { x: scale(view.x, kept.x), y: scale(view.y, kept.y) };
    return this.draw();
  }

  showAll() {
    this.view = this.fit(this.whole);
    this.draw();
  }

  chooseView() {
    const clip = (/** @type {[number, number]} */ [low, high], /** @type {[number, number]} */ whole) =>
      /** @type {[number, number]} */ ([Math.max(low, whole[0]), Math.min(high, whole[1])]);
    this.choose({ x: clip(this.view.x, this.whole.x), y: clip(this.view.y, this.whole.y) }, true);
  }
}

/**
 * @param {Axis} axis
 * @param {[number, number]} ends
 * @param {number} most
 */
export function ticksOf(axis, [low, high], most) {
  const [first, last] = [axis.place(0), axis.place(axis.declared)];
  const inside = /** @type {[number, number]} */ ([Math.max(low, first), Math.min(high, last)]);
  if (!axis.isDate) return ticksBetween(inside[0], inside[1], Math.max(most, 2));
  const [start, stop] = inside.map((value) => Math.round(axis.position(value)));
  const run = Math.max(Math.ceil((stop - start) / Math.max(most, 2)), 1);
  const found = [];
  for (let index = start; index < stop; index += run) found.push(axis.edge(index));
  return found;
}

/**
 * @param {Place} a
 * @param {Place} b
 */
function distance(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/**
 * @param {Place} a
 * @param {Place} b
 */
function middle(a, b) {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {Content} content
 * @param {(name: string) => string} colour
 */
export function paintContent(context, frame, content, colour) {
  if (content.kind === "tiles") paintTiles(context, frame, content.tiles, content.top);
  else if (content.kind === "change") paintChange(context, frame, content.before, content.after, content.top);
  else {
    frame.inside(context, () => paintShapes(context, frame, content.shapes, content.looks,
      { change: content.change, line: colour("--border"), hatch: colour("--card") }));
  }
}

/**
 * A line with fewer corners, none of those left out far from it (Douglas and Peucker 1973).
 * @param {Place[]} corners
 * @param {number} most
 * @returns {Place[]}
 */
export function thin(corners, most) {
  if (corners.length < 3) return corners;
  const [first, last] = [corners[0], corners[corners.length - 1]];
  const length = distance(first, last);
  let [farthest, at] = [most, 0];
  corners.slice(1, -1).forEach((corner, n) => {
    const across = (last.x - first.x) * (first.y - corner.y) - (first.x - corner.x) * (last.y - first.y);
    const far = length ? Math.abs(across) / length : distance(first, corner);
    if (far > farthest) [farthest, at] = [far, n + 1];
  });
  if (!at) return [first, last];
  return [...thin(corners.slice(0, at + 1), most).slice(0, -1), ...thin(corners.slice(at), most)];
}
