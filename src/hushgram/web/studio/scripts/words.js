/** The same on the command line and in Python, to be copied. */
import { button, element } from "../../explorer/scripts/dom.js";
import { state } from "./state.js";
import { TEXT } from "./strings.js";

export function wordsCard() {
  const command = element("code", { id: "command" });
  const python = element("code", { id: "python" });
  const root = element("section", { class: "card words", "aria-label": TEXT.wordsTitle, hidden: true },
    element("h2", {}, TEXT.wordsTitle), block(TEXT.command, command), block(TEXT.python, python));
  return {
    root,
    /** @param {any} found */
    show(found) {
      const [words, code] = wordsOf(found);
      root.hidden = !words || state.sending?.call === "publish-plan";
      command.textContent = words ?? "";
      python.textContent = code ?? "";
    },
  };
}

/**
 * What this step does: it looks at columns, at errors to expect, or publishes.
 * @param {any} found
 */
function wordsOf(found) {
  if (state.step === "accuracy") return [found.suggest, found.suggest_python];
  if (state.step === "table" || !found.command) return [found.columns, found.columns_python];
  return [found.command, found.python];
}

/**
 * Both, as texts.
 * @param {string} command
 * @param {string} python
 */
export function bothWords(command, python) {
  return element("div", { class: "words" }, block(TEXT.command, element("code", {}, command)), block(TEXT.python, element("code", {}, python)));
}

/**
 * @param {string} title
 * @param {HTMLElement} code
 */
export function block(title, code) {
  const said = element("span", { class: "hint", role: "status" });
  return element("div", {},
    element("p", { class: "tools" }, element("strong", {}, title), button(TEXT.copy, () => void copy(code, said), { "aria-label": `${TEXT.copy}: ${title}` }), said),
    element("pre", { tabindex: 0, "aria-label": title }, code));
}

/**
 * @param {HTMLElement} code
 * @param {HTMLElement} said
 */
async function copy(code, said) {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    said.textContent = TEXT.copied;
  } catch {
    said.textContent = TEXT.cannotCopy;
  }
}
