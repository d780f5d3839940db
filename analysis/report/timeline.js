// The timeline: partitions by time, moved and zoomed by pointer, finger and key.

function makeTimeline(run, view, opened) {
  const layout = makeRows(run);
  const state = { chosen: -1, lit: 0, rebalance: null, band: null };
  const gutter = () => Math.min(layoutGutter(run), Math.max(58, scroller.clientWidth * 0.22));
  const scroller = h("div", { class: "scroller" });
  const spacer = h("div", { class: "spacer" });
  const place = () => ({ view, left: gutter(), right: made.canvas.clientWidth - 8, scroll: scroller.scrollTop, ...state });
  const made = makeCanvas({
    class: "timeline", tabindex: 0, role: "application", "aria-roledescription": "timeline",
    "aria-label": `Timeline of ${plural(run.bars.rows.length, "partition")}: owners and unavailability over time`, "aria-describedby": "keys-timeline",
  }, (context, width, height) => {
    paintTimeline(context, width, height, run, layout, place());
    if (state.band) {
      context.fillStyle = theme().ink;
      context.globalAlpha = 0.18;
      context.fillRect(Math.min(...state.band), HEAD, Math.abs(state.band[1] - state.band[0]), height - HEAD);
      context.globalAlpha = 1;
    }
  });
  const tip = h("div", { class: "tip", role: "status", hidden: true });
  const readout = h("p", { class: "readout", "aria-live": "polite" });
  let usual = layout.usual();
  const fit = (rowHeight) => {
    if (!onPaper && !printing.matches) usual = rowHeight;
    layout.resize(rowHeight);
    const shownHeight = onPaper || printing.matches ? layout.height + HEAD : Math.min(layout.height + HEAD + 2, 620);
    scroller.style.height = `${shownHeight}px`;
    made.canvas.style.height = `${shownHeight}px`;
    spacer.style.height = `${Math.max(layout.height + HEAD + 2 - shownHeight, 0)}px`;
    made.ask();
  };
  scroller.append(made.canvas, spacer);
  scroller.addEventListener("scroll", made.ask, { passive: true });
  onTheme(() => fit(onPaper || printing.matches ? Math.min(layout.usual(), Math.max(3, 800 / run.bars.rows.length)) : usual));
  view.on(made.ask);
  const it = { run, view, layout, state, made, scroller, tip, readout, place, fit, gutter, opened };
  it.arrange = (worstFirst) => {
    layout.arrange(worstFirst);
    scroller.scrollTop = 0;
    fit(usual);
  };
  it.element = h("div", { class: "timeline-box" }, scroller, tip, readout);
  fit(layout.usual());
  pointTimeline(it);
  made.canvas.addEventListener("keydown", (event) => keyTimeline(it, event));
  made.canvas.addEventListener("focus", () => { if (state.chosen < 0) say(it, "Arrow keys go from bar to bar, + and − zoom, Enter zooms to the bar, Escape shows the whole run."); });
  return it;
}

function layoutGutter(run) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = "11px system-ui, sans-serif";
  let widest = 40;
  for (const [, topic, partition] of run.bars.rows) widest = Math.max(widest, pen.measureText(`${topic}-${partition}`).width);
  return Math.min(widest + 14, 170);
}

function say(it, text) { it.readout.textContent = text; }

/** What lies under a point of the canvas. */
function under(it, x, y) {
  const { left, right, view, scroll } = it.place();
  if (y < HEAD || x < left - 4 || x > right + 4) return null;
  const ms = view.from + ((x - left) / (right - left)) * (view.to - view.from);
  const slack = (3 * (view.to - view.from)) / (right - left);
  const item = it.layout.items[it.layout.itemAt(y - HEAD + scroll)];
  if (!item) return null;
  if (item.group === undefined) {
    const bar = barNear(it.run.bars, item.row, ms, slack);
    return bar < 0 ? null : { bar, words: barWords(it.run, bar) };
  }
  const hit = item.rebalances.find((r) => r.started_ms - slack <= ms && ms <= (r.ended_ms === null ? view.end : r.ended_ms) + slack);
  return hit ? { rebalance: hit, words: rebalanceWords(it.run, hit) } : null;
}

function showTip(it, found, x, y) {
  if (!found) { it.tip.hidden = true; return; }
  it.tip.replaceChildren(h("strong", {}, name_(found.words.title)), " of ", name_(found.words.group), ...found.words.lines.map((line) => h("div", {}, line)));
  it.tip.hidden = false;
  const box = it.scroller.getBoundingClientRect();
  const wide = it.tip.offsetWidth;
  it.tip.style.left = `${Math.max(0, Math.min(x + 14, box.width - wide - 4))}px`;
  const below = y + 18;
  it.tip.style.top = `${below + it.tip.offsetHeight > box.height + 60 ? Math.max(0, y - it.tip.offsetHeight - 12) : below}px`;
}

function choose(it, bar) {
  it.state.chosen = bar;
  const words = barWords(it.run, bar);
  say(it, `${words.title} of ${words.group}: ${words.lines.join("; ")}`);
  it.made.ask();
}

