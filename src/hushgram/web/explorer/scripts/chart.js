/**
 * The chart of an ordered axis: bars with margins, or points where these are means, and a brush that
 * chooses a range. It can show a part of the axis only.
 *
 * @typedef {import("./groups.js").Group} Group
 * @typedef {import("./asker.js").Answer} Answer
 */
import { element, svg } from "./dom.js";
import { formatAnswer, formatShort, formatTick, ticksBetween } from "./format.js";
import { interpolate } from "./layout.js";
import { TEXT } from "./strings.js";
import { ticksOf } from "./ticks.js";

const HEIGHT = 170;
/** The height of a chart that is as wide as the page, and from which width on it is. */
const TALL = 240;
const WIDE = 700;
/** How many times as wide as another one a bar may be: bars of less even bins are drawn alike. */
const UNEVEN = 20;
const EDGE = { left: 52, right: 10, top: 8, bottom: 24 };
const SMALLEST_DRAG = 4;

export class Chart {
  /**
   * @param {import("./axes.js").Axis} axis
   * @param {Group[]} groups
   * @param {(range: [number, number] | null, done: boolean) => void} choose with places of the axis
   */
  constructor(axis, groups, choose) {
    this.axis = axis;
    this.choose = choose;
    /** @type {(Answer | undefined)[]} */
    this.answers = [];
    /** @type {[number, number] | null} */
    this.chosen = null;
    /** Whether the numbers are rows, and whether they add up: bars, else points. */
    this.look = { isRows: true, isSum: true };
    /** @type {[number, number]} */
    this.ends = [0, 1];
    /** Places where bars start, and where the last one stops. @type {number[]} */
    this.edges = [];
    this.isEven = false;
    this.groups = groups;
    this.setGroups(groups);
    this.drawing = svg("svg", { class: "chart", role: "img" });
    this.root = element("div", { class: "chart-box", title: TEXT.chartHelp });
    this.root.append(this.drawing);
    this.root.addEventListener("pointerdown", (event) => this.press(event));
    this.root.addEventListener("pointermove", (event) => this.drag(event, false));
    this.root.addEventListener("pointerup", (event) => this.drag(event, true));
    this.root.addEventListener("pointercancel", () => (this.start = undefined));
    /** Pixels, as last seen: asking the page each time would make it lay out everything. */
    this.width = 120;
    /** What stands for each group. @type {{group: Group, marks: Element[]}[]} */
    this.drawn = [];
    this.brush = svg("rect", { class: "brush" });
    new ResizeObserver(() => {
      this.width = Math.max(this.root.clientWidth, 120);
      this.draw();
    }).observe(this.root);
  }

  /** @param {Group[]} groups */
  setGroups(groups) {
    this.groups = groups;
    this.answers = [];
    this.edges = [...groups.map(({ start }) => start), groups[groups.length - 1].stop].map((position) => this.axis.place(position));
    this.ends = [this.edges[0], this.edges[groups.length]];
    const widths = groups.map((_, n) => this.edges[n + 1] - this.edges[n]);
    this.isEven = Math.max(...widths) > UNEVEN * Math.min(...widths) && this.axis.kind === "variable";
  }

  get height() {
    return this.width > WIDE ? TALL : HEIGHT;
  }

  /** @param {number} place */
  toX(place) {
    const { edges, ends } = this;
    const bars = edges.map((_, n) => n / (edges.length - 1));
    const share = this.isEven ? interpolate(place, edges, bars) : (place - ends[0]) / (ends[1] - ends[0]);
    return EDGE.left + Math.min(Math.max(share, 0), 1) * (this.width - EDGE.left - EDGE.right);
  }

