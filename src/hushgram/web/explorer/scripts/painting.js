/**
 * Painting maps: tiles, the change of tiles, areas, coastlines.
 *
 * @typedef {import("./tiles.js").Tiles} Tiles
 * @typedef {{x: [number, number], y: [number, number]}} Area in the units in which axes are drawn
 * @typedef {import("./shapes.js").Shapes} Shapes
 * @typedef {{share: number, unsure: boolean} | null} Look of an area: its place between the colours
 * @typedef {{kind: "tiles", tiles: Tiles, top: number}
 *   | {kind: "change", before: Tiles, after: Tiles, top: number}
 *   | {kind: "shapes", shapes: Shapes, looks: Look[], change: boolean}} Content of a map
 */
import { cssOf, isDark, makeColours } from "./colours.js";

/** A rectangle of a canvas, and the part of the map that it shows. */
export class Frame {
  /**
   * @param {Area} view
   * @param {{left: number, top: number, width: number, height: number, ratio: number}} place in pixels of
   *   the page, and how many pixels of the canvas make one of these
   */
  constructor(view, { left, top, width, height, ratio }) {
    this.view = view;
    this.left = left;
    this.top = top;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
  }

  /** @param {number} x */
  toX(x) {
    const [low, high] = this.view.x;
    return this.left + ((x - low) / (high - low)) * this.width;
  }

  /** @param {number} y */
  toY(y) {
    const [low, high] = this.view.y;
    return this.top + (1 - (y - low) / (high - low)) * this.height;
  }

  /** How many pixels of the canvas there are, across and up. */
  get pixels() {
    return [Math.round(this.width * this.ratio), Math.round(this.height * this.ratio)];
  }

