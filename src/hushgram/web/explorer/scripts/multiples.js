/**
 * Several releases side by side: a small map of each, and a table of what each answers and how much
 * that is more than in the first.
 *
 * @typedef {import("./asker.js").Answer} Answer
 * @typedef {import("./painting.js").Content} Content
 */
import { change, isUnsure } from "./asker.js";
import { meter, meterEnds } from "./categories.js";
import { element, label } from "./dom.js";
import { formatAnswer } from "./format.js";
import { Frame, paintContent, paintOutlines, tracePath } from "./painting.js";
import { TEXT } from "./strings.js";

export class Comparison {
  /**
   * @param {string[]} names
   * @param {(n: number) => void} choose
   */
  constructor(names, choose) {
    this.names = names;
    this.choose = choose;
    this.body = element("tbody");
    const heads = [TEXT.release, "", TEXT.value, TEXT.difference].map((text) => element("th", { scope: "col" }, text || " "));
    heads[1].setAttribute("aria-hidden", "true");
    this.root = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": TEXT.compare },
      element("table", { "aria-label": TEXT.compare, class: "compare" },
        element("thead", {}, element("tr", {}, ...heads)), this.body));
  }

  /**
   * @param {Answer[]} answers
   * @param {number} shown
   * @param {{isRows: boolean, isSum: boolean}} look
   */
  draw(answers, shown, { isRows, isSum }) {
    const [bottom, top] = meterEnds(answers, { isRows, isSum });
    this.body.replaceChildren(...answers.map((answer, n) => {
      const apart = n ? change(answers[0], answer) : null;
      return element("tr", { class: n === shown ? "shown" : null },
        element("th", { scope: "row" }, label(this.names[n])),
        element("td", { class: "wide-cell" }, meter(answer, bottom, top, true, isSum)),
        element("td", {}, formatAnswer(answer, isRows)),
        element("td", {}, n ? formatAnswer(apart, isRows) : "",
          apart ? element("span", { class: "verdict" }, ` ${verdict(apart)}`) : null));
    }));
  }
}

/** @param {NonNullable<Answer>} apart */
function verdict(apart) {
  if (isUnsure(apart)) return TEXT.same;
  return apart.value > 0 ? TEXT.increased : TEXT.decreased;
}

/** Small maps that follow the large one. */
export class SmallMaps {
  /**
   * @param {import("./map.js").MapView} map
   * @param {string[]} names
   * @param {(n: number) => void} choose
   */
  constructor(map, names, choose) {
    this.map = map;
    /** @type {(Content | null)[]} */
    this.contents = names.map(() => null);
    this.canvases = names.map(() => element("canvas", { "aria-hidden": "true" }));
    this.captions = names.map(() => element("span", { class: "number" }));
    this.buttons = names.map((name, n) => element("button", { type: "button", class: "small-map", onclick: () => choose(n) },
      this.canvases[n], element("span", { class: "name" }, label(name)), this.captions[n]));
    this.root = element("div", { class: "small-maps", role: "group", "aria-label": TEXT.smallMaps }, ...this.buttons);
    map.followers.push(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.root);
  }

  /**
   * @param {number | null} shown
   * @param {Answer[]} answers
   * @param {boolean} isRows
   */
  setAnswers(shown, answers, isRows) {
    this.buttons.forEach((one, n) => {
      one.setAttribute("aria-pressed", String(n === shown));
      this.captions[n].textContent = formatAnswer(answers[n], isRows);
    });
  }

  draw() {
    const { map } = this;
    const style = getComputedStyle(document.documentElement);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const { view, stretch } = map.port;
    const { width: whole, height: high } = map.port.inner;
    this.canvases.forEach((canvas, n) => {
      const content = this.contents[n];
      const width = canvas.clientWidth;
      const context = canvas.getContext("2d");
      if (!content || !width || !context) return;
      const height = Math.round((width * high) / whole);
      const ratio = Math.min(devicePixelRatio || 1, 2);
      [canvas.width, canvas.height] = [width * ratio, height * ratio];
      canvas.style.height = `${height}px`;
      const frame = new Frame(view, { left: 0, top: 0, width, height, ratio });
      paintContent(context, frame, content, colour);
      frame.inside(context, () => {
        if (stretch !== null) paintOutlines(context, frame, map.outlines, colour("--coast"), 0.5);
        context.strokeStyle = colour("--accent");
        context.lineWidth = 1.5;
        if (map.rings.length) {
          tracePath(context, frame, map.rings);
          context.stroke();
        }
        if (map.chosen) {
          const { x, y } = map.chosen;
          context.strokeRect(frame.toX(x[0]), frame.toY(y[1]), frame.toX(x[1]) - frame.toX(x[0]), frame.toY(y[0]) - frame.toY(y[1]));
        }
      });
    });
  }
}
