/** Colours of the map: from paper to ink, for light and for dark pages. */

const RAMPS = {
  light: ["#f6f7f4", "#d5e6d8", "#8cc5b5", "#3f93a2", "#25598a", "#1b2a5c"],
  dark: ["#14181d", "#1f3345", "#23607a", "#2f9a8f", "#9acb6b", "#fdf1a9"],
};
const STEPS = 256;
/** How much of the colour is left where noise could explain it. */
const FADED = 0.4;

/** @param {boolean} dark */
export function makeColours(dark) {
  const stops = (dark ? RAMPS.dark : RAMPS.light).map(readColour);
  const grey = dark ? [38, 42, 48] : [228, 229, 226];
  const solid = new Uint32Array(STEPS);
  const faded = new Uint32Array(STEPS);
  for (let n = 0; n < STEPS; n++) {
    const place = (n / (STEPS - 1)) * (stops.length - 1);
    const below = Math.min(Math.floor(place), stops.length - 2);
    const colour = stops[below].map((low, k) => low + (place - below) * (stops[below + 1][k] - low));
    solid[n] = pack(colour);
    faded[n] = pack(colour.map((each, k) => FADED * each + (1 - FADED) * grey[k]));
  }
  return { solid, faded, css: dark ? RAMPS.dark : RAMPS.light };
}

/** @param {string} text */
function readColour(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

/** @param {number[]} colour */
function pack([red, green, blue]) {
  return ((255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;
}
