/**
 * The map: two ordered axes on a canvas, to be moved, enlarged and chosen from.
 *
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./tiles.js").Tiles} Tiles
 * @typedef {{x: [number, number], y: [number, number]}} Area in the units in which axes are drawn
 * @typedef {{x: number, y: number}} Place on the canvas
 */
import { makeColours } from "./colours.js";
import { button, element } from "./dom.js";
import { formatValue, ticksBetween } from "./format.js";
import { TEXT } from "./strings.js";

const EDGE = { left: 40, right: 12, top: 10, bottom: 30 };
const LETTER = 7;
const SMALLEST_DRAG = 5;
const NARROWEST = 1e-6;

export class MapView {
  /**
   * @param {{outlines: import("./release.js").Outlines[], across: Axis, up: Axis,
   *   stretch: number | null,
   *   choose: (area: Area | null, done: boolean) => void,
   *   hover: (x: number, y: number) => string}} options
   */
  constructor({ outlines, across, up, stretch, choose, hover }) {
    this.outlines = outlines;
    this.choose = choose;
    this.hover = hover;
    this.across = across;
    this.up = up;
    this.stretch = stretch;
    /** @type {Tiles | null} */
    this.tiles = null;
    /** @type {Area | null} */
    this.chosen = null;
    /** @type {"select" | "move"} */
    this.mode = "select";
    /** @type {Map<number, Place>} */
    this.pointers = new Map();
    /** @type {{place: Place, move: boolean} | null} */
    this.start = null;
    this.frame = 0;
    this.left = EDGE.left;
    this.width = 0;
    this.height = 0;
    this.ratio = 1;
    /** @type {Area} */
    this.whole = { x: [0, 1], y: [0, 1] };
    /** @type {Area} */
    this.view = this.whole;
    this.canvas = element("canvas", { tabindex: 0, role: "application", "aria-describedby": "map-help" });
    this.status = element("p", { class: "status", role: "status" });
    this.box = element("div", { class: "map-box" }, this.canvas);
    this.legend = element("p", { class: "legend" });
    this.tools = this.makeTools();
    const help = element("p", { class: "hint", id: "map-help" }, TEXT.mapHelp);
    this.root = element("div", {}, this.tools, this.box, this.status, this.legend, help);
    this.listen();
    this.setAxes(across, up, stretch);
  }

