/** The first step: which table, and how it is read. */
import { button, element } from "../../explorer/scripts/dom.js";
import { call, Problems } from "./api.js";
import { field, fold, named, selectInput, textInput } from "./fields.js";
import { state } from "./state.js";
import { TEXT } from "./strings.js";

/** @typedef {import("./main.js").Page} Page */

/** @param {Page} page */
export function sourceStep(page) {
  const form = state.form;
  const changed = () => page.changed();
  const source = textInput(form, "source", changed, { class: "wide-input" });
  source.addEventListener("keydown", (event) => {
    if (event.key === "Enter") void open(page);
  });
  const folder = element("div", { class: "folder", id: "folder", hidden: true });
  const text = form.text;
  return element("div", {},
    element("h2", { tabindex: -1 }, TEXT.tableTitle),
    element("p", { class: "hint" }, TEXT.tableHint),
    field("source", TEXT.source, source, { hint: TEXT.sourceHint }),
    element("p", { class: "tools" },
      button(TEXT.browse, () => void browse(page, folder, ""), { "aria-controls": "folder" }),
      button(TEXT.open, () => void open(page), { class: "main", id: "open" })),
    folder,
    field("where", `${TEXT.where} (${TEXT.optional})`, textInput(form, "where", changed), { hint: TEXT.whereHint }),
    fold(TEXT.textTitle, Object.values(text).some(Boolean),
      element("div", { class: "fields" },
        field("separator", TEXT.separator, textInput(text, "separator", changed)),
        field("decimal", TEXT.decimal, textInput(text, "decimal", changed)),
        field("encoding", TEXT.encoding, textInput(text, "encoding", changed)),
        field("date_format", TEXT.date_format, textInput(text, "date_format", changed)),
        field("line_breaks", TEXT.line_breaks, selectInput(text, "line_breaks", Object.entries(TEXT.lineBreaks), changed)))),
    columnTable());
}

/** Names and types: nothing else is known of the table. */
function columnTable() {
  const { columns } = state;
  if (!columns.length) return element("div");
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": TEXT.columns(columns.length) },
    element("h3", {}, TEXT.columns(columns.length)),
    element("table", { id: "columns" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, TEXT.column), element("th", { scope: "col" }, TEXT.type))),
      element("tbody", {}, ...columns.map((one) => element("tr", {},
        element("th", { scope: "row" }, named(one.name)), element("td", {}, named(one.type)))))));
}

/** @param {Page} page */
async function open(page) {
  try {
    const found = await call("columns", state.form);
    state.columns = found.columns;
    state.opened = state.form.source;
    state.save();
    page.redraw();
  } catch (error) {
    if (!(error instanceof Problems)) throw error;
    page.complain(error.found);
  }
}

/**
 * @param {Page} page
 * @param {HTMLElement} box
 * @param {string} path
 */
async function browse(page, box, path) {
  if (!path && !box.hidden) {
    box.hidden = true;
    return;
  }
  try {
    const found = await call("folder", { path });
    const up = found.parent === null ? null : button(TEXT.up, () => void browse(page, box, found.parent));
    box.replaceChildren(
      element("p", { class: "hint" }, named(found.folder)),
      element("p", { class: "tools" }, up),
      element("ul", { class: "entries" }, ...found.entries.map((/** @type {any} */ one) => element("li", {},
        button("", () => choose(page, box, one), { class: "entry" })))));
    box.querySelectorAll(".entry").forEach((one, n) => {
      const { name, kind } = found.entries[n];
      one.append(kind === "folder" ? "📁 " : "▦ ", named(name), element("span", { class: "number" }, kind === "folder" ? "" : ` ${kind}`));
    });
    if (!found.entries.length) box.append(element("p", { class: "hint" }, TEXT.folderEmpty));
    box.hidden = false;
  } catch (error) {
    if (!(error instanceof Problems)) throw error;
    page.complain(error.found.map((one) => ({ ...one, field: "source" })));
  }
}

/**
 * @param {Page} page
 * @param {HTMLElement} box
 * @param {{path: string, kind: string}} entry
 */
function choose(page, box, entry) {
  if (entry.kind === "folder") {
    void browse(page, box, entry.path);
    return;
  }
  state.form.source = entry.path;
  void open(page);
}
