/**
 * What the steward has declared. It is kept for this tab, so that a reload loses nothing; no number of
 * the table is ever in it.
 *
 * @typedef {{name: string, kind: string, outside: string, kinds?: string[], type?: string, lo: string, hi: string, bins: string,
 *   edges: string, values: string[], step: string, file: string, names: string, x: string, y: string, text: string,
 *   search?: {request: string, form: Record<string, any>}}} AxisForm
 * @typedef {{kind: string, column: string, lo: string, hi: string, step: string, outside: string, missing: string}} MeasureForm
 * @typedef {{source: string, where: string, text: Record<string, string>, axes: AxisForm[], measures: MeasureForm[],
 *   share: string, unit: string, max_rows: string, neighbours: string, rows: string, mechanism: string, workload: string,
 *   account: string, epsilon: string, cap: string, allow_large: boolean, about: Record<string, string>}} Form
 * @typedef {{name: string, type: string, kinds: string[]}} Column
 * @typedef {{request: string, form: any, reviewed?: string, call: string, sent: boolean}} Sending
 */

/** Nobody else knows the path of this run: a server that had its port before cannot have left a
 * request here that would be sent without a review. */
const KEY = `hushgram-studio ${location.pathname}`;

/** @returns {Form} */
export function blankForm() {
  return {
    source: "", where: "", text: {}, axes: [], measures: [], share: "", unit: "", max_rows: "", neighbours: "add-remove",
    rows: "1,000,000", mechanism: "auto", workload: "", account: "", epsilon: "1", cap: "", allow_large: false, about: {},
  };
}

/**
 * @param {string} name
 * @param {string[]} kinds
 * @param {string} [type]
 * @returns {AxisForm}
 */
export function blankAxis(name, kinds, type = "") {
  return {
    name, kinds, type, kind: kinds[0], outside: "drop", lo: "", hi: "", bins: "100", edges: "", values: [], step: "1d",
    file: "", names: "name", x: "lon", y: "lat", text: "",
  };
}

/** @returns {MeasureForm} */
export function blankMeasure() {
  return { kind: "mean", column: "", lo: "", hi: "", step: "", outside: "", missing: "" };
}

class State {
  constructor() {
    this.form = blankForm();
    this.view = "publish";
    this.step = "table";
    /** @type {Column[]} */
    this.columns = [];
    /** How many more there are. */
    this.more = 0;
    /** Which table they are of, and how it was read. */
    this.opened = "";
    /** @type {{name: string, form: Form}[]} */
    this.plan = [];
    /** @type {Sending | null} */
    this.sending = null;
    this.load();
  }

  load() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
      const { form, view, step, columns, more, opened, plan, sending } = kept;
      if (form) Object.assign(this, { form: { ...blankForm(), ...form }, view, step, columns, more, opened, plan, sending });
    } catch {
      sessionStorage.removeItem(KEY);
    }
  }

  save() {
    const { form, view, step, columns, more, opened, plan, sending } = this;
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ form, view, step, columns, more, opened, plan, sending }));
    } catch {
      // The tab's storage is full: a reload starts over, and the ledger still spends once.
    }
  }

  /** The table that the form names, and what decides how its columns are called. */
  get table() {
    const { source, text } = this.form;
    return JSON.stringify([source.trim(), text.separator || "", text.encoding || ""]);
  }

  /** Whether the columns are those of the table that the form names. */
  get isOpen() {
    return this.opened === this.table;
  }
}

export const state = new State();

/** A name for a request, made before it is sent: sent again, it is the same request. */
export function newRequest() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
