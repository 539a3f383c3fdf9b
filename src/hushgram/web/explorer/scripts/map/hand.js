/**
 * What a hand does on a map: it moves and enlarges it, chooses boxes and areas, and draws outlines, with a
 * mouse, with fingers, or with keys.
 *
 * @typedef {import("../painting.js").Area} Area
 * @typedef {import("../areas.js").Ring} Ring
 * @typedef {import("./viewport.js").Place} Place
 */
import { distance, middle, thin } from "./strokes.js";

const SMALLEST_DRAG = 5;
/** Pixels between the points of an outline that is drawn by hand. */
const STROKE = 4;

export class Hand {
  /** @param {import("../map.js").MapView} map */
  constructor(map) {
    this.map = map;
    this.port = map.port;
    /** The corners of an outline that is being drawn. @type {Place[]} */
    this.corners = [];
    /** @type {Map<number, Place>} */
    this.pointers = new Map();
    /** @type {{place: Place, move: boolean} | null} */
    this.start = null;
    /** Whether the pointer has moved since it was pressed. */
    this.dragged = false;
    this.listen();
  }

  listen() {
    const { canvas } = this.map;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", (event) => this.release(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => (this.corners.length ? this.closeOutline() : this.map.choose(null, true)));
  }

  /** @param {MouseEvent} event */
  place(event) {
    const frame = this.map.canvas.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button > 0) return;
    this.map.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.place(event));
    const move = event.shiftKey || this.map.mode === "move" || this.pointers.size > 1;
    this.start = { place: this.place(event), move };
    this.dragged = false;
    if (move) this.corners = [];
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const place = this.place(event);
    if (!this.pointers.has(event.pointerId) || !this.start) {
      const { x, y } = this.port.fromPlace(place);
      this.map.status.textContent = this.map.hover(x, y);
      return;
    }
    const before = /** @type {Place} */ (this.pointers.get(event.pointerId));
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    this.pointers.set(event.pointerId, place);
    if (others.length) {
      const [was, is] = [distance(before, others[0]), distance(place, others[0])];
      if (is > 10) this.map.zoom(was / is, middle(place, others[0]));
    } else if (this.start.move) {
      const [from, to] = [this.port.fromPlace(before), this.port.fromPlace(place)];
      this.map.shift(from.x - to.x, from.y - to.y);
    } else if (this.dragged || distance(place, this.start.place) >= SMALLEST_DRAG) {
      this.dragged = true;
      if (this.map.mode === "outline") this.drawTo(place);
      else this.map.choose(this.areaTo(place), false);
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
    this.map.draw();
    if (this.corners.length > 2) this.map.chooseRing(this.ringOf(this.corners), false);
  }

  /**
   * A click: a corner of an outline, or an area that was drawn.
   * @param {Place} place
   */
  click(place) {
    const { x, y } = this.port.fromPlace(place);
    if (this.map.mode === "outline") {
      const { corners } = this;
      if (corners.length > 2 && distance(place, corners[0]) < 2 * SMALLEST_DRAG) return this.closeOutline();
      if (!corners.length || distance(place, corners[corners.length - 1]) > 2) corners.push(place);
      return this.map.draw();
    }
    if (this.map.mode === "box" && this.map.content?.kind === "shapes") {
      const found = this.map.content.shapes.at(x, y);
      if (found >= 0) this.map.chooseShape(found);
    }
    return undefined;
  }

  closeOutline() {
    const corners = thin(this.corners, 1.5);
    this.corners = [];
    if (corners.length > 2) this.map.chooseRing(this.ringOf(corners), true);
    this.map.draw();
  }

  /**
   * @param {Place[]} corners
   * @returns {Ring}
   */
  ringOf(corners) {
    const places = corners.map((corner) => this.port.fromPlace(corner));
    return { xs: places.map(({ x }) => x), ys: places.map(({ y }) => y), sign: 1 };
  }

  /** @param {PointerEvent} event */
  release(event) {
    const place = this.place(event);
    const wanted = this.start && !this.start.move && this.pointers.size === 1;
    this.pointers.delete(event.pointerId);
    if (wanted && this.start) {
      if (!this.dragged) this.click(place);
      else if (this.map.mode === "outline") this.closeOutline();
      else this.map.choose(this.areaTo(place), true);
    }
    this.start = null;
  }

  /**
   * @param {Place} place
   * @returns {Area}
   */
  areaTo(place) {
    const [a, b] = [this.port.fromPlace(this.start?.place ?? place), this.port.fromPlace(place)];
    return {
      x: [Math.min(a.x, b.x), Math.max(a.x, b.x)],
      y: [Math.min(a.y, b.y), Math.max(a.y, b.y)],
    };
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.map.canvas) return;
    event.preventDefault();
    this.map.zoom(1.0015 ** event.deltaY, this.place(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { view } = this.port;
    const [x, y] = [view.x[1] - view.x[0], view.y[1] - view.y[0]];
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.map.shift(-x / 8, 0),
      ArrowRight: () => this.map.shift(x / 8, 0),
      ArrowUp: () => this.map.shift(0, y / 8),
      ArrowDown: () => this.map.shift(0, -y / 8),
      "+": () => this.map.zoom(0.6),
      "=": () => this.map.zoom(0.6),
      "-": () => this.map.zoom(1 / 0.6),
      0: () => this.map.showAll(),
      Enter: () => (this.corners.length ? this.closeOutline() : this.map.chooseView()),
      Escape: () => this.escape(),
      Backspace: () => {
        this.corners.pop();
        this.map.draw();
      },
    };
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  escape() {
    if (!this.corners.length) return this.map.choose(null, true);
    this.corners = [];
    return this.map.draw();
  }
}
