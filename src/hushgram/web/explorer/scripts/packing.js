/**
 * Arrays from the text that a page keeps them in (see packing.py).
 *
 * @typedef {{length: number, constant?: number, type?: string, differences?: boolean,
 *   divisor?: number}} Entry
 * @typedef {Float64Array | Int32Array} Numbers
 */

/** Bytes of a number of each type. */
const WIDTHS = /** @type {Record<string, number>} */ ({ i1: 1, i2: 2, i4: 4, f8: 8 });

/**
 * The bytes behind a text in base 64, unpacked.
 * @param {string} text
 * @returns {Promise<Uint8Array>}
 */
export async function unpackBytes(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * All arrays, in order.
 * @param {Entry[]} entries
 * @param {Uint8Array} bytes
 * @returns {Numbers[]}
 */
export function readArrays(entries, bytes) {
  let place = 0;
  return entries.map((entry) => {
    if (entry.constant !== undefined) {
      return new Float64Array(entry.length).fill(entry.constant / (entry.divisor ?? 1));
    }
    const type = entry.type ?? "f8";
    const end = place + WIDTHS[type] * entry.length;
    const found = readNumbers(unshuffle(bytes.subarray(place, end), WIDTHS[type]), type);
    place = end;
    if (entry.differences) for (let n = 1; n < found.length; n++) found[n] += found[n - 1];
    const { divisor } = entry;
    return divisor ? Float64Array.from(found, (number) => number / divisor) : found;
  });
}

/**
 * Bytes in the order of the numbers, from those in the order of their places in a number.
 * @param {Uint8Array} bytes
 * @param {number} width
 */
function unshuffle(bytes, width) {
  const length = bytes.length / width;
  const found = new Uint8Array(bytes.length);
  for (let byte = 0; byte < width; byte++) {
    const start = byte * length;
    for (let n = 0; n < length; n++) found[n * width + byte] = bytes[start + n];
  }
  return found;
}

/**
 * @param {Uint8Array} bytes
 * @param {string} type
 * @returns {Numbers}
 */
function readNumbers(bytes, type) {
  if (type === "f8") return new Float64Array(bytes.buffer);
  if (type === "i4") return new Int32Array(bytes.buffer);
  return Int32Array.from(type === "i2" ? new Int16Array(bytes.buffer) : new Int8Array(bytes.buffer));
}

/**
 * A description with arrays where it refers to some.
 * @param {any} described
 * @param {Numbers[]} arrays
 * @returns {any}
 */
export function fillIn(described, arrays) {
  if (Array.isArray(described)) return described.map((one) => fillIn(one, arrays));
  if (described === null || typeof described !== "object") return described;
  if (typeof described.array === "number") return arrays[described.array];
  return Object.fromEntries(
    Object.entries(described).map(([key, value]) => [key, fillIn(value, arrays)]),
  );
}
