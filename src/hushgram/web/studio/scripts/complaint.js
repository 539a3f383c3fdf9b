/** Problems of the whole, each with a way to the step that it belongs to. */
import { button, element, message } from "../../explorer/scripts/dom.js";
import { problemBox } from "./fields.js";
import { stepOf } from "./steps.js";
import { TEXT } from "./strings.js";

/**
 * Problems here, and a way to the step that they belong to.
 * @param {import("./main.js").Page} page
 * @param {HTMLElement} said
 * @param {import("./api.js").Problem[]} problems
 */
export function complain(page, said, problems) {
  const box = problemBox();
  box.hidden = false;
  for (const one of problems) {
    const step = stepOf(one);
    box.append(element("p", {}, message(one.message), " ",
      step === "publish" ? null : button(TEXT.steps[/** @type {keyof typeof TEXT.steps} */ (step)], () => page.go(step))));
  }
  said.replaceChildren(box);
}
