/**
 * A question as text: in the address of the page, on the command line, in Python and in words.
 *
 * @typedef {import("./release.js").Release} Release
 * @typedef {import("./release.js").Asking} Asking
 * @typedef {import("./axes.js").Asked} Asked
 * @typedef {import("./axes.js").Axis} Axis
 */
import { TRICKY, shorten } from "./dom.js";
import { TEXT } from "./strings.js";

const USUAL = 0.95;
const KEYWORDS = new Set(
  ("False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield " +
    "confidence self table").split(" "),
);

/**
 * The fragment of a link.
 * @param {Release} release
 * @param {Asking} asking
 * @param {number} level
 */
export function toFragment(release, asking, level) {
  const words = named(release, asking).map(([axis, asked]) => {
    const text =
      "values" in asked
        ? asked.values.map((value) => encodeURIComponent(value)).join(",")
        : [asked.from, asked.to].map((end) => (end === null ? "" : axis.format(end))).join("..");
    return `${encodeURIComponent(axis.name)}=${text}`;
  });
  if (level !== USUAL) words.push(`=${level}`);
  return words.join("&");
}

/**
 * What a fragment asks; what cannot be read is left out.
 * @param {Release} release
 * @param {string} fragment
 * @returns {{asking: Asking, level: number}}
 */
export function fromFragment(release, fragment) {
  /** @type {Asking} */
  const asking = {};
  let level = USUAL;
  for (const word of fragment.replace(/^#/, "").split("&")) {
    const [name, text] = split(word);
    if (name === "" && text) level = Number(text) || USUAL;
    const axis = release.axes.find((one) => one.name === name);
    if (!axis || text === null) continue;
    const asked = readAsked(axis, text);
    if (asked) asking[axis.name] = asked;
  }
  return { asking, level };
}

/**
 * @param {string} word
 * @returns {[string, string | null]}
 */
function split(word) {
  const place = word.indexOf("=");
  try {
    return [decodeURIComponent(word.slice(0, Math.max(place, 0))), place < 0 ? null : word.slice(place + 1)];
  } catch {
    return ["", null];
  }
}

/**
 * @param {Axis} axis
 * @param {string} text
 * @returns {Asked}
 */
function readAsked(axis, text) {
  try {
    if (!axis.ordered || text === "other") {
      const values = text.split(",").map(decodeURIComponent).filter((value) => axis.indexOf(value) >= 0);
      return values.length ? { values } : null;
    }
    const [from, to] = text.split("..").map((end) => (end === "" ? null : axis.parse(decodeURIComponent(end))));
    if (from === undefined || to === undefined || Number.isNaN(from) || Number.isNaN(to)) return null;
    return checkRange(axis, from, to);
  } catch {
    return null;
  }
}

/**
 * A range, if some of it lies on the axis.
 * @param {Axis} axis
 * @param {number | null} from
 * @param {number | null} to
 * @returns {Asked}
 */
export function checkRange(axis, from, to) {
  if (from === null && to === null) return null;
  const [start, stop] = [axis.position(from ?? -Infinity), axis.position(to ?? Infinity)];
  return start < stop ? { from, to } : null;
}

/**
 * The equivalent command; null if the command line has no words for it.
 * @param {Release} release
 * @param {Asking} asking
 * @param {number} level
 */
export function toCommand(release, asking, level) {
  const words = [];
  for (const [axis, asked] of named(release, asking)) {
    const text = commandText(axis, asked);
    if (text === null || /[=]/.test(axis.name) || axis.name !== axis.name.trim()) return null;
    words.push(`${axis.name}=${text}`);
  }
  if (words.some((word) => TRICKY.test(word)) || TRICKY.test(release.file)) return null;
  const file = release.file.startsWith("-") ? `./${release.file}` : release.file;
  const option = level === USUAL ? [] : ["--confidence", String(level)];
  const marked = words.some((word) => word.startsWith("-")) ? ["--", ...words] : words;
  return ["hushgram", "count", file, ...option, ...marked].map(quote).join(" ");
}

/**
 * @param {Axis} axis
 * @param {NonNullable<Asked>} asked
 */
function commandText(axis, asked) {
  if ("values" in asked) {
    const texts = asked.values.map(String);
    return texts.some((text) => text === "" || text !== text.trim() || text.includes(",")) ? null : texts.join(",");
  }
  const { from, to } = asked;
  if (!axis.isDate) return `${from ?? ""}:${to ?? ""}`;
  if (to === null) return `${axis.format(from ?? axis.edge(0))}..`;
  const stop = axis.position(to);
  if (stop !== Math.floor(stop)) return null;
  return `${from === null ? "" : axis.format(from)}..${axis.format(axis.edge(stop - 1))}`;
}

/** @param {string} word */
function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

/**
 * The equivalent in Python.
 * @param {Release} release
 * @param {Asking} asking
 * @param {number} level
 */
export function toPython(release, asking, level) {
  const pairs = named(release, asking).map(([axis, asked]) => [axis.name, pythonValue(axis, asked)]);
  const plain = pairs.every(([name]) => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name));
  const words = plain
    ? pairs.map(([name, value]) => `${name}=${value}`)
    : [`{${pairs.map(([name, value]) => `${pythonText(name)}: ${value}`).join(", ")}}`];
  if (level !== USUAL) words.push(`confidence=${level}`);
  return (
    `import hushgram as hg\nrelease = hg.load(${pythonText(release.file)})\n` +
    `print(release.count(${words.join(", ")}))`
  );
}

