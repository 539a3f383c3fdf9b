/** The errors to expect by ε: a band on two logarithmic scales, and the same as a table. */
import { button, element, svg } from "../../explorer/scripts/dom.js";
import { LANGUAGE, TEXT } from "./strings.js";

/** @typedef {{epsilon: string, errors: Record<string, [number, number]>, half_widths: Record<string, [number, number]>}} Point */

const WIDTH = 640;
const HEIGHT = 240;
const EDGE = { left: 62, right: 16, top: 12, bottom: 34 };

/** @param {string} text such as 0.1 or 1/3 */
export function numberOf(text) {
  const [above, below] = text.split("/").map(Number);
  return below ? above / below : above;
}

/** @param {number} value */
export function twoDigits(value) {
  const rounded = Number(value.toPrecision(2));
  return rounded.toLocaleString(LANGUAGE, { maximumFractionDigits: rounded < 10 ? 1 : 0 });
}

/**
 * @param {Point[]} points
 * @param {string} size
 * @param {string} chosen
 * @param {(epsilon: string) => void} choose
 */
export function drawCurve(points, size, chosen, choose) {
  const places = points.map((one) => {
    const [low, high] = one.errors[size].map((end) => Math.max(end, 0.05));
    return { epsilon: one.epsilon, x: Math.log10(numberOf(one.epsilon)), low: Math.log10(low), high: Math.log10(high) };
  });
  const [left, right] = [Math.min(-1.6, ...places.map((one) => one.x)), Math.max(0.6, ...places.map((one) => one.x))];
  const bottom = Math.floor(Math.min(...places.map((one) => one.low)));
  const top = Math.max(Math.ceil(Math.max(...places.map((one) => one.high))), bottom + 1);
  const toX = (/** @type {number} */ x) => EDGE.left + ((x - left) / (right - left)) * (WIDTH - EDGE.left - EDGE.right);
  const toY = (/** @type {number} */ y) => EDGE.top + ((top - y) / (top - bottom)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const name = TEXT.ofAll[size] ?? size;
  const drawing = svg("svg", { class: "chart curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": TEXT.curve(name) });
  for (let power = bottom; power <= top; power++) {
    drawing.append(svg("line", { x1: EDGE.left, x2: WIDTH - EDGE.right, y1: toY(power), y2: toY(power), class: "grid" }),
      svg("text", { x: EDGE.left - 6, y: toY(power) + 4, class: "tick end" }, twoDigits(10 ** power)));
  }
  drawing.append(svg("text", { x: 12, y: HEIGHT / 2, class: "tick", transform: `rotate(-90 12 ${HEIGHT / 2})` }, TEXT.errorRows));
  const ring = [...places.map((one) => [toX(one.x), toY(one.high)]), ...[...places].reverse().map((one) => [toX(one.x), toY(one.low)])];
  drawing.append(svg("polygon", { points: ring.map((pair) => pair.join(",")).join(" "), class: "band" }));
  for (const one of places) {
    const active = numberOf(one.epsilon) === numberOf(chosen);
    drawing.append(
      svg("line", { x1: toX(one.x), x2: toX(one.x), y1: toY(one.low), y2: toY(one.high), class: active ? "reach chosen" : "reach" }),
      svg("text", { x: toX(one.x), y: HEIGHT - 12, class: active ? "tick chosen" : "tick" }, `ε = ${one.epsilon}`),
      svg("rect", { x: toX(one.x) - 18, width: 36, y: EDGE.top, height: HEIGHT - EDGE.top - 4, class: "hit",
        onclick: () => choose(one.epsilon) }, svg("title", {}, TEXT.useEpsilon(one.epsilon))));
  }
  return drawing;
}

/**
 * The same numbers, for those who do not see the curve or want to choose by keyboard.
 * @param {Point[]} points
 * @param {string} size
 * @param {string} chosen
 * @param {(epsilon: string) => void} choose
 */
export function curveTable(points, size, chosen, choose) {
  const range = (/** @type {[number, number]} */ ends) => TEXT.range(twoDigits(ends[0]), twoDigits(ends[1]));
  return element("table", { class: "points" },
    element("thead", {}, element("tr", {}, ...["ε", TEXT.errorRows, TEXT.marginRows, ""].map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...points.map((one) => element("tr", {},
      element("th", { scope: "row" }, one.epsilon),
      element("td", {}, range(one.errors[size])),
      element("td", {}, range(one.half_widths[size])),
      element("td", {}, button(TEXT.useEpsilon(one.epsilon), () => choose(one.epsilon),
        { "aria-pressed": String(numberOf(one.epsilon) === numberOf(chosen)) }))))));
}
