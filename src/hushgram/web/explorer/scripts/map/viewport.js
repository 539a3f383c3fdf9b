/**
 * The part of a map that is seen: moved, enlarged, and shaped like its canvas.
 *
 * @typedef {import("../painting.js").Area} Area in the units in which axes are drawn
 * @typedef {{x: number, y: number}} Place on the canvas
 */
import { Frame } from "../painting.js";

export const EDGE = { left: 40, right: 12, top: 10, bottom: 30 };
/** How wide a letter of a label is. */
export const LETTER = 7;
const NARROWEST = 1e-6;

export class Viewport {
  constructor() {
    /** Pixels of the page at the left, for labels. */
    this.left = EDGE.left;
    this.width = 0;
    this.height = 0;
    this.ratio = 1;
    /** How much longer a unit up is than one across, if that is fixed. @type {number | null} */
    this.stretch = null;
    /** @type {Area} */
    this.whole = { x: [0, 1], y: [0, 1] };
    /** What somebody wants to see, which a canvas of any shape shows. */
    this.wanted = this.whole;
    this.view = this.whole;
  }

  get inner() {
    const { width, height } = this;
    return { width: Math.max(width - this.left - EDGE.right, 1), height: Math.max(height - EDGE.top - EDGE.bottom, 1) };
  }

  get frame() {
    return new Frame(this.view, { left: this.left, top: EDGE.top, ...this.inner, ratio: this.ratio });
  }

  /**
   * @param {Area} whole
   * @param {number | null} stretch
   * @param {number} left
   */
  setWhole(whole, stretch, left) {
    Object.assign(this, { whole, stretch, left: Math.max(EDGE.left, left) });
    this.showAll();
  }

  /** @param {number} width */
  resize(width) {
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    this.width = width;
    this.height = this.chooseHeight(width);
    this.view = this.fit(this.wanted);
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

  /** How much of each axis a pixel is. @returns {[number, number]} */
  get fine() {
    const { view, inner } = this;
    return [(view.x[1] - view.x[0]) / inner.width, (view.y[1] - view.y[0]) / inner.height];
  }

  /** What is seen of the whole. @returns {Area} */
  get visible() {
    const clip = (/** @type {[number, number]} */ [low, high], /** @type {[number, number]} */ whole) =>
      /** @type {[number, number]} */ ([Math.max(low, whole[0]), Math.min(high, whole[1])]);
    return { x: clip(this.view.x, this.whole.x), y: clip(this.view.y, this.whole.y) };
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
    this.wanted = this.view = { x: move(this.view.x, x, this.whole.x), y: move(this.view.y, y, this.whole.y) };
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
    this.wanted = this.view = { x: scale(view.x, kept.x), y: scale(view.y, kept.y) };
    return undefined;
  }

  showAll() {
    this.wanted = this.whole;
    this.view = this.fit(this.wanted);
  }
}
