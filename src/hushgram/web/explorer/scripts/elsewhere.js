/**
 * A question on the command line and in Python.
 *
 * @typedef {import("./release.js").Release} Release
 * @typedef {import("./axes.js").Asked} Asked
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./asker.js").Asker} Asker
 * @typedef {import("./areas.js").Outline} Outline
 * @typedef {import("./shapes.js").Shapes} Shapes
 */
import { USUAL } from "./asker.js";
import { TRICKY } from "./dom.js";

/** Degrees of longitude that an edge goes at most. */
const LONGEST_EDGE = 90;

const KEYWORDS = new Set(
  ("False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield " +
    "confidence self table").split(" "),
);

/**
 * The equivalent command; null if the command line cannot write the question.
 * @param {Asker} asker
 * @param {Release} release
 * @param {Shapes | null} shapes
 */
export function toCommand({ asking, confidence, outline, what }, release, shapes) {
  const words = [];
  for (const [axis, asked] of release.asked(asking)) {
    const text = commandText(axis, asked);
    if (text === null || /[=]/.test(axis.name) || axis.name !== axis.name.trim()) return null;
    words.push(`${axis.name}=${text}`);
  }
  const column = what.kind === "rows" ? "" : release.measures[what.place].name;
  if ([...words, column, release.file, ...(outline?.axes ?? [])].some((word) => TRICKY.test(word))) return null;
  const option = confidence.level === USUAL ? [] : ["--confidence", String(confidence.level)];
  if (outline) return areasCommand(outline, release, [...option, ...words.flatMap((word) => ["-w", word])], shapes);
  const marked = [column, ...words].some((word) => word.startsWith("-")) ? ["--"] : [];
  const verb = what.kind === "rows" ? [] : [column];
  return ["hushgram", what.kind === "rows" ? "count" : what.kind, ...option, ...marked, asFile(release.file), ...verb, ...words].map(quote).join(" ");
}

/**
 * A file whose name is no option.
 * @param {string} name
 */
function asFile(name) {
  return name.startsWith("-") ? `./${name}` : name;
}

/**
 * @param {Outline} outline
 * @param {Release} release
 * @param {string[]} options
 * @param {Shapes | null} shapes
 */
function areasCommand(outline, release, options, shapes) {
  const file = asFile(release.file);
  if (outline.axes.some((name) => name.includes(",") || name.startsWith("-"))) return null;
  const on = ["--on", outline.axes.join(",")];
  if (outline.name === null) {
    const drawn = quote(JSON.stringify(geoJson(outline, release)));
    return `printf %s ${drawn} > area.geojson\n` + ["hushgram", "areas", file, "area.geojson", ...on, ...options].map(quote).join(" ");
  }
  if (!outline.file || TRICKY.test(outline.file)) return null;
  const column = shapes?.nameColumn ? ["--name", shapes.nameColumn] : [];
  return ["hushgram", "areas", file, asFile(outline.file), ...on, ...column, ...options].map(quote).join(" ");
}

/**
 * An outline as GeoJSON. Between longitudes, programs may take an edge of more than half of the earth for a
 * shorter one across the 180th meridian: such edges get corners in between.
 * @param {Outline} outline
 * @param {Release} release
 */
function geoJson({ axes, rings }, { map }) {
  const [{ xs, ys }] = rings;
  const isLongitude = map !== null && map[0] === axes[0];
  const corners = xs.flatMap((x, n) => {
    const next = (n + 1) % xs.length;
    const [along, beside] = [xs[next] - x, ys[next] - ys[n]];
    const pieces = isLongitude ? Math.max(Math.ceil(Math.abs(along) / LONGEST_EDGE), 1) : 1;
    return Array.from({ length: pieces }, (_, k) => (k ? [x + (k / pieces) * along, ys[n] + (k / pieces) * beside] : [x, ys[n]]));
  });
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
 * The equivalent in Python, after `import hushgram as hg`.
 * @param {Asker} asker
 * @param {Release} release
 * @param {Shapes | null} shapes
 */
export function toPython({ asking, confidence, outline, what }, release, shapes) {
  const pairs = release.asked(asking).map(([axis, asked]) => [axis.name, pythonValue(axis, asked)]);
  const load = `release = hg.load(${pythonText(release.file)})\n`;
  const mapping = `{${pairs.map(([name, value]) => `${pythonText(name)}: ${value}`).join(", ")}}`;
  const level = confidence.level === USUAL ? [] : [`confidence=${confidence.level}`];
  if (outline) {
    const on = `on=(${outline.axes.map(pythonText).join(", ")})`;
    const where = pairs.length ? [`where=${mapping}`] : [];
    const column = outline.name !== null && shapes?.nameColumn ? [`name=${pythonText(shapes.nameColumn)}`] : [];
    const polygons = outline.name === null ? `{"area": ${JSON.stringify(geoJson(outline, release))}}` : pythonText(outline.file ?? "areas.geojson");
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
