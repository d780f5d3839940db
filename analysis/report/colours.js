// Light and dark, colours and hatches. Paper is always light.

const darkness = window.matchMedia("(prefers-color-scheme: dark)");
const printing = window.matchMedia("print");
const themeListeners = [];
let patterns = new Map();
let onPaper = false;

const theme = () => DATA.themes[darkness.matches && !onPaper && !printing.matches ? "dark" : "light"];

function onTheme(listener) { themeListeners.push(listener); }

function themeChanged() {
  patterns = new Map();
  for (const listener of themeListeners) listener();
}

function watchTheme() {
  darkness.addEventListener("change", themeChanged);
  printing.addEventListener("change", themeChanged);
  window.addEventListener("beforeprint", () => { onPaper = true; themeChanged(); });
  window.addEventListener("afterprint", () => { onPaper = false; themeChanged(); });
}

const memberColour = (place) => theme().members[place % theme().members.length];

const LINES = {
  "/": [[-2, 10, 10, -2]],
  "\\": [[-2, -2, 10, 10]],
  "x": [[-2, 10, 10, -2], [-2, -2, 10, 10]],
  "xx": [[-2, 6, 6, -2], [2, 10, 10, 2], [-2, 2, 6, 10], [2, -2, 10, 6]],
  "+": [[4, 0, 4, 8], [0, 4, 8, 4]],
  "-": [[0, 4, 8, 4]],
  "--": [[0, 2, 8, 2], [0, 6, 8, 6]],
  "|": [[4, 0, 4, 8]],
};
const DOTS = { ".": [[2, 2], [6, 6]], "..": [[4, 4]], o: [[4, 4]] };

/** Draw one tile of a hatch, 8 by 8, with two functions: line(x, y, x, y) and dot(x, y, radius, hollow). */
function hatchTile(letters, line, dot) {
  for (const ends of LINES[letters] || []) line(...ends);
  for (const [x, y] of DOTS[letters] || []) dot(x, y, letters === "o" ? 2.2 : 1.2, letters === "o");
}

/** A canvas pattern: the colour faintly, and its hatch strongly. */
function pattern(context, colour, letters) {
  const key = `${colour}${letters}`;
  if (patterns.has(key)) return patterns.get(key);
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const tile = document.createElement("canvas");
  tile.width = tile.height = Math.round(8 * ratio);
  const pen = tile.getContext("2d");
  pen.scale(tile.width / 8, tile.height / 8);
  pen.fillStyle = theme().paper;
  pen.fillRect(0, 0, 8, 8);
  pen.globalAlpha = 0.3;
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 8, 8);
  pen.globalAlpha = 1;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.7;
  hatchTile(letters, (a, b, c, d) => {
    pen.beginPath(); pen.moveTo(a, b); pen.lineTo(c, d); pen.stroke();
  }, (x, y, radius, hollow) => {
    pen.beginPath(); pen.arc(x, y, radius, 0, 7);
    if (hollow) pen.stroke(); else pen.fill();
  });
  const made = context.createPattern(tile, "repeat");
  made.setTransform(new DOMMatrix([1 / ratio, 0, 0, 1 / ratio, 0, 0]));
  patterns.set(key, made);
  return made;
}

const labelPattern = (context, label) => pattern(context, theme().labels[label], DATA.hatches[label] || "/");

/** The same hatch as an SVG pattern of this id. */
function svgPattern(id, colour, letters) {
  const made = s("pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse" },
    s("rect", { width: 8, height: 8, fill: theme().paper }), s("rect", { width: 8, height: 8, fill: colour, "fill-opacity": 0.35 }));
  hatchTile(letters, (x1, y1, x2, y2) => made.append(s("line", { x1, y1, x2, y2, stroke: colour, "stroke-width": 1.7 })),
    (cx, cy, r, hollow) => made.append(s("circle", { cx, cy, r, fill: hollow ? "none" : colour, stroke: hollow ? colour : "none" })));
  return made;
}

/** A small square that shows a label's or a step's hatch, in a legend. */
function swatch(colour, letters) {
  const id = freshId("swatch");
  const fill = letters ? `url(#${id})` : colour();
  const box = s("svg", { class: "swatch", width: 18, height: 14, "aria-hidden": "true" });
  const draw = () => {
    box.replaceChildren();
    if (letters) box.append(s("defs", {}, svgPattern(id, colour(), letters)));
    box.append(s("rect", { width: 18, height: 14, rx: 2, fill: letters ? fill : colour(), stroke: colour(), "stroke-width": 1.5 }));
  };
  draw();
  onTheme(draw);
  return box;
}
