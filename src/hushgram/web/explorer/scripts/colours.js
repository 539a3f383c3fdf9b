/** Colours of the map: from paper to ink, and from fewer to more, for light and for dark pages. */

const RAMPS = {
  light: ["#e6f1e8", "#c6e0cf", "#8cc5b5", "#3f93a2", "#25598a", "#1b2a5c"],
  dark: ["#1a2530", "#1f3a50", "#23607a", "#2f9a8f", "#9acb6b", "#fdf1a9"],
};
/** From fewer rows than before to more. */
const CHANGES = {
  light: ["#8c3a0c", "#cf7b3e", "#eec7a8", "#f3f2ee", "#b8d3e2", "#5e97bd", "#1d4f7c"],
  dark: ["#ffb877", "#c0702f", "#6a3f22", "#22272c", "#27496a", "#3f86b5", "#7cc4f0"],
};
const STEPS = 256;
/** How much of the colour is left where noise could explain it. */
const FADED = 0.3;

/**
 * @typedef {{solid: Uint32Array, faded: Uint32Array, css: string[]}} Colours
 */

/**
 * @param {boolean} dark
 * @param {boolean} [change] whether values can be below zero, which is in the middle
 * @returns {Colours}
 */
export function makeColours(dark, change = false) {
  const ramps = change ? CHANGES : RAMPS;
  const css = dark ? ramps.dark : ramps.light;
  const stops = css.map(readColour);
  const grey = dark ? [24, 27, 32] : [241, 241, 238];
  const solid = new Uint32Array(STEPS);
  const faded = new Uint32Array(STEPS);
  for (let n = 0; n < STEPS; n++) {
    const place = (n / (STEPS - 1)) * (stops.length - 1);
    const below = Math.min(Math.floor(place), stops.length - 2);
    const colour = stops[below].map((low, k) => low + (place - below) * (stops[below + 1][k] - low));
    solid[n] = pack(colour);
    faded[n] = pack(colour.map((each, k) => FADED * each + (1 - FADED) * grey[k]));
  }
  return { solid, faded, css };
}

/**
 * @param {Colours} colours
 * @param {number} share from 0 to 1
 * @param {boolean} [isFaded] whether noise could explain it
 */
export function cssOf({ solid, faded }, share, isFaded = false) {
  const colour = (isFaded ? faded : solid)[Math.round((STEPS - 1) * Math.min(Math.max(share, 0), 1))];
  return `rgb(${colour & 255} ${(colour >> 8) & 255} ${(colour >> 16) & 255})`;
}

/**
 * Whether black letters are read better on a colour than white ones.
 * @param {string} css as `cssOf` writes it
 */
export function isPale(css) {
  const [red, green, blue] = (css.match(/\d+/g) ?? []).map((each) => (Number(each) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18;
}

/** @param {string} text */
function readColour(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

/** @param {number[]} colour */
function pack([red, green, blue]) {
  return ((255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;
}

export const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
