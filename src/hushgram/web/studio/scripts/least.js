/** Accuracy the other way round: an error is given, and the least ε is looked for. */
import { button, element } from "../../explorer/scripts/dom.js";
import { attempt, call, pause, Problems } from "./api.js";
import { field, selectInput, textInput } from "./fields.js";
import { state } from "./state.js";
import { TEXT } from "./strings.js";
import { block } from "./words.js";

/** @typedef {import("./main.js").Page} Page */

const WAIT = 400;

const least = { error: "", at: "1%", kind: "unknown", like: "" };

/** @param {Page} page */
export function leastForm(page) {
  const shown = element("div", { id: "least", "aria-live": "polite" });
  const nothing = () => {};
  const sizes = Object.entries(TEXT.sizes);
  const find = () => {
    shown.replaceChildren(element("p", { class: "status" }, TEXT.working), element("progress", { "aria-label": TEXT.working }));
    return attempt(async () => {
      for (;;) {
        const found = await call("least", { ...least, form: state.form });
        if (!shown.isConnected) return;
        if (found.problem) throw new Problems([found.problem]);
        if (found.least) return showLeast(page, shown, found);
        if (found.done) return shown.replaceChildren();
        await pause(WAIT);
      }
    }, (problems) => {
      shown.replaceChildren();
      page.complain(problems);
    });
  };
  return element("div", {},
    element("h3", {}, TEXT.leastTitle),
    element("div", { class: "fields" },
      field("error", TEXT.leastError, textInput(least, "error", nothing, { inputmode: "numeric", class: "short" })),
      field("at", TEXT.leastAt, selectInput(least, "at", sizes, nothing)),
      field("kind", TEXT.leastKind, selectInput(least, "kind", Object.entries(TEXT.leastKinds), nothing)),
      field("like", `${TEXT.leastLike} (${TEXT.optional})`, textInput(least, "like", nothing), { class: "wide", hint: TEXT.leastLikeHint })),
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
