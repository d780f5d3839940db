// Painting the visible part of the timeline.

/** `place` has left, right (pixels), scroll (first visible y), view; `chosen` the bar under the cursor, `lit` a member. */
function paintTimeline(context, width, height, run, layout, place) {
  const { view, left, right, scroll } = place;
  const scale = (right - left) / (view.to - view.from);
  drawAxis(context, run, view, left, right, HEAD, height);
  context.save();
  context.beginPath();
  context.rect(0, HEAD, width, height - HEAD);
  context.clip();
  const start = Math.max(0, layout.itemAt(Math.max(0, scroll)));
  let labelled = -Infinity;
  for (let i = start; i < layout.items.length && layout.tops[i] - scroll < height - HEAD; i += 1) {
    const item = layout.items[i];
    const top = HEAD + layout.tops[i] - scroll;
    if (item.group !== undefined) {
      paintGroup(context, item, top, { ...place, scale, width });
      labelled = top + GROUP - 4;
      continue;
    }
    paintRow(context, run, item.row, top, layout.rowHeight, { ...place, scale });
    const middle = top + layout.rowHeight / 2;
    if (middle - labelled >= 11 || layout.rowHeight >= 11) {
      context.fillStyle = theme().faint;
      context.font = "11px system-ui, sans-serif";
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillText(fitted(context, item.text, left - 12), left - 6, middle);
      context.textAlign = "left";
      labelled = middle;
    }
  }
  context.restore();
}

function paintGroup(context, item, top, place) {
  const colours = theme();
  context.fillStyle = colours.ink;
  context.font = "600 12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const rebalance of item.rebalances) {
    const from = place.left + (rebalance.started_ms - place.view.from) * place.scale;
    const until = rebalance.ended_ms === null ? place.view.end : rebalance.ended_ms;
    const to = Math.max(place.left + (until - place.view.from) * place.scale, from + 2);
    if (to < place.left || from > place.right) continue;
    const x = Math.max(from, place.left);
    context.fillStyle = colours.faint;
    context.globalAlpha = rebalance === place.rebalance ? 1 : 0.55;
    context.fillRect(x, top + GROUP - 8, Math.max(Math.min(to, place.right) - x, 1.5), 6);
    context.globalAlpha = 1;
  }
  context.fillStyle = colours.ink;
  context.fillText(fitted(context, item.group, place.width - 16), 6, top + 9);
}

function paintRow(context, run, row, top, high, place) {
  const bars = run.bars;
  const { view, left, right, scale, lit, chosen } = place;
  const end = bars.first[row + 1];
  const gap = high >= 10 ? 2 : high >= 5 ? 1 : 0;
  let painted = -Infinity;
  for (let i = firstAbove(bars.to_ms, view.from, bars.first[row], end); i < end && bars.from_ms[i] < view.to; i += 1) {
    const from = Math.max(left, left + (bars.from_ms[i] - view.from) * scale);
    const to = Math.min(right, left + (bars.to_ms[i] - view.from) * scale);
    const odd = bars.label[i] !== OK;
    if (to - from < 0.7 && !bars.bad[i] && from < painted) continue;
    const wide = Math.max(to - from, bars.bad[i] ? 1.2 : 0.5);
    paintBar(context, run, i, from, top, wide, high - gap, odd, lit);
    if (i === chosen) {
      context.strokeStyle = theme().ink;
      context.lineWidth = 2;
      context.strokeRect(from, top, Math.max(wide, 3), high - gap);
    }
    painted = from + wide;
  }
}

function paintBar(context, run, bar, x, y, wide, high, odd, lit) {
  const bars = run.bars;
  const colours = theme();
  const label = DATA.labels[bars.label[bar]];
  const member = bars.member[bar];
  const dim = lit > 0 && member !== lit;
  context.globalAlpha = dim ? 0.22 : 1;
  if (odd) context.fillStyle = wide > 3 ? labelPattern(context, label) : colours.labels[label];
  else context.fillStyle = member ? memberColour(bars.places[member]) : colours.grid;
  context.fillRect(x, y, wide, high);
  if (odd && wide > 3 && high > 5) {
    context.strokeStyle = colours.labels[label];
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
  } else if (!odd && wide > 4) {
    context.fillStyle = colours.paper;
    context.fillRect(x + wide - 0.5, y, 0.5, high);
  }
  context.globalAlpha = 1;
  if (high >= 12 && wide > 34 && !dim) paintText(context, odd ? label : bars.members[member], x, y, wide, high, odd);
}

function paintText(context, text, x, y, wide, high, odd) {
  context.font = `${odd ? "600 " : ""}11px system-ui, sans-serif`;
  context.textBaseline = "middle";
  const shown = odd && context.measureText(text).width > wide - 8 ? "" : fitted(context, text, wide - 8);
  if (!shown) return;
  const colours = theme();
  if (odd) {
    context.fillStyle = colours.paper;
    context.fillRect(x + 3, y + 1, context.measureText(shown).width + 4, high - 2);
  }
  context.fillStyle = colours.ink;
  context.fillText(shown, x + 5, y + high / 2 + 0.5);
}
