/** Calls of the server. What is wrong comes back as problems, each with its field. */
import { TEXT } from "./strings.js";

/** @typedef {{field: string, kind: string, message: string}} Problem */

export class Problems extends Error {
  /** @param {Problem[]} found */
  constructor(found) {
    super(found.map((one) => one.message).join(" "));
    this.found = found;
  }
}

/**
 * @param {string} name
 * @param {Record<string, any>} [form]
 * @returns {Promise<any>}
 */
export async function call(name, form = {}) {
  let response;
  try {
    response = await fetch(`call/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(form),
    });
  } catch {
    throw new Problems([{ field: "", kind: "NoConnection", message: TEXT.noConnection }]);
  }
  const text = await response.text();
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Problems([{ field: "", kind: "Refused", message: text.slice(0, 500) }]);
  }
  if (found.wrong) throw new Problems(found.wrong);
  return found;
}

/**
 * Do something; what the library says is wrong goes where it belongs.
 * @param {() => Promise<void>} act
 * @param {(problems: Problem[]) => void} complain
 */
export async function attempt(act, complain) {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Problems)) throw error;
    complain(error.found);
  }
}

/**
 * The address of a file of a release.
 * @param {string} request
 * @param {string} name of the release in its plan
 * @param {string} what
 * @param {string} called what the file is called
 */
export function addressOf(request, name, what, called) {
  return `file/${encodeURIComponent(request)}/${encodeURIComponent(name)}/${what}?as=${encodeURIComponent(called)}`;
}

/** @param {number} milliseconds */
export function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/**
 * Call until there is an answer: the connection may be lost for a while.
 * @param {string} name
 * @param {Record<string, any>} form
 * @param {(message: string) => void} say
 */
export async function insist(name, form, say) {
  for (let wait = 250; ; wait = Math.min(2 * wait, 4000)) {
    try {
      return await call(name, form);
    } catch (error) {
      if (!(error instanceof Problems) || error.found[0]?.kind !== "NoConnection") throw error;
      say(TEXT.noConnection);
      await pause(wait);
    }
  }
}
