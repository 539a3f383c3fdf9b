/**
 * What cards with a map have in common: tools, areas in colours, a small map of each release.
 *
 * @typedef {import("./explorer.js").Explorer} Explorer
 * @typedef {import("./asker.js").Answer} Answer
 * @typedef {import("./map.js").MapView} MapView
 * @typedef {import("./scale.js").Scale} Scale
 * @typedef {import("./shapes.js").Shapes} Shapes
 */
import { isUnsure } from "./asker.js";
import { button, element } from "./dom.js";
import { formatShort, formatTo } from "./format.js";
import { SmallMaps } from "./multiples.js";
import { saveCanvas } from "./picture.js";
import { scaleOf } from "./scale.js";
import { TEXT } from "./strings.js";

const KILOMETRES = 111.195;

export class MapCard {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    /** What the map was painted for last. */
    this.paintedFor = "";
    /** Answers for areas, in the release that is shown. @type {Answer[]} */
    this.answers = [];
    this.colours = element("select", { onchange: () => {
      this.paintedFor = "";
      explorer.changed(false);
    } });
    this.title = element("h2");
  }

  /**
   * @param {MapView} view
   * @param {(HTMLElement | null)[]} choices
   * @param {HTMLElement | null} [more]
   */
  build(view, choices, more = null) {
    const { releases } = this.explorer.contents;
    view.tools.append(button(TEXT.picture, () => saveCanvas(view.canvas, this.title.textContent ?? "")));
    this.small = releases.length > 1
      ? new SmallMaps(view, releases.map(({ called }) => called), (n) => this.explorer.showRelease(n, false)) : null;
    return element("section", { class: "card wide", "aria-label": TEXT.map("", "") }, this.title,
      choices.length ? element("div", { class: "tools" }, ...choices) : null, view.root, this.small?.root, more);
  }

  /**
   * Answers for each area, in each release that is seen.
   * @param {Shapes} shapes
   * @param {(n: number, release: number | null) => Answer} ask of the shown release if there is no number
   */
  *answerShapes(shapes, ask) {
    /** @type {Answer[]} */
    const shown = [];
    /** @type {Answer[][]} */
    const each = [];
    for (let n = 0; n < shapes.names.length; n++) {
      shown.push(ask(n, null));
      yield;
    }
    for (let release = 0; this.small && release < this.small.contents.length; release++) {
      each.push([]);
      for (let n = 0; n < shapes.names.length; n++) {
        each[release].push(ask(n, release));
        yield;
      }
    }
    return { shown, each };
  }

  /**
   * @param {MapView} view
   * @param {Shapes} shapes
   * @param {{shown: Answer[], each: Answer[][]}} answers
   */
  showShapes(view, shapes, { shown, each }) {
    const { asker, look } = this.explorer;
    const bySize = look.isSum && this.colours.value !== "count";
    const values = (/** @type {Answer[]} */ answers) =>
      answers.map((answer, n) => (answer ? answer.value / (bySize ? shapes.sizes[n] || 1 : 1) : NaN));
    const scale = scaleOf(asker.isChange ? [values(shown)] : [values(shown), ...each.map(values)], look.isSum, asker.isChange);
    const looksOf = (/** @type {Answer[]} */ answers, /** @type {Scale} */ used) => values(answers).map((value, n) =>
      Number.isNaN(value) ? null
        : { share: used.share(value), unsure: (used.isChange || look.isSum) && (used.isChange ? isUnsure(answers[n]) : (answers[n]?.low ?? 0) <= 0) });
    const text = (/** @type {number} */ value) => {
      if (!bySize) return look.isSum ? formatShort(value) : formatTo(value, (scale.high - scale.low) / 20);
      if (!shapes.degrees) return TEXT.perUnit(formatShort(value));
      const size = 10 ** Math.max(-Math.floor(Math.log10(Math.max(scale.high / KILOMETRES ** 2, 1e-12))), 0);
      return TEXT.perKm(formatShort((value * size) / KILOMETRES ** 2), size > 1 ? `${formatShort(size)} ` : "");
    };
    this.answers = shown;
    view.setContent({ kind: "shapes", shapes, looks: looksOf(shown, scale), change: asker.isChange },
      { low: text(scale.low), high: text(scale.high), notes: look.isSum || asker.isChange ? TEXT.hatched : "", change: asker.isChange });
    if (!this.small) return;
    const plain = scaleOf(each.map(values), look.isSum, false);
    this.small.contents = each.map((answers) => ({ kind: "shapes", shapes, looks: looksOf(answers, plain), change: false }));
  }

  showSmall() {
    const { asker, look, answer: { compared } } = this.explorer;
    if (this.small && compared) this.small.setAnswers(asker.isChange ? null : asker.shown, compared, look.isRows);
  }
}

/**
 * How much longer a degree up is than one across, in the middle between two latitudes.
 * @param {number} low
 * @param {number} high
 */
export function stretchAt(low, high) {
  return 1 / Math.cos((Math.min(Math.abs(low + high) / 2, 75) * Math.PI) / 180);
}
