/** The second step: what is published, and who is protected. Forms know the types of columns. */
import { button, element, label, shorten } from "../../explorer/scripts/dom.js";
import { boundsForm } from "./bounds.js";
import { field, fold, selectInput, textInput, UNSET } from "./fields.js";
import { blankAxis, blankMeasure, state } from "./state.js";
import { TEXT } from "./strings.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./state.js").AxisForm} AxisForm */

const ALL_KINDS = ["category", "integer", "bins", "interval", "edges", "date"];
const MOST_BINS = 1000;

/** @param {Page} page */
export function axesStep(page) {
  const { form } = state;
  const columns = state.isOpen ? state.columns : [];
  const cells = element("p", { class: "status", id: "cells" });
  page.onCheck((found) => cells.replaceChildren(describeCells(found)));
  const add = element("select", { id: "add-axis", "aria-label": TEXT.addAxis },
    element("option", { value: "" }, TEXT.addAxis),
    ...columns.map((one, n) => element("option", { value: n }, `${shorten(one.name)} (${one.type})`)));
  add.addEventListener("change", () => {
    const column = columns[Number(add.value)];
    if (add.value !== "" && column) addAxis(page, blankAxis(column.name, column.kinds, column.type));
  });
  return element("div", {},
    element("h2", { tabindex: -1 }, TEXT.axesTitle),
    element("p", { class: "hint" }, TEXT.axesHint),
    columns.length ? null : element("p", { class: "hint" }, TEXT.noColumns),
    ...form.axes.map((axis, n) => axisCard(page, axis, n)),
    element("div", { class: "field", "data-field": "axes" },
      element("p", { class: "tools" }, add,
        button(TEXT.addAreas, () => addAxis(page, blankAxis("area", ["areas"]))),),
      element("p", { class: "problem", hidden: true })),
    cells,
    people(page),
    measures(page));
}

/** @param {any} found */
function describeCells(found) {
  if (found.cells) return TEXT.cells(found.cells);
  return found.continuous?.length ? TEXT.continuous(found.continuous.map((/** @type {string} */ one) => shorten(one)).join(", ")) : "";
}

/**
 * @param {Page} page
 * @param {AxisForm} axis
 */
function addAxis(page, axis) {
  state.form.axes.push(axis);
  page.redraw();
}

/**
 * @param {Page} page
 * @param {AxisForm} axis
 * @param {number} n
 */
function axisCard(page, axis, n) {
  const kinds = axis.kind === "areas" ? ["areas"] : axis.kind === "text" ? ["text"] : axis.kinds?.length ? axis.kinds : ALL_KINDS;
  const kind = selectInput(axis, "kind", kinds.map((one) => [one, TEXT.kinds[one]]), () => page.redraw());
  const outsides = Object.entries(TEXT.outsides);
  return element("fieldset", { class: "axis field", "data-field": `axes.${n}` },
    element("legend", {}, label(axis.name || TEXT.areaName)),
    element("div", { class: "fields" },
      field("", TEXT.kind, kind),
      ...inputsOf(page, axis),
      field("", TEXT.outside, selectInput(axis, "outside", outsides, () => page.changed()))),
    isMissing(axis) ? element("p", { class: "warning" }, TEXT.notInTable) : null,
    element("p", { class: "problem", hidden: true }),
    ["bins", "interval", "integer", "date"].includes(axis.kind) ? boundsForm(page, axis) : null,
    element("p", { class: "tools ends" }, button(TEXT.remove, () => {
      state.form.axes.splice(n, 1);
      page.redraw();
    }, { "aria-label": TEXT.removeNamed(shorten(axis.name)) })));
}

/**
 * Whether an axis is of a column that the table does not have: it may have been declared for another one.
 * @param {AxisForm} axis
 */
function isMissing({ kind, name }) {
  return state.isOpen && !state.more && !["areas", "text"].includes(kind) && !state.columns.some((one) => one.name === name);
}

/**
 * @param {Page} page
 * @param {AxisForm} axis
 * @returns {HTMLElement[]}
 */
function inputsOf(page, axis) {
  const changed = () => page.changed();
  /** @param {keyof AxisForm} key @param {string} title @param {Record<string, any>} [more] */
  const text = (key, title, more = {}) => field("", title, textInput(axis, key, changed, more));
  const number = { inputmode: "decimal" };
  switch (axis.kind) {
    case "bins":
      return [text("lo", TEXT.lo, number), text("hi", TEXT.hi, number), ...binInputs(axis, changed)];
    case "interval":
    case "integer":
      return [text("lo", TEXT.lo, number), text("hi", TEXT.hi, number)];
    case "edges":
      return [text("edges", TEXT.edges)];
    case "category":
      return [field("", TEXT.values, valuesInput(axis, changed), { class: "wide" })];
    case "date": {
      const steps = Object.entries(TEXT.stepsOf);
      if (!(axis.step in TEXT.stepsOf)) steps.push([axis.step, axis.step]);
      return [text("lo", TEXT.firstDay, { type: "date" }), text("hi", TEXT.lastDay, { type: "date" }),
        field("", TEXT.step, selectInput(axis, "step", steps, changed))];
    }
    case "areas":
      return [text("name", TEXT.areaName), text("file", TEXT.file), text("names", TEXT.names), columnField(axis, "x", TEXT.x, changed),
        columnField(axis, "y", TEXT.y, changed)];
    default:
      return [text("text", TEXT.text)];
  }
}

