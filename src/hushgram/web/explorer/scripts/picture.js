/** Pictures to keep: maps and charts as PNG. */

const PROPERTIES = ["display", "fill", "stroke", "stroke-width", "opacity", "font-size", "font-family", "text-anchor"];

/**
 * @param {HTMLCanvasElement} canvas
 * @param {string} name
 */
export function saveCanvas(canvas, name) {
  canvas.toBlob((blob) => {
    if (blob) saveBlob(blob, `${fileName(name)}.png`);
  });
}

/**
 * A chart as it is seen, on the colour of its card.
 * @param {import("./chart.js").Chart} chart
 * @param {string} name
 */
export async function saveChart(chart, name) {
  const { drawing, width } = chart;
  const copy = /** @type {SVGElement} */ (drawing.cloneNode(true));
  const [seen, copied] = [drawing, copy].map((root) => [...root.querySelectorAll("*")]);
  seen.forEach((one, n) => {
    const style = getComputedStyle(one);
    for (const property of PROPERTIES) copied[n].setAttribute(property, style.getPropertyValue(property));
  });
  const height = Number(drawing.getAttribute("height"));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const context = canvas.getContext("2d");
  if (!context) return;
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--card");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  saveCanvas(canvas, name);
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function saveBlob(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  [link.href, link.download] = [address, name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** @param {string} name */
function fileName(name) {
  return name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60).toLowerCase() || "chart";
}