function pointTimeline(it) {
  const { canvas } = it.made;
  const pointers = new Map();
  let drag = null;
  const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const msAt = (x) => { const p = it.place(); return p.view.from + ((x - p.left) / (p.right - p.left)) * (p.view.to - p.view.from); };
  canvas.addEventListener("pointerdown", (event) => {
    const [x, y] = at(event);
    pointers.set(event.pointerId, x);
    const pans = event.pointerType === "touch" || event.shiftKey || event.button === 1;
    drag = { x, y, pans, ms: msAt(x), from: it.view.from, to: it.view.to, moved: false };
    if (pointers.size === 2) drag.spread = Math.abs([...pointers.values()][0] - [...pointers.values()][1]) || 1;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    if (!drag) { showTip(it, under(it, x, y), x, y); return; }
    pointers.set(event.pointerId, x);
    dragTimeline(it, drag, pointers, x, msAt);
  });
  const end = (event) => {
    const [x, y] = at(event);
    pointers.delete(event.pointerId);
    if (drag && event.type === "pointerup") letGo(it, drag, x, y, msAt);
    it.state.band = null;
    drag = pointers.size ? drag : null;
    it.made.ask();
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => showTip(it, null));
  canvas.addEventListener("dblclick", () => it.view.whole());
  canvas.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) { event.preventDefault(); it.view.zoom(Math.exp(event.deltaY / 300), msAt(at(event)[0])); }
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) { event.preventDefault(); it.view.pan(event.deltaX / canvas.clientWidth); }
  }, { passive: false });
}

function dragTimeline(it, drag, pointers, x, msAt) {
  const { left, right } = it.place();
  if (Math.abs(x - drag.x) > 4) drag.moved = true;
  if (!drag.moved) return;
  showTip(it, null);
  const perPixel = (drag.to - drag.from) / (right - left);
  if (pointers.size === 2) {
    const [a, b] = [...pointers.values()];
    const factor = drag.spread / Math.max(Math.abs(a - b), 8);
    const centre = drag.from + ((a + b) / 2 - left) * perPixel;
    it.view.set(centre - (centre - drag.from) * factor, centre + (drag.to - centre) * factor);
  } else if (drag.pans) {
    it.view.set(drag.from - (x - drag.x) * perPixel, drag.to - (x - drag.x) * perPixel);
  } else {
    it.state.band = [Math.max(drag.x, left), Math.min(Math.max(x, left), right)];
    drag.until = msAt(x);
    it.made.ask();
  }
}

function letGo(it, drag, x, y, msAt) {
  if (drag.moved) {
    if (!drag.pans && it.state.band) it.view.set(Math.min(drag.ms, msAt(x)), Math.max(drag.ms, msAt(x)));
    return;
  }
  const found = under(it, x, y);
  if (found && found.rebalance) it.opened(found.rebalance);
  else if (found) { choose(it, found.bar); showTip(it, found, x, y); }
}

/** Arrow keys walk over the bars; what they reach is brought into sight and said. */
function keyTimeline(it, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { view } = it;
  const keys = {
    ArrowLeft: () => (event.shiftKey ? view.pan(-0.2) : walk(it, -1, 0)),
    ArrowRight: () => (event.shiftKey ? view.pan(0.2) : walk(it, 1, 0)),
    ArrowUp: () => walk(it, 0, -1),
    ArrowDown: () => walk(it, 0, 1),
    "+": () => view.zoom(0.5, middle(it)), "=": () => view.zoom(0.5, middle(it)), "-": () => view.zoom(2, middle(it)),
    Enter: () => zoomToBar(it),
    Home: () => view.set(0, view.to - view.from), End: () => view.set(view.end - (view.to - view.from), view.end),
    Escape: () => { it.state.chosen = -1; showTip(it, null); view.whole(); },
  };
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
}

function middle(it) {
  const { bars } = it.run;
  const { chosen } = it.state;
  return chosen < 0 ? undefined : (Math.max(bars.from_ms[chosen], it.view.from) + Math.min(bars.to_ms[chosen], it.view.to)) / 2;
}

function walk(it, across, down) {
  const { bars } = it.run;
  if (!bars.rows.length) return;
  let { chosen } = it.state;
  if (chosen < 0) {
    chosen = Math.max(barAt(bars, it.layout.items.find((item) => item.row !== undefined).row, (it.view.from + it.view.to) / 2), 0);
  } else {
    const row = rowOfBar(bars, chosen);
    if (across) chosen = Math.min(Math.max(chosen + across, bars.first[row]), bars.first[row + 1] - 1);
    if (down) {
      const next = below(it.layout.items, row, down);
      const at = (Math.max(bars.from_ms[chosen], it.view.from) + Math.min(bars.to_ms[chosen], it.view.to)) / 2;
      chosen = Math.max(barAt(bars, next, at), bars.first[next]);
    }
  }
  reveal(it, chosen);
  choose(it, chosen);
}

/** The next row below (or above, -1) as the rows stand now; the row itself where there is none. */
function below(items, row, down) {
  let at = items.findIndex((item) => item.row === row) + down;
  while (items[at] && items[at].row === undefined) at += down;
  return items[at] ? items[at].row : row;
}

function reveal(it, bar) {
  const { bars } = it.run;
  const { view } = it;
  if (bars.to_ms[bar] <= view.from || bars.from_ms[bar] >= view.to) {
    const length = view.to - view.from;
    view.set(bars.from_ms[bar] - length * 0.3, bars.from_ms[bar] + length * 0.7);
  }
  const top = it.layout.tops[it.layout.itemOfRow(rowOfBar(bars, bar))];
  const seen = it.scroller.clientHeight - HEAD - it.layout.rowHeight;
  if (top < it.scroller.scrollTop) it.scroller.scrollTop = top;
  else if (top > it.scroller.scrollTop + seen) it.scroller.scrollTop = top - seen;
}

function zoomToBar(it) {
  const { chosen } = it.state;
  if (chosen < 0) { walk(it, 0, 0); return; }
  const length = Math.max(it.run.bars.to_ms[chosen] - it.run.bars.from_ms[chosen], 5);
  it.view.set(it.run.bars.from_ms[chosen] - length * 0.4, it.run.bars.to_ms[chosen] + length * 0.4);
}
