/** Numbers for people. */
import { LANGUAGE, TEXT } from "./strings.js";

const WHOLE = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
const TICK = new Intl.NumberFormat(LANGUAGE, { notation: "compact", maximumSignificantDigits: 6 });
const SHORT = new Intl.NumberFormat(LANGUAGE, { notation: "compact", maximumSignificantDigits: 3 });

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

/**
 * A number with as many digits as its margin deserves.
 * @param {number} number
 * @param {number} margin
 */
export function formatTo(number, margin) {
  const size = margin > 0 ? margin : Math.max(Math.abs(number), 1) / 1000;
  const digits = Math.min(Math.max(1 - Math.floor(Math.log10(size)), 0), 10);
  const rounded = Number(number.toFixed(digits));
  return new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: digits }).format(rounded === 0 ? 0 : rounded);
}

/**
 * A number to some digits, as the library writes sums and means.
 * @param {number} number
 * @param {number} digits
 */
export function formatDigits(number, digits) {
  const rounded = Number(number.toExponential(digits - 1));
  const size = Math.abs(rounded);
  if (size >= 1e18 || (size && size < 1e-4)) return String(rounded);
  if (size >= 10 ** (digits - 1)) return WHOLE.format(rounded);
  return new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: digits }).format(rounded === 0 ? 0 : rounded);
}

/**
 * A number that is short, whatever its size: 1.2M, 0.034.
 * @param {number} number
 */
export function formatShort(number) {
  if (Math.abs(number) >= 10000) return SHORT.format(number);
  if (number && Math.abs(number) < 1e-4) return String(Number(number.toPrecision(3)));
  return new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: 3 }).format(number);
}

/**
 * The value and the ends of the interval.
 * @param {import("./asker.js").Answer} answer
 * @param {boolean} isRows
 * @returns {[string, string, string]}
 */
export function formatParts(answer, isRows) {
  if (!answer) return [TEXT.unknown, "", ""];
  const { value, low, high } = answer;
  const each = isRows ? formatRows : (/** @type {number} */ number) => formatDigits(number, 6);
  return [each(value), each(low), each(high)];
}

/**
 * A number with its margin, or with the ends of its interval where these are not equally far.
 * @param {import("./asker.js").Answer} answer
 * @param {boolean} isRows
 */
export function formatAnswer(answer, isRows) {
  const [value, low, high] = formatParts(answer, isRows);
  if (!answer) return value;
  const [down, up] = [answer.value - answer.low, answer.high - answer.value];
  const isEven = Math.abs(up - down) <= 1e-6 * Math.max(up, down, 1e-300);
  if (!isEven) return TEXT.fromTo(value, low, high);
  return TEXT.rows(value, isRows ? formatRows(up) : formatDigits(up, 3));
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
  if (axis.isDate) return axis.format(value).replace("T", " ");
  return axis.isWhole ? axis.format(value) : String(Number(value.toPrecision(digits)));
}

/**
 * The same for a mark beside others: large numbers are short.
 * @param {import("./axes.js").Axis} axis
 * @param {number} value
 */
export function formatTick(axis, value) {
  return axis.isReal && Math.abs(value) >= 10000 ? TICK.format(value) : formatValue(axis, value);
}

/**
 * Both ends of a range, in as few digits as tell them apart. The day of two times is named once.
 * @param {import("./axes.js").Axis} axis
 * @param {number} from
 * @param {number} to
 */
export function formatEnds(axis, from, to) {
  const size = Math.max(Math.abs(from), Math.abs(to)) / Math.max(to - from, 1e-300);
  const digits = Math.min(Math.max(Math.ceil(Math.log10(Math.max(size, 1))) + 3, 6), 15);
  const [start, stop] = [from, to].map((end) => formatValue(axis, end, digits));
  const isOneDay = axis.isDate && stop.length > 10 && start.slice(0, 10) === stop.slice(0, 10);
  return TEXT.range(start, isOneDay ? stop.slice(11) : stop);
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
  const first = Math.ceil(low / step);
  const many = Math.min(Math.floor(high / step + 1e-9) - first + 1, 2 * most); // far from zero, steps get lost in rounding
  return Array.from({ length: Math.max(many, 0) }, (_, n) => Number(((first + n) * step).toPrecision(12)));
}
