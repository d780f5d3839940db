// The report's data: columns of numbers unpacked into typed arrays. Nothing here becomes markup.

const ARRAYS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };

function unpack(column) {
  const text = atob(column.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return new ARRAYS[column.type](bytes.buffer);
}

function unpackAll(table) {
  for (const [name, value] of Object.entries(table)) {
    if (value && typeof value === "object" && typeof value.data === "string") table[name] = unpack(value);
  }
  return table;
}

/** A rebalance row as an object. */
function named(columns, row, index) {
  const found = { index, group: row[0], ended_ms: row[1] };
  columns.forEach((name, i) => { found[name] = row[i + 2]; });
  return found;
}

function readData() {
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const run of data.runs) {
    unpackAll(run.bars);
    unpackAll(run.lanes);
    run.rebalances = run.rebalances.map((row, i) => named(data.columns, row, i));
  }
  return data;
}

/** The first i in [low, high) with column[i] > value, else high. */
function firstAbove(column, value, low, high) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The part of the run that is shown; listeners are called on a change. Never narrower than 5 ms. */
function makeView(end) {
  const listeners = [];
  const view = {
    from: 0,
    to: Math.max(end, 1),
    end: Math.max(end, 1),
    on(listener) { listeners.push(listener); },
    set(from, to) {
      const length = Math.min(Math.max(to - from, 5), view.end);
      view.from = Math.min(Math.max(0, from), view.end - length);
      view.to = view.from + length;
      for (const listener of listeners) listener(view);
    },
    whole() { view.set(0, view.end); },
    zoom(factor, at) {
      const centre = at === undefined ? (view.from + view.to) / 2 : at;
      view.set(centre - (centre - view.from) * factor, centre + (view.to - centre) * factor);
    },
    pan(share) {
      const step = (view.to - view.from) * share;
      view.set(view.from + step, view.to + step);
    },
  };
  return view;
}
