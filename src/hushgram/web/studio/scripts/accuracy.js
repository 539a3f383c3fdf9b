/** The third step: the errors to expect at each budget, before anything is spent. */
import { button, element } from "../../explorer/scripts/dom.js";
import { attempt, call, pause } from "./api.js";
import { drawCurve, curveTable } from "./curve.js";
import { field, selectInput, textInput } from "./fields.js";
import { leastForm } from "./least.js";
import { state } from "./state.js";
import { TEXT } from "./strings.js";

/** @typedef {import("./main.js").Page} Page */

const WAIT = 400;

/** @type {{found: any, key: string, size: string}} */
const shown = { found: null, key: "", size: "1 %" };

/** What the curve belongs to. */
function keyOf() {
  const { axes, rows, mechanism, workload, unit, max_rows, neighbours, measures, share } = state.form;
  return JSON.stringify([axes, rows, mechanism, workload, unit, max_rows, neighbours, measures, share]);
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
  if (shown.key === keyOf()) {
    draw(page, curve);
    if (!shown.found?.done) void simulate(page, curve); // it went on while another step was shown
  }
  const changed = () => page.changed();
  const known = element("datalist", { id: "mechanisms" });
  void call("mechanisms").then((found) => known.replaceChildren(...found.mechanisms.map((/** @type {{name: string, summary: string}} */ one) =>
    element("option", { value: one.name }, one.summary)))).catch(() => {});
  return element("div", {},
    element("h2", { tabindex: -1 }, TEXT.accuracyTitle),
    element("p", { class: "hint" }, TEXT.accuracyHint),
    element("div", { class: "fields" },
      field("rows", TEXT.rows, textInput(form, "rows", changed, { inputmode: "numeric" }), { hint: TEXT.rowsHint }),
      field("mechanism", TEXT.mechanism, textInput(form, "mechanism", changed, { list: "mechanisms" }), { hint: TEXT.mechanismHint }),
      field("workload", TEXT.workload, selectInput(form, "workload", Object.entries(TEXT.workloads), changed))),
    known,
    runs,
    element("p", { class: "tools" }, button(TEXT.simulate, () => void simulate(page, curve), { class: "main", id: "simulate" })),
    curve,
    leastForm(page));
}

/**
 * @param {Page} page
 * @param {HTMLElement} box
 */
function simulate(page, box) {
  const key = keyOf();
  if (shown.key !== key) Object.assign(shown, { key, found: null });
  return attempt(async () => {
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
  }, (problems) => page.complain(problems));
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