  /**
   * Draw inside of the frame only, in pixels of the page.
   * @param {CanvasRenderingContext2D} context
   * @param {() => void} draw
   */
  inside(context, draw) {
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.save();
    context.beginPath();
    context.rect(this.left, this.top, this.width, this.height);
    context.clip();
    draw();
    context.restore();
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {Content} content
 * @param {(name: string) => string} colour
 */
export function paintContent(context, frame, content, colour) {
  if (content.kind === "tiles") paintTiles(context, frame, content.tiles, content.top);
  else if (content.kind === "change") paintChange(context, frame, content.before, content.after, content.top);
  else {
    frame.inside(context, () => paintShapes(context, frame, content.shapes, content.looks,
      { change: content.change, line: colour("--border"), hatch: colour("--card") }));
  }
}

/**
 * @param {Frame} frame
 * @param {Tiles} tiles
 * @param {(tile: number, start: number, end: number) => void} fill a tile's pixels in one row
 */
function forEachTile(frame, tiles, fill) {
  const [width, height] = frame.pixels;
  const { view } = frame;
  const scaleX = width / (view.x[1] - view.x[0]);
  const scaleY = height / (view.y[1] - view.y[0]);
  const [left, top] = [view.x[0], view.y[1]];
  for (let n = 0; n < tiles.density.length; n++) {
    const x0 = Math.max(Math.round((tiles.x0[n] - left) * scaleX), 0);
    let x1 = Math.min(Math.round((tiles.x1[n] - left) * scaleX), width);
    const y0 = Math.max(Math.round((top - tiles.y1[n]) * scaleY), 0);
    let y1 = Math.min(Math.round((top - tiles.y0[n]) * scaleY), height);
    if (x0 >= width || y0 >= height || x1 < 0 || y1 < 0) continue;
    if (x1 === x0) x1 += 1;
    if (y1 === y0) y1 += 1;
    for (let y = y0; y < y1; y++) fill(n, y * width + x0, y * width + x1);
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {(pixels: Uint32Array) => void} fill
 */
function putPixels(context, frame, fill) {
  const [width, height] = frame.pixels;
  const image = context.createImageData(width, height);
  fill(new Uint32Array(image.data.buffer));
  context.putImageData(image, Math.round(frame.left * frame.ratio), Math.round(frame.top * frame.ratio));
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {Tiles} tiles
 * @param {number} top the density of the darkest colour
 */
export function paintTiles(context, frame, tiles, top) {
  const { solid, faded } = makeColours(isDark());
  putPixels(context, frame, (pixels) => {
    forEachTile(frame, tiles, (n, start, end) => {
      const step = Math.min(Math.round(255 * Math.sqrt(Math.max(tiles.density[n], 0) / top)), 255);
      pixels.fill(tiles.unsure && tiles.unsure[n] ? faded[step] : solid[step], start, end);
    });
  });
}

const UNSURE = 1.96;

/**
 * How densities changed from some tiles to others, pixel by pixel.
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {Tiles} before
 * @param {Tiles} after
 * @param {number} top the change of the darkest colour
 */
export function paintChange(context, frame, before, after, top) {
  const { solid, faded } = makeColours(isDark(), true);
  const [width, height] = frame.pixels;
  const layers = [before, after].map((tiles) => {
    const density = new Float64Array(width * height).fill(NaN);
    const noise = new Float64Array(width * height);
    forEachTile(frame, tiles, (n, start, end) => {
      density.fill(tiles.density[n], start, end);
      if (tiles.deviation) noise.fill(tiles.deviation[n], start, end);
    });
    return { density, noise };
  });
  const [first, second] = layers;
  putPixels(context, frame, (pixels) => {
    for (let n = 0; n < pixels.length; n++) {
      const change = second.density[n] - first.density[n];
      if (Number.isNaN(change)) continue;
      const size = Math.sqrt(Math.min(Math.abs(change) / top, 1));
      const step = Math.round(127.5 + 127.5 * Math.sign(change) * size);
      const unsure = Math.abs(change) < UNSURE * Math.hypot(first.noise[n], second.noise[n]);
      pixels[n] = unsure ? faded[step] : solid[step];
    }
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {import("./areas.js").Ring[]} rings
 */
export function tracePath(context, frame, rings) {
  context.beginPath();
  for (const { xs, ys } of rings) {
    for (let n = 0; n < xs.length; n++) {
      if (n) context.lineTo(frame.toX(xs[n]), frame.toY(ys[n]));
      else context.moveTo(frame.toX(xs[n]), frame.toY(ys[n]));
    }
    context.closePath();
  }
}

/**
 * Areas in colours; hatched where noise could explain what they show.
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {Shapes} shapes
 * @param {Look[]} looks
 * @param {{change: boolean, line: string, hatch: string}} style
 */
export function paintShapes(context, frame, shapes, looks, { change, line, hatch }) {
  const colours = makeColours(isDark(), change);
  const pattern = hatching(context, hatch);
  context.lineJoin = "round";
  context.strokeStyle = line;
  context.lineWidth = shapes.outlines.length > 500 ? 0.3 : 0.7;
  shapes.outlines.forEach(({ rings }, n) => {
    const { x, y } = shapes.boxes[n];
    if (x[1] < frame.view.x[0] || x[0] > frame.view.x[1] || y[1] < frame.view.y[0] || y[0] > frame.view.y[1]) return;
    tracePath(context, frame, rings);
    const look = looks[n];
    if (look) {
      context.fillStyle = cssOf(colours, look.share);
      context.fill("evenodd");
      if (look.unsure && pattern) {
        context.fillStyle = pattern;
        context.fill("evenodd");
      }
    }
    context.stroke();
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} colour
 */
function hatching(context, colour) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 12;
  const brush = tile.getContext("2d");
  if (!brush) return null;
  brush.strokeStyle = colour;
  brush.globalAlpha = 0.55;
  brush.lineWidth = 1.6;
  for (const shift of [-12, 0, 12]) {
    brush.moveTo(shift - 2, 14);
    brush.lineTo(shift + 14, -2);
  }
  brush.stroke();
  return context.createPattern(tile, "repeat");
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {import("./release.js").Outlines[]} outlines
 * @param {string} colour
 * @param {number} [boldness]
 */
export function paintOutlines(context, frame, outlines, colour, boldness = 1) {
  context.strokeStyle = colour;
  const { view } = frame;
  for (const { kind, steps, lengths, points } of outlines) {
    const many = points.length / 2;
    context.lineWidth = boldness * (kind === "coast" ? 0.9 : 0.4);
    context.beginPath();
    for (const turn of [-360, 0, 360]) {
      if (view.x[1] < turn - 180 || view.x[0] > turn + 180) continue;
      let place = 0;
      for (const length of lengths) {
        for (let n = 0; n < length; n++, place++) {
          const x = frame.toX(points[place] / steps + turn);
          const y = frame.toY(points[many + place] / steps);
          if (n) context.lineTo(x, y);
          else context.moveTo(x, y);
        }
      }
    }
    context.stroke();
  }
}