  /** @param {PointerEvent} event */
  fromEvent(event) {
    const x = event.clientX - this.root.getBoundingClientRect().left;
    const share = (x - EDGE.left) / (this.width - EDGE.left - EDGE.right);
    const within = Math.min(Math.max(share, 0), 1);
    return this.isEven ? interpolate(within * this.groups.length, [...this.edges.keys()], this.edges)
      : this.ends[0] + within * (this.ends[1] - this.ends[0]);
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button > 0) return;
    this.root.setPointerCapture(event.pointerId);
    this.start = { place: this.fromEvent(event), x: event.clientX, moved: false };
  }

  /**
   * @param {PointerEvent} event
   * @param {boolean} done
   */
  drag(event, done) {
    const { start } = this;
    if (!start) return;
    start.moved ||= Math.abs(event.clientX - start.x) >= SMALLEST_DRAG;
    if (done) this.start = undefined;
    const here = this.fromEvent(event);
    if (start.moved) this.choose([Math.min(start.place, here), Math.max(start.place, here)], done);
    else if (done) this.chooseBar(here);
  }

  /**
   * A click chooses the bar that it points at, or nothing if that is chosen already.
   * @param {number} here
   */
  chooseBar(here) {
    const { axis, chosen } = this;
    const found = this.groups.find((group) => axis.place(group.start) <= here && here < axis.place(group.stop));
    if (!found || !("from" in found.asked)) return;
    const places = /** @type {[number, number]} */ ([axis.place(found.start), axis.place(found.stop)]);
    const isSame = chosen && chosen[0] === places[0] && chosen[1] === places[1];
    this.choose(isSame ? null : places, true);
  }

  draw() {
    const { answers, width, height, look } = this;
    const known = answers.flatMap((answer) => (answer ? [answer] : []));
    let [bottom, top] = look.isSum
      ? [Math.min(0, ...known.map((one) => (one.value < 0 ? one.low : one.value))), Math.max(look.isRows ? 1 : 1e-9, ...known.map((one) => one.high))]
      : [Math.min(...known.map((one) => one.low)), Math.max(...known.map((one) => one.high))];
    if (!(top > bottom)) [bottom, top] = known.length ? [bottom - 1, bottom + 1] : [0, 1];
    const inner = height - EDGE.top - EDGE.bottom;
    const toY = (/** @type {number} */ value) => EDGE.top + ((top - Math.min(Math.max(value, bottom), top)) / (top - bottom)) * inner;
    const parts = [];
    for (const tick of ticksBetween(bottom, top, 3)) {
      parts.push(svg("line", { x1: EDGE.left, x2: width - EDGE.right, y1: toY(tick), y2: toY(tick), class: tick ? "grid" : "grid zero" }));
      parts.push(svg("text", { x: EDGE.left - 6, y: toY(tick) + 4, class: "tick end" }, formatShort(tick)));
    }
    this.drawn = this.groups.flatMap((group, n) => {
      const answer = answers[n];
      return answer ? [{ group, marks: this.mark(group, answer, toY) }] : [];
    });
    parts.push(...this.drawn.flatMap(({ marks }) => marks), this.brush, ...this.labels(width));
    this.drawing.setAttribute("width", String(width));
    this.drawing.setAttribute("height", String(height));
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.drawing.setAttribute("aria-label", this.describe());
    this.drawing.replaceChildren(...parts);
    this.showChosen();
  }

  /** What is chosen, over the bars: those outside of it are pale. */
  showChosen() {
    const { axis, brush, chosen } = this;
    brush.toggleAttribute("hidden", !chosen);
    const [left, right] = chosen ? chosen.map((place) => this.toX(place)) : [0, 0];
    const sides = { x: left, width: Math.max(right - left, 1), y: EDGE.top, height: this.height - EDGE.top - EDGE.bottom };
    for (const [name, value] of Object.entries(sides)) brush.setAttribute(name, String(value));
    for (const { group, marks } of this.drawn) {
      const isOut = chosen && (axis.place(group.stop) <= chosen[0] || axis.place(group.start) >= chosen[1]);
      for (const mark of marks) mark.classList.toggle("outside", Boolean(isOut));
    }
  }

  /**
   * Below the bars: what each is called, if these are units of the calendar and there is room, else
   * values of the axis.
   * @param {number} width
   */
  labels(width) {
    const { axis, groups } = this;
    const room = (width - EDGE.left - EDGE.right) / 70;
    const text = (/** @type {number} */ x, /** @type {string} */ label) =>
      svg("text", { x: Math.min(x, width - 3.2 * label.length), y: this.height - 7, class: "tick" }, label);
    if (this.isEven) {
      const run = Math.ceil(this.edges.length / room);
      return this.edges.flatMap((edge, n) => (n % run ? [] : [text(this.toX(edge), formatTick(axis, edge))]));
    }
    if (axis.isDate) {
      const run = Math.ceil(groups.length / room);
      return groups.flatMap((group, n) => {
        if (n % run || (n && n + run > groups.length && groups.length - n < run / 2)) return [];
        const label = group.label.length > 16 ? formatTick(axis, axis.edge(group.start)) : group.label;
        return [text((this.toX(axis.place(group.start)) + this.toX(axis.place(group.stop))) / 2, label)];
      });
    }
    return ticksOf(axis, this.ends, room).map((tick) => text(this.toX(tick), formatTick(axis, tick)));
  }

  /**
   * A bar, or a point for a mean, with its margin.
   * @param {Group} group
   * @param {NonNullable<Answer>} answer
   * @param {(value: number) => number} toY
   */
  mark(group, answer, toY) {
    const { axis, look } = this;
    const [left, right] = [group.start, group.stop].map((position) => this.toX(axis.place(position)));
    const gap = right - left > 4 ? 1 : 0;
    const { value, low, high } = answer;
    const middle = (left + right) / 2;
    const text = `${group.label}: ${formatAnswer(answer, look.isRows)}`;
    const margin = svg("line", { x1: middle, x2: middle, y1: toY(high), y2: toY(low), class: "margin" });
    if (!look.isSum) {
      const radius = Math.min(Math.max((right - left) / 4, 1.6), 4);
      return [margin, svg("circle", { cx: middle, cy: toY(value), r: radius, class: "point" }, svg("title", {}, text))];
    }
    const [y, below] = [toY(Math.max(value, 0)), toY(Math.min(value, 0))];
    return [
      svg("rect", { x: left, y, width: Math.max(right - left - gap, 0.5), height: Math.max(below - y, 0.5),
        class: value < 0 ? "bar negative" : "bar" }, svg("title", {}, text)),
      margin,
    ];
  }

  describe() {
    const best = this.groups.reduce(
      (found, _, n) => ((this.answers[n]?.value ?? -Infinity) > (this.answers[found]?.value ?? -Infinity) ? n : found), 0);
    const most = this.answers[best];
    const text = most ? `${this.groups[best].label}, ${formatAnswer(most, this.look.isRows)}` : TEXT.working;
    return TEXT.chart(this.axis.name, this.groups.length, text);
  }
}
