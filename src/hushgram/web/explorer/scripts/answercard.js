/**
 * The answer, in numbers and in words; what is counted, of which release, with which confidence; and the
 * same question as a link, a command and in Python.
 *
 * @typedef {import("./explorer.js").Explorer} Explorer
 */
import { ROWS, isUnsure } from "./asker.js";
import { button, element, shorten } from "./dom.js";
import { toCommand, toPython } from "./elsewhere.js";
import { formatAnswer, formatLevel, formatParts } from "./format.js";
import { toFragment } from "./fragment.js";
import { Comparison } from "./multiples.js";
import { TEXT } from "./strings.js";
import { unitText } from "./units.js";
import { DOMINANT } from "./widths.js";
import { questionText } from "./wording.js";

/** Letters of a command that are shown; all are copied. */
const LONGEST = 2000;

export class AnswerCard {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    const { confidences, releases } = explorer.contents;
    this.box = element("div", { class: "answer", role: "status", "aria-live": "polite", "aria-atomic": "true" });
    this.message = element("p", { class: "hint", role: "status" });
    this.commandText = element("code", { id: "command" });
    this.pythonText = element("code", { id: "python" });
    /** The answer of each release, where there are several. @type {import("./asker.js").Answer[] | null} */
    this.compared = null;
    this.level = element("select", { id: "level", onchange: () => this.setLevel(Number(this.level.value)) },
      ...confidences.map((one) => element("option", { value: one.level }, formatLevel(one.level))));
    this.measure = this.measureSelect();
    this.shown = this.shownSelect();
    this.comparison = releases.length > 1
      ? new Comparison(releases.map(({ called }) => called), (n) => explorer.showRelease(n, false)) : null;
    this.root = this.build();
    new ResizeObserver(() => this.makeRoom()).observe(this.root);
    this.elsewhere = element("section", { class: "card wide" }, element("h2", {}, TEXT.ask),
      element("pre", { tabindex: 0 }, this.commandText), element("pre", { tabindex: 0 }, this.pythonText));
  }

  build() {
    const choice = (/** @type {string} */ text, /** @type {HTMLSelectElement | null} */ select) =>
      select && element("label", {}, `${text} `, select);
    return element("section", { class: "card sticky", "aria-label": TEXT.answer },
      this.box,
      element("div", { class: "tools" },
        choice(TEXT.show, this.measure),
        choice(TEXT.shownRelease, this.shown),
        choice(TEXT.confidence, this.level),
        button(TEXT.clear, () => this.explorer.ask({})),
        hasAddress() ? button(TEXT.copyLink, () => this.copy(this.link)) : null,
        button(TEXT.copyCommand, () => this.copy(this.command ?? TEXT.noCommand)),
        button(TEXT.copyPython, () => this.copy(this.python))),
      this.message,
      this.comparison?.root);
  }

  /** The card may lie over what is scrolled to or in focus: that stays below it. */
  makeRoom() {
    const isOver = getComputedStyle(this.root).position === "sticky";
    document.documentElement.style.scrollPaddingTop = isOver ? `${this.root.offsetHeight + 8}px` : "";
  }

  measureSelect() {
    const { asker, release } = this.explorer;
    const { measures } = release;
    if (!measures.length) return null;
    const options = [element("option", { value: "rows" }, TEXT.unit.rows)];
    measures.forEach(({ kind }, place) => {
      const kinds = kind === "mean" ? ["mean", "sum"] : kind === "sum" ? ["sum", "mean"] : ["sum"];
      for (const one of kinds) options.push(element("option", { value: `${one} ${place}` }, unitText({ kind: one, place }, release)));
    });
    const select = element("select", { id: "measure", onchange: () => {
      const [kind, place] = select.value.split(" ");
      asker.what = kind === "rows" ? ROWS : { kind: kind === "sum" ? "sum" : "mean", place: Number(place) };
      this.explorer.changed(true);
    } }, ...options);
    return select;
  }

  shownSelect() {
    const { releases } = this.explorer.contents;
    if (releases.length < 2) return null;
    const names = releases.map(({ called }) => shorten(called, 40));
    const select = element("select", { id: "shown", onchange: () => {
      const [n, isChange] = select.value.split(" ");
      this.explorer.showRelease(Number(n), isChange === "change");
    } },
      ...names.map((name, n) => element("option", { value: `${n} itself` }, name)),
      ...names.slice(1).map((name, n) => element("option", { value: `${n + 1} change` }, TEXT.changeFrom(name, names[0]))));
    return select;
  }

  /** @param {number} level */
  setLevel(level) {
    this.explorer.asker.confidence = this.explorer.contents.confidence(level);
    this.explorer.changed(true);
  }

  get link() {
    return `${location.href.split("#")[0]}#${toFragment(this.explorer.asker)}`;
  }

  /** The releases that an answer is about: two for a change. */
  get asked() {
    const { asker, contents } = this.explorer;
    return asker.isChange ? [contents.releases[0], asker.release] : [asker.release];
  }

  get command() {
    const { asker, contents } = this.explorer;
    const commands = this.asked.map((release) => toCommand(asker, release, contents.shapes));
    return commands.includes(null) ? null : commands.join("\n");
  }

  get python() {
    const { asker, contents } = this.explorer;
    return ["import hushgram as hg", ...this.asked.map((release) => toPython(asker, release, contents.shapes))].join("\n");
  }

  /** The answer to what is asked now. */
  show() {
    const { asker, look, contents } = this.explorer;
    const { asking, outline, isChange } = asker;
    const answer = asker.ask(asking);
    const unit = unitText(asker.what, asker.release);
    this.box.replaceChildren(
      element("p", { class: "question" }, questionText(asker)),
      element("p", { class: "count-line" }, element("span", { class: "count" }, formatAnswer(answer, look.isRows)), " ",
        element("span", { class: "unit" }, isChange ? TEXT.changeOf(unit) : unit)),
      element("p", { class: "meaning" }, this.meaning(answer)));
    const clip = (/** @type {string} */ text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text);
    this.commandText.textContent = clip(this.command ?? TEXT.noCommand);
    this.pythonText.textContent = clip(this.python);
    if (!this.comparison) return;
    this.compared = contents.releases.map((one) => asker.answer(one, asking, outline));
    this.comparison.draw(this.compared, asker.shown, look);
  }

  /**
   * What an answer says, and why its margin is wide.
   * @param {import("./asker.js").Answer} answer
   */
  meaning(answer) {
    const { asker, look } = this.explorer;
    if (!answer) return TEXT.tooFew;
    const [, low, high] = formatParts(answer, look.isRows);
    const level = formatLevel(asker.confidence.level);
    const isFew = look.isRows && !asker.isChange && answer.low <= 0;
    if (isFew && answer.high < 0) return TEXT.belowZero;
    const texts = isFew ? [TEXT.atMost(high, level), TEXT.cannotTell] : [TEXT.between(low, high, level)];
    if (asker.isChange && isUnsure(answer)) texts.push(TEXT.cannotTellChange);
    const isWide = answer.noise !== null && answer.high - answer.value > DOMINANT * answer.noise;
    if (isWide) texts.push(asker.outline ? TEXT.wideArea : TEXT.wide[asker.release.whyWide] ?? "");
    return texts.filter(Boolean).join(" ");
  }

  /** What is chosen. */
  showChosen() {
    const { confidence, what, shown, isChange } = this.explorer.asker;
    this.level.value = String(confidence.level);
    if (this.measure) this.measure.value = what.kind === "rows" ? "rows" : `${what.kind} ${what.place}`;
    if (this.shown) this.shown.value = `${shown} ${isChange ? "change" : "itself"}`;
  }

  /** @param {string} text */
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.message.textContent = TEXT.copied;
    } catch {
      this.message.replaceChildren(TEXT.cannotCopy, element("textarea", { readonly: true, rows: 3, "aria-label": TEXT.cannotCopy }, text));
      this.message.querySelector("textarea")?.select();
    }
  }
}

/** Whether the page is at an address that others can open: in a notebook and in the Studio it is not,
 * and what stands there in its place is the Studio's secret. */
function hasAddress() {
  return location.protocol === "file:" || origin !== "null";
}
