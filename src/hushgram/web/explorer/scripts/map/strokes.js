/**
 * Lines that are drawn by hand.
 *
 * @typedef {import("./viewport.js").Place} Place
 */

/**
 * @param {Place} a
 * @param {Place} b
 */
export function distance(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/**
 * @param {Place} a
 * @param {Place} b
 */
export function middle(a, b) {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

/**
 * A line with fewer corners, none of those left out far from it (Douglas and Peucker 1973).
 * @param {Place[]} corners
 * @param {number} most
 * @returns {Place[]}
 */
export function thin(corners, most) {
  if (corners.length < 3) return corners;
  const [first, last] = [corners[0], corners[corners.length - 1]];
  const length = distance(first, last);
  let [farthest, at] = [most, 0];
  corners.slice(1, -1).forEach((corner, n) => {
    const across = (last.x - first.x) * (first.y - corner.y) - (first.x - corner.x) * (last.y - first.y);
    const far = length ? Math.abs(across) / length : distance(first, corner);
    if (far > farthest) [farthest, at] = [far, n + 1];
  });
  if (!at) return [first, last];
  return [...thin(corners.slice(0, at + 1), most).slice(0, -1), ...thin(corners.slice(at), most)];
}
