/**
 * The chart of an ordered axis: bars with margins, and a brush that chooses a range.
 *
 * @typedef {import("./groups.js").Group} Group
 * @typedef {import("./counts.js").Answer} Answer
 */
import { element, svg } from "./dom.js";
import { formatRows, formatValue, ticksBetween } from "./format.js";
import { ticksOf } from "./map.js";
import { TEXT } from "./strings.js";

const HEIGHT = 150;
const EDGE = { left: 52, right: 10, top: 8, bottom: 22 };

export class Chart {
  /**
   * @param {import("./axes.js").Axis} axis
   * @param {Group[]} groups
   * @param {(range: [number, number] | null, done: boolean) => void} choose with places of the axis
   */
  constructor(axis, groups, choose) {
    this.axis = axis;
    this.groups = groups;
    this.choose = choose;
    /** @type {(Answer | undefined)[]} */
    this.answers = [];
    /** @type {[number, number] | null} */
    this.chosen = null;
    this.ends = /** @type {[number, number]} */ ([axis.place(0), axis.place(axis.size)]);
    this.drawing = svg("svg", { class: "chart", role: "img", height: HEIGHT });
    this.root = element("div", { class: "chart-box", title: TEXT.chartHelp });
    this.root.append(this.drawing);
    this.root.addEventListener("pointerdown", (event) => this.press(event));
    this.root.addEventListener("pointermove", (event) => this.drag(event, false));
    this.root.addEventListener("pointerup", (event) => this.drag(event, true));
    this.root.addEventListener("dblclick", () => this.choose(null, true));
    new ResizeObserver(() => this.draw()).observe(this.root);
  }

  get width() {
    return Math.max(this.root.clientWidth, 120);
  }

  /** @param {number} place */
  toX(place) {
    const share = (place - this.ends[0]) / (this.ends[1] - this.ends[0]);
    return EDGE.left + share * (this.width - EDGE.left - EDGE.right);
  }

  /** @param {PointerEvent} event */
  fromEvent(event) {
    const x = event.clientX - this.root.getBoundingClientRect().left;
    const share = (x - EDGE.left) / (this.width - EDGE.left - EDGE.right);
    return this.ends[0] + Math.min(Math.max(share, 0), 1) * (this.ends[1] - this.ends[0]);
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button > 0) return;
    this.root.setPointerCapture(event.pointerId);
    this.start = { place: this.fromEvent(event), x: event.clientX };
  }

  /**
   * @param {PointerEvent} event
   * @param {boolean} done
   */
  drag(event, done) {
    if (!this.start) return;
    const { place, x } = this.start;
    if (done) this.start = undefined;
    if (Math.abs(event.clientX - x) < 4) return;
    const here = this.fromEvent(event);
    this.choose([Math.min(place, here), Math.max(place, here)], done);
  }

  draw() {
    const { answers, axis, width } = this;
    const known = answers.flatMap((answer) => (answer ? [answer] : []));
    const top = Math.max(1, ...known.map((one) => one.value + one.width));
    const bottom = Math.min(0, ...known.map((one) => one.value));
    const inner = HEIGHT - EDGE.top - EDGE.bottom;
    const toY = (/** @type {number} */ value) => EDGE.top + ((top - value) / (top - bottom)) * inner;
    const parts = [];
    for (const tick of ticksBetween(bottom, top, 3)) {
      parts.push(svg("line", { x1: EDGE.left, x2: width - EDGE.right, y1: toY(tick), y2: toY(tick), class: "grid" }));
      parts.push(svg("text", { x: EDGE.left - 5, y: toY(tick) + 4, class: "tick end" }, formatRows(tick)));
    }
    this.groups.forEach((group, n) => {
      const answer = answers[n];
      if (answer) parts.push(...this.bar(group, answer, toY));
    });
    if (this.chosen) {
      const [left, right] = this.chosen.map((place) => this.toX(place));
      parts.push(svg("rect", { x: left, width: Math.max(right - left, 1), y: EDGE.top, height: inner, class: "brush" }));
    }
    for (const tick of ticksOf(axis, this.ends, (width - EDGE.left - EDGE.right) / 80)) {
      parts.push(svg("text", { x: this.toX(tick), y: HEIGHT - 6, class: "tick" }, formatValue(axis, tick)));
    }
    this.drawing.setAttribute("width", String(width));
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.drawing.setAttribute("aria-label", this.describe());
    this.drawing.replaceChildren(...parts);
  }

  /**
   * @param {Group} group
   * @param {Answer} answer
   * @param {(value: number) => number} toY
   */
  bar(group, answer, toY) {
    const [left, right] = [group.start, group.stop].map((position) => this.toX(this.axis.place(position)));
    const gap = right - left > 4 ? 1 : 0;
    const { value, width } = answer;
    const [high, low] = [toY(Math.max(value, 0)), toY(Math.min(value, 0))];
    const middle = (left + right) / 2;
    const text = `${group.label}: ${TEXT.rows(formatRows(value), formatRows(width))}`;
    const outside = this.chosen && (this.axis.place(group.stop) <= this.chosen[0] || this.axis.place(group.start) >= this.chosen[1]);
    return [
      svg("rect", { x: left, y: high, width: Math.max(right - left - gap, 0.5), height: Math.max(low - high, 0.5),
        class: outside ? "bar outside" : "bar" }, svg("title", {}, text)),
      svg("line", { x1: middle, x2: middle, y1: toY(value + width), y2: Math.min(toY(value - width), HEIGHT - EDGE.bottom),
        class: "margin" }),
    ];
  }

  describe() {
    const best = this.groups.reduce(
      (found, _, n) => ((this.answers[n]?.value ?? -Infinity) > (this.answers[found]?.value ?? -Infinity) ? n : found), 0);
    const most = this.answers[best];
    const text = most ? `${this.groups[best].label}, ${TEXT.rows(formatRows(most.value), formatRows(most.width))}` : TEXT.working;
    return TEXT.chart(this.axis.name, this.groups.length, text);
  }
}
