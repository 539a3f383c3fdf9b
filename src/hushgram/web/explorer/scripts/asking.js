/**
 * A question as text: in the address of the page, on the command line, in Python and in words.
 *
 * @typedef {import("./release.js").Release} Release
 * @typedef {import("./release.js").Asking} Asking
 * @typedef {import("./axes.js").Asked} Asked
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./areas.js").Outline} Outline
 * @typedef {import("./asker.js").Asker} Asker
 */
import { crossesItself, enclosed } from "./areas.js";
import { ROWS } from "./asker.js";
import { TRICKY, shorten } from "./dom.js";
import { TEXT } from "./strings.js";

const USUAL = 0.95;
const KEYWORDS = new Set(
  ("False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield " +
    "confidence self table").split(" "),
);

/**
 * The fragment of a link. Words that start with @ are about all of the page; names of axes never do,
 * since @ is escaped in them.
 * @param {Asker} asker
 */
export function toFragment({ release, asking, confidence, outline, what, shown, isChange }) {
  const words = named(release, asking).map(([axis, asked]) => {
    const text =
      "values" in asked
        ? asked.values.map((value) => encodeURIComponent(value)).join(",")
        : [asked.from, asked.to].map((end) => (end === null ? "" : axis.format(end))).join("..");
    return `${encodeURIComponent(axis.name)}=${text}`;
  });
  if (outline) words.push(outlineWord(outline));
  if (what.kind !== "rows") words.push(`@show=${what.kind}:${encodeURIComponent(release.measures[what.place].name)}`);
  if (isChange) words.push(`@change=${shown}`);
  else if (shown) words.push(`@release=${shown}`);
  if (confidence.level !== USUAL) words.push(`=${confidence.level}`);
  return words.join("&");
}

/** @param {Outline} outline */
function outlineWord({ axes, rings, name }) {
  if (name !== null) return `@area=${encodeURIComponent(name)}`;
  const [{ xs, ys }] = rings;
  return `@outline=${axes.map(encodeURIComponent).join(",")}:${xs.map((x, n) => `${x},${ys[n]}`).join(";")}`;
}

/**
 * Ask what a fragment asks; what cannot be read is left out.
 * @param {Asker} asker
 * @param {string} fragment
 */
