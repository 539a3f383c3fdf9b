/** Numbers for people. */
import { LANGUAGE } from "./strings.js";

const WHOLE = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });

/**
 * A number of rows: rounded as the library rounds it, halves to even.
 * @param {number} number
 */
export function formatRows(number) {
  if (!(Math.abs(number) < 1e18)) return String(number);
  const down = Math.floor(number);
  const rounded = number - down === 0.5 ? down + (Math.abs(down) % 2) : Math.round(number);
  return WHOLE.format(rounded === 0 ? 0 : rounded);
}

/** @param {number} level */
export function formatLevel(level) {
  return `${Number((100 * level).toPrecision(10))} %`;
}

/**
 * A value of an axis, short enough for a label.
 * @param {import("./axes.js").Axis} axis
 * @param {number} value
 */
export function formatValue(axis, value, digits = 6) {
  return axis.isDate || axis.isWhole ? axis.format(value) : String(Number(value.toPrecision(digits)));
}

/**
 * Round values between two ends, for the ticks of an axis.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 */
export function ticksBetween(low, high, most) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const found = [];
  for (let n = Math.ceil(low / step); n * step <= high * (1 + 1e-12); n++) {
    found.push(Number((n * step).toPrecision(12)));
  }
  return found;
}
