/** What lies over the colours of a map: what is chosen, what is being drawn, and the axes around it. */
import { formatTick } from "../format.js";
import { tracePath } from "../painting.js";
import { ticksOf } from "../ticks.js";
import { EDGE, LETTER } from "./viewport.js";

/** @typedef {import("../painting.js").Frame} Frame */

/**
 * What is chosen: a box, or outlines.
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {import("../painting.js").Area | null} box
 * @param {import("../areas.js").Ring[]} rings
 * @param {{line: string, halo: string, filled: boolean}} style
 */
export function paintChosen(context, frame, box, rings, { line, halo, filled }) {
  if (box) {
    const { x, y } = box;
    const [left, right, low, high] = [frame.toX(x[0]), frame.toX(x[1]), frame.toY(y[0]), frame.toY(y[1])];
    context.beginPath();
    context.rect(left, high, right - left, low - high);
    fill(context, line);
    stroke(context, line, halo);
  }
  if (rings.length) {
    tracePath(context, frame, rings);
    if (filled) fill(context, line);
    stroke(context, line, halo);
  }
}

/**
 * The corners of an outline that is being drawn.
 * @param {CanvasRenderingContext2D} context
 * @param {import("./viewport.js").Place[]} corners
 * @param {string} line
 * @param {string} halo
 */
export function paintCorners(context, corners, line, halo) {
  if (!corners.length) return;
  context.beginPath();
  corners.forEach(({ x, y }, n) => (n ? context.lineTo(x, y) : context.moveTo(x, y)));
  stroke(context, line, halo);
  context.fillStyle = line;
  for (const { x, y } of corners.length > 40 ? corners.slice(0, 1) : corners) {
    context.beginPath();
    context.arc(x, y, 4, 0, 2 * Math.PI);
    context.fill();
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} line
 * @param {string} halo around lines, so that they can be seen on any colour
 */
function stroke(context, line, halo) {
  context.lineJoin = "round";
  for (const [width, style] of /** @type {[number, string][]} */ ([[4.5, halo], [2, line]])) {
    context.lineWidth = width;
    context.strokeStyle = style;
    context.stroke();
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} colour
 */
function fill(context, colour) {
  context.fillStyle = colour;
  context.globalAlpha = 0.12;
  context.fill("evenodd");
  context.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import("./viewport.js").Viewport} port
 * @param {import("../axes.js").Axis} across
 * @param {import("../axes.js").Axis} up
 * @param {{ink: string, line: string}} style
 */
export function paintAxes(context, port, across, up, { ink, line }) {
  const { inner, view, frame, left, height } = port;
  context.strokeStyle = line;
  context.lineWidth = 1;
  context.strokeRect(left - 0.5, EDGE.top - 0.5, inner.width + 1, inner.height + 1);
  context.fillStyle = ink;
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  const longest = Math.max(...view.x.map((end) => formatTick(across, end).length));
  for (const tick of ticksOf(across, view.x, inner.width / Math.max(LETTER * longest + 14, 60))) {
    const text = formatTick(across, tick);
    const half = context.measureText(text).width / 2;
    context.fillText(text, Math.min(Math.max(frame.toX(tick), half), port.width - half), height - EDGE.bottom + 16);
  }
  context.textAlign = "right";
  for (const tick of ticksOf(up, view.y, inner.height / 60)) {
    context.fillText(formatTick(up, tick), left - 6, frame.toY(tick) + 4);
  }
}
