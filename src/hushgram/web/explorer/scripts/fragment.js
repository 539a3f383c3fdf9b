/**
 * A question in the address of the page, behind #.
 *
 * @typedef {import("./release.js").Release} Release
 * @typedef {import("./axes.js").Asked} Asked
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./asker.js").Asker} Asker
 * @typedef {import("./areas.js").Outline} Outline
 */
import { isClear } from "./areas.js";
import { ROWS, USUAL } from "./asker.js";
import { askInstead } from "./asking.js";
import { checkRange } from "./choosing.js";

/** Corners that somebody may ask for: whether edges cross each other takes time. */
const MOST_CORNERS = 2000;

/**
 * The fragment of a link. Words that start with @ are about all of the page; names of axes never do,
 * since @ is escaped in them.
 * @param {Asker} asker
 */
export function toFragment({ release, asking, confidence, outline, what, shown, isChange }) {
  const words = release.asked(asking).map(([axis, asked]) => {
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
    if (axis && asked) asker.asking = askInstead(asker.asking, [axis.name], () => asked);
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
  if (corners.length < 3 || corners.length > MOST_CORNERS || corners.some((corner) => corner.length !== 2 || !corner.every(Number.isFinite))) return null;
  const ring = { xs: corners.map(([x]) => x), ys: corners.map(([, y]) => y), sign: 1 };
  if (!isClear(ring)) return null;
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
