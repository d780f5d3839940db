// Making elements. Text goes in as text nodes, never as markup.

function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

const SVG = "http://www.w3.org/2000/svg";

function s(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null) element.setAttribute(name, String(value));
  }
  add(element, children);
  return element;
}

/** A name from somebody's log: its writing direction stays its own. */
const name_ = (text, properties) => h("bdi", { class: "name", title: text.length > 40 ? text : null, ...properties }, text);

const button = (text, label, onclick, more) => h("button", { type: "button", "aria-label": label, title: label, onclick, ...more }, text);

let numbers = 0;
const freshId = (stem) => { numbers += 1; return `${stem}-${numbers}`; };

/** A card with a heading; `id` makes it a place to jump to. */
function card(title, id, ...children) {
  const heading = h("h3", { id: `${id}-title` }, title);
  return h("section", { class: "card", id, "aria-labelledby": `${id}-title` }, heading, ...children);
}

/** What is done before the page is printed; `prepare` returns what undoes it. */
function beforePrint(prepare) {
  let undo = null;
  addEventListener("beforeprint", () => { undo = undo || prepare(); });
  addEventListener("afterprint", () => { if (undo) undo(); undo = null; });
}

/** A canvas as wide as its place, in device pixels; `draw(context, width, height)` is called when anything changes. */
function makeCanvas(properties, draw) {
  const canvas = h("canvas", properties);
  let asked = false;
  const paint = () => {
    asked = false;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (!width || !height) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    const wide = Math.round(width * ratio);
    const high = Math.round(height * ratio);
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== high) canvas.height = high;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, width, height);
  };
  const ask = () => { if (!asked) { asked = true; requestAnimationFrame(paint); } };
  new ResizeObserver(ask).observe(canvas);
  onTheme(() => paint());
  return { canvas, ask, paint };
}

/** Text cut in the middle to so many characters: names often differ at their ends only. */
function cut(text, most) {
  if (text.length <= most) return text;
  const tail = Math.ceil((most - 1) / 2);
  return most < 3 ? "" : `${text.slice(0, most - 1 - tail)}…${text.slice(text.length - tail)}`;
}

/** Text cut so that it fits. */
function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(cut(text, middle)).width <= width) low = middle;
    else high = middle - 1;
  }
  return cut(text, low);
}
