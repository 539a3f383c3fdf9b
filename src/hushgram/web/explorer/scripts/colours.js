/** Colours of the map: from paper to ink, for light and for dark pages. */

const RAMPS = {
  light: ["#e6f1e8", "#c6e0cf", "#8cc5b5", "#3f93a2", "#25598a", "#1b2a5c"],
  dark: ["#1a2530", "#1f3a50", "#23607a", "#2f9a8f", "#9acb6b", "#fdf1a9"],
};
const STEPS = 256;
/** How much of the colour is left where noise could explain it. */
const FADED = 0.3;

/** @param {boolean} dark */
export function makeColours(dark) {
  const stops = (dark ? RAMPS.dark : RAMPS.light).map(readColour);
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