  makeTools() {
    const mode = (/** @type {"select" | "move"} */ one, /** @type {string} */ text) =>
      button(text, () => this.setMode(one), { "aria-pressed": one === this.mode, "data-mode": one });
    return element(
      "div",
      { class: "tools", role: "group", "aria-label": TEXT.mapTools },
      mode("select", TEXT.select),
      mode("move", TEXT.move),
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
    canvas.addEventListener("dblclick", () => this.choose(null, true));
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

  /** @param {Tiles} tiles */
  setTiles(tiles) {
    this.tiles = tiles;
    this.drawLegend();
    this.draw();
  }

  /** @param {Area | null} area */
  setChosen(area) {
    this.chosen = area;
    this.draw();
  }

  /** @param {"select" | "move"} mode */
  setMode(mode) {
    this.mode = mode;
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
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.paint());
  }

  /** @param {number} x */
  toX(x) {
    const [low, high] = this.view.x;
    return this.left + ((x - low) / (high - low)) * this.inner.width;
  }

  /** @param {number} y */
  toY(y) {
    const [low, high] = this.view.y;
    return EDGE.top + (1 - (y - low) / (high - low)) * this.inner.height;
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
    const context = this.canvas.getContext("2d");
    if (!context || !this.tiles || !this.width) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = colour("--card");
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.paintTiles(context);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.save();
    context.beginPath();
    context.rect(this.left, EDGE.top, this.inner.width, this.inner.height);
    context.clip();
    if (this.stretch !== null) this.paintOutlines(context, colour("--coast"));
    if (this.chosen) this.paintChosen(context, colour("--accent"), this.chosen);
    context.restore();
    this.paintAxes(context, colour("--ink"), colour("--line"));
  }

  /** @param {CanvasRenderingContext2D} context */
  paintTiles(context) {
    const tiles = /** @type {Tiles} */ (this.tiles);
    const { ratio, inner } = this;
    const width = Math.round(inner.width * ratio);
    const height = Math.round(inner.height * ratio);
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const { solid, faded } = makeColours(matchMedia("(prefers-color-scheme: dark)").matches);
    const scaleX = width / (this.view.x[1] - this.view.x[0]);
    const scaleY = height / (this.view.y[1] - this.view.y[0]);
    const [left, top] = [this.view.x[0], this.view.y[1]];
    for (let n = 0; n < tiles.density.length; n++) {
      const x0 = Math.max(Math.round((tiles.x0[n] - left) * scaleX), 0);
      let x1 = Math.min(Math.round((tiles.x1[n] - left) * scaleX), width);
      const y0 = Math.max(Math.round((top - tiles.y1[n]) * scaleY), 0);
      let y1 = Math.min(Math.round((top - tiles.y0[n]) * scaleY), height);
      if (x0 >= width || y0 >= height || x1 < 0 || y1 < 0) continue;
      if (x1 === x0) x1 += 1;
      if (y1 === y0) y1 += 1;
      const step = Math.min(Math.round(255 * Math.sqrt(Math.max(tiles.density[n], 0) / tiles.top)), 255);
      const colour = tiles.unsure && tiles.unsure[n] ? faded[step] : solid[step];
      for (let y = y0; y < y1; y++) pixels.fill(colour, y * width + x0, y * width + x1);
    }
    context.putImageData(image, Math.round(this.left * ratio), Math.round(EDGE.top * ratio));
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {string} colour
   */
  paintOutlines(context, colour) {
    context.strokeStyle = colour;
    for (const { kind, steps, lengths, points } of this.outlines) {
      const many = points.length / 2;
      context.lineWidth = kind === "coast" ? 0.9 : 0.4;
      context.beginPath();
      for (const turn of [-360, 0, 360]) {
        if (this.view.x[1] < turn - 180 || this.view.x[0] > turn + 180) continue;
        let place = 0;
        for (const length of lengths) {
          for (let n = 0; n < length; n++, place++) {
            const x = this.toX(points[place] / steps + turn);
            const y = this.toY(points[many + place] / steps);
            if (n) context.lineTo(x, y);
            else context.moveTo(x, y);
          }
        }
      }
      context.stroke();
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {string} colour
   * @param {Area} area
   */
  paintChosen(context, colour, { x, y }) {
    const [left, right, low, high] = [this.toX(x[0]), this.toX(x[1]), this.toY(y[0]), this.toY(y[1])];
    context.fillStyle = colour;
    context.globalAlpha = 0.12;
    context.fillRect(left, high, right - left, low - high);
    context.globalAlpha = 1;
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.strokeRect(left, high, right - left, low - high);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {string} ink
   * @param {string} line
   */
  paintAxes(context, ink, line) {
    const { inner, view } = this;
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.strokeRect(this.left - 0.5, EDGE.top - 0.5, inner.width + 1, inner.height + 1);
    context.fillStyle = ink;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    for (const tick of ticksOf(this.across, view.x, inner.width / 60)) {
      context.fillText(formatValue(this.across, tick), this.toX(tick), this.height - EDGE.bottom + 16);
    }
    context.textAlign = "right";
    for (const tick of ticksOf(this.up, view.y, inner.height / 60)) {
      context.fillText(formatValue(this.up, tick), this.left - 6, this.toY(tick) + 4);
    }
  }

  drawLegend() {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const ramp = element("span", { class: "ramp", "aria-hidden": "true" });
    ramp.style.background = `linear-gradient(to right, ${makeColours(dark).css.join(", ")})`;
    const faded = this.tiles?.unsure ? ` ${TEXT.faded}` : "";
    this.legend.replaceChildren(`${TEXT.fewer} `, ramp, ` ${TEXT.more}.${faded}`);
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
    } else if (distance(place, this.start.place) >= SMALLEST_DRAG) {
      this.choose(this.areaTo(place), false);
    }
  }

  /** @param {PointerEvent} event */
  release(event) {
    const place = this.place(event);
    const wanted = this.start && !this.start.move && this.pointers.size === 1;
    this.pointers.delete(event.pointerId);
    if (wanted && this.start && distance(place, this.start.place) >= SMALLEST_DRAG) {
      this.choose(this.areaTo(place), true);
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
      Enter: () => this.chooseView(),
      Escape: () => this.choose(null, true),
    };
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
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
