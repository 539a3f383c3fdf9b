/**
 * Every text of the page, in one place: translate this file to translate the page.
 * Texts with parts to fill in are functions.
 */
export const LANGUAGE = "en";

export const TEXT = {
  lead: (/** @type {string} */ names) =>
    `Noisy counts of a private table by ${names}. Choose a region or a group, and see about how many ` +
    "rows it holds, with a margin.",
  release: "Release",
  confidence: "Confidence",
  answer: "Answer",
  everything: "All rows",
  rows: (/** @type {string} */ value, /** @type {string} */ width) => `${value} ± ${width}`,
  about: (/** @type {string} */ value) => `About ${value} rows.`,
  between: (/** @type {string} */ low, /** @type {string} */ high, /** @type {string} */ level) =>
    `The true number lies between ${low} and ${high}, with a confidence of ${level}.`,
  cannotTell: "This could be noise: the true number may well be zero.",
  /** Why an interval is wide, by what the library says of it. */
  wide: /** @type {Record<string, string>} */ ({
    "mostly because the range cuts through cells; ask on cell edges for less":
      "Most of the margin is there because the range cuts through cells. It is smaller on cell edges.",
    "mostly because the range cuts through parts that were counted as one":
      "Most of the margin is there because the range cuts through parts that were counted as one.",
    "mostly because cells share one value":
      "Most of the margin is there because neighbouring cells share one value.",
  }),
  clear: "Clear all",
  clearAxis: (/** @type {string} */ name) => `Clear ${name}`,
  map: (/** @type {string} */ across, /** @type {string} */ up) => `Map of ${across} and ${up}`,
  mapHelp:
    "Drag to choose a box. Shift and drag to move the map. With the map in focus: arrow keys move, " +
    "+ and − zoom, 0 shows all, Enter chooses what is visible, Escape clears.",
  mapTools: "Map tools",
  mapAcross: "Across",
  mapUp: "Up",
  select: "Choose",
  move: "Move",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  showAll: "Show all",
  useView: "Choose what is visible",
  fewer: "fewer rows",
  more: "more rows",
  faded: "Faded: noise could explain it.",
  here: (/** @type {string} */ place, /** @type {string} */ count) => `${place}: ${count}`,
  through: "to",
  until: "up to",
  from: (/** @type {string} */ name) => `${name} from`,
  to: (/** @type {string} */ name) => `${name} to, not included`,
  upTo: (/** @type {string} */ name) => `${name} up to, included`,
  chart: (/** @type {string} */ name, /** @type {number} */ bars, /** @type {string} */ most) =>
    `Rows by ${name}, in ${bars} bars with margins. The largest: ${most}. The table of groups has ` +
    "the same numbers.",
  chartHelp: "Drag across the chart to choose a range.",
  search: (/** @type {string} */ name) => `Search ${name}`,
  noMatch: "No match.",
  moreValues: (/** @type {number} */ many) => `${many} more: search to find them.`,
  quantiles: (
    /** @type {string} */ median,
    /** @type {string} */ low,
    /** @type {string} */ high,
    /** @type {string} */ first,
    /** @type {string} */ third,
  ) => `Median ${median} (${low} to ${high}). The middle half of the rows lies between ${first} and ${third}.`,
  noQuantiles: "Too few rows to tell a median.",
  working: "Working…",
  table: "Groups",
  groupBy: "Group by",
  filter: "Search the table",
  group: "Group",
  value: "Count",
  lower: "At least",
  upper: "At most",
  copyTable: "Copy as CSV",
  compare: "Releases compared",
  difference: "Difference to the first",
  copyLink: "Copy link",
  copyCommand: "Copy command",
  copyPython: "Copy Python",
  picture: "Save map as PNG",
  copied: "Copied.",
  cannotCopy: "Select the text below and copy it.",
  noCommand: "The command line has no words for this question. Use Python.",
  ask: "Ask the same elsewhere",
  helpTitle: "What am I looking at?",
  help: [
    ["What is noise?",
      "Before this release left the owner of the table, random numbers were added to every count. " +
      "They hide whether any one person is in the table. So no number here is exact: a count of 120 " +
      "may be 116 or 125 in truth, and a count may even be below zero."],
    ["What is a margin?",
      "The number after ± says how far off a count can be. Of all counts with a 95 % margin, about " +
      "19 in 20 have the true number within it. Large regions have small margins for their size, and " +
      "small ones large margins."],
    ["What cannot be seen here?",
      "Single people, and small groups: they look like noise. Places where a map shows a few rows may " +
      "have none, and the other way round. Nothing outside of the axes was counted. Asking more often " +
      "does not reveal more: this page holds the noisy numbers only, and sends nothing anywhere."],
    ["Why do parts not add up exactly?",
      "Each count has its own margin. Where a choice cuts through a cell, the page takes the share of " +
      "its rows that the choice covers, and widens the margin for rows that lie unevenly."],
  ],
  facts: "About this release",
  factNames: /** @type {Record<string, string>} */ ({
    mechanism: "Mechanism",
    epsilon: "ε (privacy budget)",
    unit: "Protects",
    neighbours: "Neighbouring tables",
    parts: "Parts",
    where: "Rows included",
    receipt: "Receipt of the ledger",
    publisher: "Publisher",
    source: "Source",
    contact: "Contact",
    licence: "Licence",
    date: "Date",
    file: "File",
  }),
  footer: "Made by Hushgram from the release file alone. This page needs no network.",
};
