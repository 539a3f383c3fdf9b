/** The third step: the errors to expect at each budget, before anything is spent. */
import { button, element } from "../../explorer/scripts/dom.js";
import { call, pause, Problems } from "./api.js";
import { drawCurve, curveTable } from "./curve.js";
import { field, selectInput, textInput } from "./fields.js";
import { state } from "./state.js";
import { TEXT } from "./strings.js";
import { block } from "./words.js";

/** @typedef {import("./main.js").Page} Page */

const WAIT = 400;

/** @type {{found: any, key: string, size: string}} */
const shown = { found: null, key: "", size: "1 %" };

/** What the curve belongs to. */
function keyOf() {
  const { axes, rows, mechanism, workload, unit, max_rows, neighbours } = state.form;
  return JSON.stringify([axes, rows, mechanism, workload, unit, max_rows, neighbours]);
}

/** @param {Page} page */
export function accuracyStep(page) {
  const { form } = state;
  const curve = element("div", { id: "curve" });
  const runs = element("p", { class: "status" });
  page.onCheck((found) => {
    const cells = found.cells ? TEXT.cells(found.cells) : "";
    runs.textContent = found.candidates ? `${cells} ${TEXT.runs(found.candidates.join(", "))}` : "";
  });
  if (shown.key === keyOf()) draw(page, curve);
  const changed = () => page.changed();
  return element("div", {},
    element("h2", { tabindex: -1 }, TEXT.accuracyTitle),
    element("p", { class: "hint" }, TEXT.accuracyHint),
    element("div", { class: "fields" },
      field("rows", TEXT.rows, textInput(form, "rows", changed, { inputmode: "numeric" }), { hint: TEXT.rowsHint }),
      field("mechanism", TEXT.mechanism, textInput(form, "mechanism", changed)),
      field("workload", TEXT.workload, selectInput(form, "workload", Object.entries(TEXT.workloads), changed))),
    runs,
    element("p", { class: "tools" }, button(TEXT.simulate, () => void simulate(page, curve), { class: "main", id: "simulate" })),
    curve,
    leastForm(page));
}

const least = { error: "", at: "1%", kind: "unknown" };

/**
 * The other way round: an error is given, and the least ε is looked for.
 * @param {Page} page
 */
function leastForm(page) {
  const shown = element("div", { id: "least", "aria-live": "polite" });
  const nothing = () => {};
  const sizes = Object.entries(TEXT.sizes);
  const find = async () => {
    shown.replaceChildren(element("p", { class: "status" }, TEXT.working), element("progress", { "aria-label": TEXT.working }));
    try {
      for (;;) {
        const found = await call("least", { ...least, form: state.form });
        if (!shown.isConnected) return;
        if (found.problem) throw new Problems([found.problem]);
        if (found.least) {
          showLeast(page, shown, found);
          return;
        }
        if (found.done) break;
        await pause(WAIT);
      }
      shown.replaceChildren();
    } catch (error) {
      if (!(error instanceof Problems)) throw error;
      shown.replaceChildren();
      page.complain(error.found);
    }
  };
  return element("div", {},
    element("h3", {}, TEXT.leastTitle),
    element("div", { class: "fields" },
      field("error", TEXT.leastError, textInput(least, "error", nothing, { inputmode: "numeric", class: "short" })),
      field("at", TEXT.leastAt, selectInput(least, "at", sizes, nothing)),
      field("kind", TEXT.leastKind, selectInput(least, "kind", Object.entries(TEXT.leastKinds), nothing))),
    element("p", { class: "tools" }, button(TEXT.leastFind, () => void find(), { id: "find-least" })),
    shown);
}

/**
 * @param {Page} page
 * @param {HTMLElement} box
 * @param {any} found
 */
function showLeast(page, box, found) {
  const { epsilon, error, at, typical_error } = found.least;
  const use = () => {
    state.form.epsilon = epsilon;
    page.redraw();
  };
  const code = element("code", {}, found.command);
  box.replaceChildren(
    element("p", {}, element("strong", {}, TEXT.leastFound(epsilon)), ` ${TEXT.leastMeans(String(error), at, String(typical_error))}`),
    element("p", { class: "tools" }, button(TEXT.useEpsilon(epsilon), use, { id: "use-least" })),
    block(TEXT.command, code));
}

/**
 * @param {Page} page
 * @param {HTMLElement} box
 */
async function simulate(page, box) {
  const key = keyOf();
  shown.key = key;
  shown.found = null;
  try {
    for (;;) {
      const found = await call("curve", state.form);
      if (shown.key !== key) return;
      shown.found = found;
      draw(page, box);
      if (found.problem) page.complain([found.problem]);
      if (found.done) return;
      if (state.step !== "accuracy" || !box.isConnected) return;
      await pause(WAIT);
    }
  } catch (error) {
    if (!(error instanceof Problems)) throw error;
    page.complain(error.found);
  }
}

/**
 * @param {Page} page
 * @param {HTMLElement} box
 */
function draw(page, box) {
  const found = shown.found;
  if (!found) {
    box.replaceChildren(element("p", { class: "status", role: "status" }, TEXT.working));
    return;
  }
  const points = found.points;
  const sizes = points.length ? Object.keys(points[0].errors) : [];
  if (sizes.length && !sizes.includes(shown.size)) shown.size = sizes[0];
  const choices = sizes.map((size) => /** @type {[string, string]} */ ([size, TEXT.ofAll[size] ?? size]));
  const choose = (/** @type {string} */ epsilon) => {
    state.form.epsilon = epsilon;
    page.changed();
    draw(page, box);
  };
  const progress = element("progress", { max: 1, "aria-label": TEXT.working });
  progress.value = (points.length + (found.share ?? 0)) / found.wanted;
  box.replaceChildren(
    ...(found.done ? [] : [element("p", { class: "status", role: "status" }, TEXT.simulating(points.length, found.wanted), " ", progress)]),
    ...(points.length ? [
      field("", TEXT.boxes, selectInput(shown, "size", choices, () => draw(page, box))),
      drawCurve(points, shown.size, state.form.epsilon, choose),
      element("p", { class: "hint" }, TEXT.curveHelp),
      curveTable(points, shown.size, state.form.epsilon, choose),
    ] : []));
}
