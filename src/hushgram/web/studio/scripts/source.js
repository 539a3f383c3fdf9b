/** The first step: which table, and how it is read. */
import { button, element, label, message } from "../../explorer/scripts/dom.js";
import { attempt, call } from "./api.js";
import { field, fold, selectInput, textInput } from "./fields.js";
import { state } from "./state.js";
import { TEXT } from "./strings.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {{name: string, path: string, kind: string}} Entry */

const FOLDER = "folder";
const TEXTS = "string";

/** @param {Page} page */
export function sourceStep(page) {
  const form = state.form;
  const known = columnTable();
  const changed = () => {
    known.hidden = !state.isOpen;
    page.changed();
  };
  const source = textInput(form, "source", changed, { class: "wide-input" });
  source.addEventListener("keydown", (event) => {
    if (event.key === "Enter") void showColumns(page);
  });
  const folder = element("div", { class: "folder", id: "folder", hidden: true });
  const text = form.text;
  return element("div", {},
    element("h2", { tabindex: -1 }, TEXT.tableTitle),
    element("p", { class: "hint" }, TEXT.tableHint),
    field("source", TEXT.source, source, { hint: TEXT.sourceHint }),
    element("p", { class: "tools" },
      button(TEXT.browse, () => void browse(page, folder, ""), { "aria-controls": "folder" }),
      button(TEXT.open, () => void showColumns(page), { class: "main", id: "open" })),
    element("p", { class: "status", role: "status", id: "opening", hidden: true }, TEXT.opening),
    folder,
    field("where", `${TEXT.where} (${TEXT.optional})`, textInput(form, "where", changed), { hint: TEXT.whereHint }),
    fold(TEXT.textTitle, Object.values(text).some(Boolean),
      element("p", { class: "hint" }, TEXT.textHint),
      element("div", { class: "fields" },
        field("separator", TEXT.separator, textInput(text, "separator", changed)),
        field("decimal", TEXT.decimal, textInput(text, "decimal", changed)),
        field("encoding", TEXT.encoding, textInput(text, "encoding", changed)),
        field("date_format", TEXT.date_format, textInput(text, "date_format", changed)),
        field("line_breaks", TEXT.line_breaks, selectInput(text, "line_breaks", Object.entries(TEXT.lineBreaks), changed)))),
    known);
}

/** Names and types: nothing else is known of the table. */
function columnTable() {
  const { columns } = state;
  if (!columns.length || !state.isOpen) return element("div");
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": TEXT.columns(columns.length) },
    element("h3", {}, TEXT.columns(columns.length)),
    element("table", { id: "columns" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, TEXT.column), element("th", { scope: "col" }, TEXT.type))),
      element("tbody", {}, ...columns.map((one) => element("tr", {},
        element("th", { scope: "row" }, label(one.name)), element("td", {}, label(one.type)))))),
    state.more ? element("p", { class: "hint" }, TEXT.moreColumns(state.more)) : null,
    columns.every((one) => one.type === TEXTS) ? element("p", { class: "hint" }, TEXT.onlyTexts) : null,
    columns.length === 1 && /[;|\t]/.test(columns[0].name) ? element("p", { class: "warning" }, TEXT.oneColumn) : null);
}

/** @param {Page} page */
async function showColumns(page) {
  state.opened = ""; // it is read again: the file may have changed
  if (await openTable(page)) page.redraw();
}

/**
 * Learn the columns of the table, unless they are known.
 * @param {Page} page
 * @returns {Promise<boolean>} whether the columns of the table that the form names are known now
 */
export async function openTable(page) {
  const asked = state.table;
  if (state.isOpen) return true;
  const opening = document.getElementById("opening");
  if (opening) opening.hidden = false;
  await attempt(async () => {
    const { columns, more } = await call("columns", state.form);
    Object.assign(state, { columns, more, opened: asked });
    state.save();
  }, (problems) => page.complain(problems));
  if (opening) opening.hidden = true;
  return state.isOpen;
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
  await attempt(async () => listEntries(page, box, await call("folder", { path })),
    (problems) => page.complain(problems.map((one) => ({ ...one, field: "source" }))));
}

/**
 * @param {Page} page
 * @param {HTMLElement} box
 * @param {{folder: string, parent: string | null, entries: Entry[], more: number}} found
 */
function listEntries(page, box, { folder, parent, entries, more }) {
  const formats = new Set(entries.map(({ kind }) => kind).filter((kind) => kind !== FOLDER));
  box.replaceChildren(
    element("p", { class: "hint" }, message(folder)),
    element("p", { class: "tools" },
      parent === null ? null : button(TEXT.up, () => void browse(page, box, parent)),
      formats.size === 1 ? button(TEXT.wholeFolder, () => chooseTable(page, folder)) : null),
    element("ul", { class: "entries" }, ...entries.map((one) => element("li", {}, entryButton(page, box, one)))));
  if (!entries.length) box.append(element("p", { class: "hint" }, TEXT.folderEmpty));
  if (more) box.append(element("p", { class: "hint" }, TEXT.moreFiles(more)));
  box.hidden = false;
}

/**
 * @param {Page} page
 * @param {HTMLElement} box
 * @param {Entry} entry
 */
function entryButton(page, box, { name, path, kind }) {
  const isFolder = kind === FOLDER;
  const made = button("", () => void (isFolder ? browse(page, box, path) : chooseTable(page, path)), { class: "entry" });
  made.append(isFolder ? "▸ " : "▦ ", label(name), element("span", { class: "number" }, ` ${isFolder ? TEXT.folder : kind}`));
  return made;
}

/**
 * @param {Page} page
 * @param {string} path
 */
function chooseTable(page, path) {
  const source = document.querySelector("[data-field=source] > input");
  if (!(source instanceof HTMLInputElement)) return;
  source.value = path;
  source.dispatchEvent(new Event("input")); // as if it had been typed
  void showColumns(page);
}
