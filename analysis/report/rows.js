// The order of the rows of the timeline: a line of rebalances per group, then its partitions.

const HEAD = 20;
const GROUP = 24;

function makeRows(run) {
  const rows = run.bars.rows;
  const one = new Set(rows.map((row) => `${row[0]}\u0000${row[1]}`)).size === new Set(rows.map((row) => row[0])).size;
  const items = [];
  const first = new Map();
  rows.forEach((row, index) => {
    if (!first.has(row[0])) { first.set(row[0], items.length); items.push({ group: row[0], rebalances: [] }); }
    items.push({ row: index, text: one ? `${row[1]}-${row[2]}` : `${row[1]}-${row[2]}` });
  });
  for (const rebalance of run.rebalances) {
    if (!first.has(rebalance.group)) { first.set(rebalance.group, items.length); items.push({ group: rebalance.group, rebalances: [] }); }
    items[first.get(rebalance.group)].rebalances.push(rebalance);
  }
  const layout = { items, height: 0, rowHeight: 0, tops: new Float64Array(items.length + 1) };
  layout.resize = (rowHeight) => {
    layout.rowHeight = rowHeight;
    let top = 0;
    items.forEach((item, i) => { layout.tops[i] = top; top += item.group === undefined ? rowHeight : GROUP; });
    layout.tops[items.length] = top;
    layout.height = top;
  };
  layout.itemAt = (y) => {
    if (y < 0 || y >= layout.height) return -1;
    return firstAbove(layout.tops, y, 0, items.length + 1) - 1;
  };
  layout.itemOfRow = (row) => items.findIndex((item) => item.row === row);
  layout.arrange = (worstFirst) => arrange(items, worstFirst ? unavailableByRow(run.bars) : null);
  layout.usual = () => Math.min(22, Math.max(6, Math.floor(540 / Math.max(rows.length, 1))));
  layout.resize(layout.usual());
  return layout;
}

/** Milliseconds that each row's partition was unavailable. */
function unavailableByRow(bars) {
  const sums = new Float64Array(bars.rows.length);
  for (let row = 0; row < sums.length; row += 1) {
    for (let i = bars.first[row]; i < bars.first[row + 1]; i += 1) if (bars.bad[i]) sums[row] += bars.to_ms[i] - bars.from_ms[i];
  }
  return sums;
}

/** Put the rows of each group in order, in place: by name, or by what was `lost`, the most first. */
function arrange(items, lost) {
  for (let head = 0; head < items.length;) {
    let after = head + 1;
    while (after < items.length && items[after].group === undefined) after += 1;
    const rows = items.slice(head + 1, after).sort((a, b) => (lost ? lost[b.row] - lost[a.row] : 0) || a.row - b.row);
    items.splice(head + 1, rows.length, ...rows);
    head = after;
  }
}

/** The bar of a row at an instant, or -1. */
function barAt(bars, row, ms) {
  const low = bars.first[row];
  const high = bars.first[row + 1];
  const found = firstAbove(bars.to_ms, ms, low, high);
  return found < high && bars.from_ms[found] <= ms ? found : -1;
}

/** The unavailable bar within `slack` ms of an instant, if there is one; else the bar at it. Blips can be hit so. */
function barNear(bars, row, ms, slack) {
  const high = bars.first[row + 1];
  let best = barAt(bars, row, ms);
  if (best >= 0 && bars.bad[best]) return best;
  for (let i = firstAbove(bars.to_ms, ms - slack, bars.first[row], high); i < high && bars.from_ms[i] <= ms + slack; i += 1) {
    if (bars.bad[i]) return i;
  }
  return best;
}

function rowOfBar(bars, bar) { return firstAbove(bars.first, bar, 0, bars.first.length) - 1; }

/** The text about a bar: a heading and lines. */
function barWords(run, bar) {
  const bars = run.bars;
  const [group, topic, partition] = bars.rows[rowOfBar(bars, bar)];
  const label = DATA.labels[bars.label[bar]];
  const lines = [];
  const member = bars.members[bars.member[bar]];
  lines.push(label === "OK" ? `available, owned by ${member || "a member"}` : `${label}: ${DATA.meanings[label]}`);
  if (label !== "OK" && member) lines.push(`member: ${member}`);
  const cause = bars.causes[bars.cause[bar]];
  if (cause) lines.push(`after ${cause}`);
  lines.push(`${duration(bars.to_ms[bar] - bars.from_ms[bar])}, from ${instant(run, bars.from_ms[bar])} to ${moment(bars.to_ms[bar])}`);
  return { title: `${topic}-${partition}`, group, lines };
}

function rebalanceWords(run, rebalance) {
  const title = rebalance.generation === null ? "a rebalance" : `rebalance to generation ${rebalance.generation}`;
  const lasted = rebalance.ended_ms === null ? "still running at the end" : duration(rebalance.duration_ms);
  const lines = [`${rebalance.cause}; ${lasted}, from ${instant(run, rebalance.started_ms)}`];
  if (rebalance.slowest_member) lines.push(`slowest member: ${rebalance.slowest_member}`);
  lines.push("click to see it member by member");
  return { title, group: rebalance.group, lines };
}