export function readFragment(asker, fragment) {
  const { contents } = asker;
  const [first] = contents.releases;
  asker.asking = {};
  asker.outline = null;
  asker.what = ROWS;
  [asker.shown, asker.isChange] = [0, false];
  let level = USUAL;
  for (const word of fragment.replace(/^#/, "").split("&")) {
    const [name, text] = split(word);
    if (text === null) continue;
    if (word.startsWith("@")) readAbout(asker, name, text);
    else if (name === "") level = Number(text) || USUAL;
    const axis = word.startsWith("@") ? undefined : first.axes.find((one) => one.name === name);
    const asked = axis && readAsked(axis, text);
    if (axis && asked) asker.asking[axis.name] = asked;
  }
  const outline = /** @type {Outline | null} */ (asker.outline);
  for (const name of outline?.axes ?? []) delete asker.asking[name];
  asker.confidence = contents.confidence(level);
}

/**
 * @param {Asker} asker
 * @param {string} name
 * @param {string} text
 */
function readAbout(asker, name, text) {
  const { contents } = asker;
  const [first] = contents.releases;
  try {
    if (name === "@area") asker.outline = contents.shapes?.find(decodeURIComponent(text)) ?? null;
    if (name === "@outline") asker.outline = readOutline(first, text);
    const shown = Number(text);
    if ((name === "@release" || name === "@change") && contents.releases[shown]) {
      [asker.shown, asker.isChange] = [shown, name === "@change" && shown > 0];
    }
    if (name !== "@show") return;
    const [kind, column] = text.split(":").map(decodeURIComponent);
    const place = first.measures.findIndex((one) => one.name === column);
    if (place >= 0 && (kind === "sum" || kind === "mean")) asker.what = { kind, place };
  } catch {
    // What cannot be read is left out.
  }
}

/**
 * Corners of an outline as text: `lon,lat:2,48;3,49;2.5,50`, of which the axes may be left out.
 * @param {Release} release
 * @param {string} text
 * @returns {Outline | null}
 */
export function readOutline(release, text) {
  const place = text.indexOf(":");
  const axes = text.slice(0, Math.max(place, 0)).split(",").map(decodeURIComponent);
  const known = axes.every((name) => release.axes.some((axis) => axis.name === name && axis.isReal));
  if (axes.length !== 2 || axes[0] === axes[1] || !known) return null;
  const corners = text.slice(place + 1).split(";").map((corner) => corner.split(",").map(Number));
  if (corners.length < 3 || corners.some((corner) => corner.length !== 2 || !corner.every(Number.isFinite))) return null;
  const ring = { xs: corners.map(([x]) => x), ys: corners.map(([, y]) => y), sign: 1 };
  if (crossesItself(ring) || !enclosed(ring)) return null;
  return { axes: /** @type {[string, string]} */ (axes), rings: [ring], name: null, file: null };
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
 * The equivalent command; null if the command line cannot write the question.
 * @param {Asker} asker
 * @param {Release} release
 * @param {import("./shapes.js").Shapes | null} shapes
 */
export function toCommand({ asking, confidence, outline, what }, release, shapes) {
  const words = [];
  for (const [axis, asked] of named(release, asking)) {
    const text = commandText(axis, asked);
    if (text === null || /[=]/.test(axis.name) || axis.name !== axis.name.trim()) return null;
    words.push(`${axis.name}=${text}`);
  }
  const column = what.kind === "rows" ? "" : release.measures[what.place].name;
  if ([...words, column, release.file, ...(outline?.axes ?? [])].some((word) => TRICKY.test(word))) return null;
  const file = release.file.startsWith("-") ? `./${release.file}` : release.file;
  const option = confidence.level === USUAL ? [] : ["--confidence", String(confidence.level)];
  if (outline) return areasCommand(outline, file, [...option, ...words.flatMap((word) => ["-w", word])], shapes);
  const marked = [column, ...words].some((word) => word.startsWith("-")) ? ["--"] : [];
  const verb = what.kind === "rows" ? [] : [column];
  return ["hushgram", what.kind === "rows" ? "count" : what.kind, ...option, ...marked, file, ...verb, ...words].map(quote).join(" ");
}

/**
 * @param {Outline} outline
 * @param {string} file
 * @param {string[]} options
 * @param {import("./shapes.js").Shapes | null} shapes
 */
function areasCommand(outline, file, options, shapes) {
  if (outline.axes.some((name) => name.includes(",") || name.startsWith("-"))) return null;
  const on = ["--on", outline.axes.join(",")];
  if (outline.name === null) {
    const drawn = quote(JSON.stringify(geoJson(outline)));
    return `printf %s ${drawn} > area.geojson\n` + ["hushgram", "areas", file, "area.geojson", ...on, ...options].map(quote).join(" ");
  }
  if (!outline.file || TRICKY.test(outline.file)) return null;
  const column = shapes?.nameColumn ? ["--name", shapes.nameColumn] : [];
  return ["hushgram", "areas", file, outline.file, ...on, ...column, ...options].map(quote).join(" ");
}

/** @param {Outline} outline */
function geoJson({ rings }) {
  const [{ xs, ys }] = rings;
  const corners = xs.map((x, n) => [x, ys[n]]);
  return { type: "Polygon", coordinates: [[...corners, corners[0]]] };
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
 * @param {Asker} asker
 * @param {Release} release
 * @param {import("./shapes.js").Shapes | null} shapes
 */
export function toPython({ asking, confidence, outline, what }, release, shapes) {
  const pairs = named(release, asking).map(([axis, asked]) => [axis.name, pythonValue(axis, asked)]);
  const load = `import hushgram as hg\nrelease = hg.load(${pythonText(release.file)})\n`;
  const mapping = `{${pairs.map(([name, value]) => `${pythonText(name)}: ${value}`).join(", ")}}`;
  const level = confidence.level === USUAL ? [] : [`confidence=${confidence.level}`];
  if (outline) {
    const on = `on=(${outline.axes.map(pythonText).join(", ")})`;
    const where = pairs.length ? [`where=${mapping}`] : [];
    const column = outline.name !== null && shapes?.nameColumn ? [`name=${pythonText(shapes.nameColumn)}`] : [];
    const polygons = outline.name === null ? `{"area": ${JSON.stringify(geoJson(outline))}}` : pythonText(outline.file ?? "areas.geojson");
    const called = pythonText(outline.name ?? "area");
    const print = what.kind === "rows" ? `areas[${called}]` : `areas.to_pandas().set_index("name").loc[${called}]`;
    return `${load}areas = release.areas(${[polygons, on, ...column, ...where, ...level].join(", ")})\nprint(${print})`;
  }
  const plain = pairs.every(([name]) => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name));
  const words = plain ? pairs.map(([name, value]) => `${name}=${value}`) : [mapping];
  const [verb, column] = what.kind === "rows" ? ["count", []] : [what.kind, [pythonText(release.measures[what.place].name)]];
  return `${load}print(release.${verb}(${[...column, ...words, ...level].join(", ")}))`;
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
 * What is asked, in words for people.
 * @param {Asker} asker
 */
export function questionText({ release, asking, outline }) {
  const words = inWords(release, asking).map(({ name, text }) => `${shorten(name, 30)}: ${text}`);
  if (outline) words.unshift(outline.name === null ? TEXT.drawnArea : shorten(outline.name));
  return words.length ? words.join(" · ") : TEXT.everything;
}