/**
 * A slider, and the exact number beside it.
 * @param {AxisForm} axis
 * @param {() => void} changed
 */
function binInputs(axis, changed) {
  const slider = element("input", { type: "range", min: 1, max: MOST_BINS, step: 1 });
  const exact = textInput(axis, "bins", () => {
    slider.value = axis.bins;
    changed();
  }, { inputmode: "numeric", class: "short" });
  slider.value = axis.bins;
  slider.addEventListener("input", () => {
    axis.bins = exact.value = slider.value;
    changed();
  });
  return [field("", TEXT.bins, slider), field("", TEXT.binsExact, exact)];
}

/**
 * Categories are pasted, one on each line.
 * @param {AxisForm} axis
 * @param {() => void} changed
 */
function valuesInput(axis, changed) {
  const area = element("textarea", { rows: 5, spellcheck: "false" });
  area.value = axis.values.join("\n");
  area.addEventListener("input", () => {
    axis.values = area.value.split(/\r\n|\r|\n/).map((one) => one.trim()).filter(Boolean);
    changed();
  });
  return area;
}

/**
 * @param {AxisForm} axis
 * @param {"x" | "y"} key
 * @param {string} title
 * @param {() => void} changed
 */
function columnField(axis, key, title, changed) {
  const names = state.columns.map((one) => one.name);
  if (!names.includes(axis[key])) axis[key] = "";
  return field("", title, selectInput(axis, key, [UNSET, ...columnChoices()], changed));
}

/** @returns {[string, string][]} */
function columnChoices() {
  return state.columns.map((one) => [one.name, shorten(one.name)]);
}

/** @param {Page} page */
function people(page) {
  const form = state.form;
  const limit = form.unit ? field("max_rows", TEXT.max_rows, textInput(form, "max_rows", () => page.changed(),
    { inputmode: "numeric", class: "short" })) : null;
  const isText = state.columns.every((one) => one.type === "string"); // as in CSV files
  const lineBreaks = form.unit && isText ? field("line_breaks", TEXT.line_breaks,
    selectInput(form.text, "line_breaks", Object.entries(TEXT.lineBreaks), () => page.changed()), { hint: TEXT.lineBreaksHint }) : null;
  const differences = Object.entries(TEXT.neighboursOf);
  return element("div", {},
    element("h3", {}, TEXT.peopleTitle),
    element("div", { class: "fields long" },
      field("unit", TEXT.unit, selectInput(form, "unit", [["", TEXT.eachRow], ...columnChoices()], () => page.redraw())),
      limit ?? "",
      lineBreaks ?? "",
      field("neighbours", TEXT.neighbours, selectInput(form, "neighbours", differences, () => page.changed()))));
}

/** @param {Page} page */
function measures(page) {
  const { form } = state;
  const changed = () => page.changed();
  const list = form.measures.map((measure, n) => element("fieldset", { class: "axis field", "data-field": `measures.${n}` },
    element("legend", {}, TEXT.measure),
    element("div", { class: "fields" },
      field("", TEXT.measure, selectInput(measure, "kind", Object.entries(TEXT.measureKinds), changed)),
      field("", TEXT.column, selectInput(measure, "column", [UNSET, ...columnChoices()], changed)),
      field("", TEXT.lo, textInput(measure, "lo", changed, { inputmode: "decimal" })),
      field("", TEXT.hi, textInput(measure, "hi", changed, { inputmode: "decimal" })),
      field("", `${TEXT.missing} (${TEXT.optional})`, textInput(measure, "missing", changed, { inputmode: "decimal" }))),
    element("p", { class: "problem", hidden: true }),
    element("p", { class: "tools ends" }, button(TEXT.remove, () => {
      form.measures.splice(n, 1);
      page.redraw();
    }))));
  return fold(TEXT.measuresTitle, form.measures.length > 0,
    element("p", { class: "hint" }, TEXT.measuresHint),
    ...list,
    element("p", { class: "tools" }, button(TEXT.addMeasure, () => {
      form.measures.push(blankMeasure());
      page.redraw();
    })),
    form.measures.length ? field("share", `${TEXT.share} (${TEXT.optional})`, textInput(form, "share", changed, { class: "short" })) : null);
}