/**
 * @param {Axis} axis
 * @param {NonNullable<Asked>} asked
 */
function pythonValue(axis, asked) {
  if ("values" in asked) {
    const type = axis.described.type;
    const values = asked.values.map((value) => {
      if (type === "bool" && value !== "other") return value === "true" ? "True" : "False";
      return type === "int" && value !== "other" ? String(value) : pythonText(String(value));
    });
    return values.length === 1 ? values[0] : `[${values.join(", ")}]`;
  }
  const ends = [asked.from, asked.to].map((end) => {
    if (end === null) return "None";
    return axis.isDate ? pythonText(axis.format(end)) : String(end);
  });
  return `(${ends.join(", ")})`;
}

/** @param {string} text */
function pythonText(text) {
  const escaped = JSON.stringify(text);
  return [...escaped]
    .map((letter) => (TRICKY.test(letter) ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}` : letter))
    .join("");
}

/**
 * What is asked, as a list of short texts with the names of their axes.
 * @param {Release} release
 * @param {Asking} asking
 */
export function inWords(release, asking) {
  return named(release, asking).map(([axis, asked]) => ({ name: axis.name, text: rangeText(axis, asked) }));
}

/**
 * @param {Axis} axis
 * @param {NonNullable<Asked>} asked
 */
export function rangeText(axis, asked) {
  if ("values" in asked) {
    const shown = asked.values.slice(0, 6).map((value) => shorten(String(value), 30));
    const rest = asked.values.length - shown.length;
    return shown.join(", ") + (rest > 0 ? ` + ${rest}` : "");
  }
  const from = asked.from ?? axis.edge(0);
  const to = asked.to ?? axis.edge(axis.declared);
  if (axis.isWhole) return from === to - 1 ? String(from) : `${from} to ${to - 1}`;
  return `${axis.format(from)} to ${axis.format(to)}`;
}

/**
 * @param {Release} release
 * @param {Asking} asking
 * @returns {[Axis, NonNullable<Asked>][]}
 */
function named(release, asking) {
  return release.axes.flatMap((axis) => {
    const asked = asking[axis.name];
    return asked ? [/** @type {[Axis, NonNullable<Asked>]} */ ([axis, asked])] : [];
  });
}

/**
 * What is asked of an axis, in words for people.
 * @param {Release} release
 * @param {Asking} asking
 */
export function questionText(release, asking) {
  const words = inWords(release, asking);
  return words.length ? words.map(({ name, text }) => `${shorten(name, 30)}: ${text}`).join(" · ") : TEXT.everything;
}
