// The whole run at a glance: how many partitions were unavailable, by label, and the brush that selects a part of it.

/** Instants at which the number of unavailable partitions changes: `at`, and per instant the counts by label. */
function unavailableSteps(bars) {
  const events = [];
  for (let i = 0; i < bars.from_ms.length; i += 1) {
    if (bars.bad[i]) { events.push([bars.from_ms[i], bars.label[i], 1], [bars.to_ms[i], bars.label[i], -1]); }
  }
  events.sort((a, b) => a[0] - b[0]);
  const at = [];
  const counts = [];
  const now = new Array(DATA.labels.length).fill(0);
  for (let i = 0; i < events.length;) {
    const ms = events[i][0];
    for (; i < events.length && events[i][0] === ms; i += 1) now[events[i][1]] += events[i][2];
    at.push(ms);
    counts.push(now.slice());
  }
  const totals = counts.map((row) => row.reduce((sum, n) => sum + n, 0));
  return { at, counts, totals, most: totals.reduce((most, n) => Math.max(most, n), 0) };
}

/** Per pixel column the worst instant in it: a short unavailability is not averaged away. */
function worstColumns(steps, from, to, width) {
  const columns = new Array(width).fill(-1);
  const scale = width / (to - from);
  for (let i = 0; i < steps.at.length; i += 1) {
    if (!steps.totals[i]) continue;
    const until = i + 1 < steps.at.length ? steps.at[i + 1] : to;
    const first = Math.max(0, Math.floor((steps.at[i] - from) * scale));
    const last = Math.min(width - 1, Math.max(first, Math.ceil((until - from) * scale) - 1));
    for (let x = first; x <= last; x += 1) {
      if (columns[x] < 0 || steps.totals[i] > steps.totals[columns[x]]) columns[x] = i;
    }
  }
  return columns;
}

/** Stacked columns of unavailable partitions in the rectangle given. */
function drawUnavailable(context, steps, from, to, box, most) {
  const width = Math.max(1, Math.round(box.right - box.left));
  const columns = worstColumns(steps, from, to, width);
  const high = (box.bottom - box.top) / Math.max(most, 1);
  for (let x = 0; x < width;) {
    let next = x + 1;
    while (next < width && columns[next] === columns[x]) next += 1;
    if (columns[x] >= 0) {
      let y = box.bottom;
      steps.counts[columns[x]].forEach((count, label) => {
        if (!count) return;
        const name = DATA.labels[label];
        context.fillStyle = next - x > 3 && count * high > 3 ? labelPattern(context, name) : theme().labels[name];
        y -= count * high;
        context.fillRect(box.left + x, y, next - x, count * high);
      });
    }
    x = next;
  }
}

function makeOverview(run, view, left) {
  const steps = unavailableSteps(run.bars);
  const box = { left: 0, right: 0, top: 16, bottom: 0 };
  const whole = { from: 0, to: view.end, end: view.end };
  const at = (x) => ((x - box.left) / (box.right - box.left)) * view.end;
  const place = (ms) => box.left + (ms / view.end) * (box.right - box.left);
  const made = makeCanvas({
    class: "overview", tabindex: 0, role: "slider", "aria-label": "Stretch of the run that the timeline shows",
    "aria-valuemin": 0, "aria-valuemax": view.end, "aria-describedby": "keys-overview",
  }, (context, width, height) => {
    Object.assign(box, { left: left(), right: width - 8, bottom: height - 2 });
    drawAxis(context, run, whole, box.left, box.right, box.top, box.bottom);
    drawUnavailable(context, steps, 0, view.end, box, steps.most);
    context.fillStyle = theme().faint;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    if (steps.most) {
      context.fillText(number(steps.most), box.left - 6, box.top + 9);
      context.fillText("0", box.left - 6, box.bottom - 1);
    }
    context.textAlign = "left";
    drawBrush(context, box, place(view.from), place(view.to), view.to - view.from < view.end);
  });
  view.on(() => {
    made.canvas.setAttribute("aria-valuenow", Math.round(view.from));
    made.canvas.setAttribute("aria-valuetext", `${moment(view.from)} to ${moment(view.to)}`);
    made.ask();
  });
  brushByPointer(made.canvas, view, box, at, place);
  made.canvas.addEventListener("keydown", (event) => brushByKey(event, view));
  return { ...made, steps };
}

function drawBrush(context, box, from, to, chosen) {
  if (chosen) {
    context.fillStyle = theme().paper;
    context.globalAlpha = 0.66;
    context.fillRect(box.left, box.top, from - box.left, box.bottom - box.top);
    context.fillRect(to, box.top, box.right - to, box.bottom - box.top);
    context.globalAlpha = 1;
  }
  context.strokeStyle = theme().ink;
  context.lineWidth = 1.5;
  context.strokeRect(from, box.top, Math.max(to - from, 2), box.bottom - box.top - 1);
  for (const x of [from, to]) {
    context.fillStyle = theme().ink;
    context.beginPath();
    context.roundRect(x - 3, (box.top + box.bottom) / 2 - 12, 6, 24, 3);
    context.fill();
  }
}

/** Drag an edge, the window, or a new window; double-click shows everything. */
function brushByPointer(canvas, view, box, at, place) {
  let drag = null;
  const where = (event) => event.clientX - canvas.getBoundingClientRect().left;
  const kind = (x) => {
    if (Math.abs(x - place(view.from)) < 8) return "from";
    if (Math.abs(x - place(view.to)) < 8) return "to";
    const inside = x > place(view.from) && x < place(view.to);
    return inside && view.to - view.from < view.end ? "move" : "new";
  };
  canvas.addEventListener("pointerdown", (event) => {
    const x = where(event);
    drag = { kind: kind(x), ms: at(x), from: view.from, to: view.to };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const x = where(event);
    if (!drag) { canvas.style.cursor = { from: "ew-resize", to: "ew-resize", move: "grab", new: "crosshair" }[kind(x)]; return; }
    const ms = at(x);
    if (drag.kind === "move") view.set(drag.from + ms - drag.ms, drag.to + ms - drag.ms);
    else if (drag.kind === "new") { if (Math.abs(place(ms) - place(drag.ms)) > 3) view.set(Math.min(ms, drag.ms), Math.max(ms, drag.ms)); }
    else if (drag.kind === "from") view.set(Math.min(ms, drag.to - 5), drag.to);
    else view.set(drag.from, Math.max(ms, drag.from + 5));
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { drag = null; });
  canvas.addEventListener("dblclick", () => view.whole());
}

function brushByKey(event, view) {
  const step = (view.to - view.from) * 0.1;
  const moves = {
    ArrowLeft: () => (event.shiftKey ? view.set(view.from, view.to - step) : view.pan(-0.1)),
    ArrowRight: () => (event.shiftKey ? view.set(view.from, view.to + step) : view.pan(0.1)),
    "+": () => view.zoom(0.5), "=": () => view.zoom(0.5), "-": () => view.zoom(2),
    Home: () => view.set(0, view.to - view.from), End: () => view.set(view.end - (view.to - view.from), view.end),
    Escape: () => view.whole(),
  };
  if (moves[event.key] && !event.ctrlKey && !event.metaKey) { event.preventDefault(); moves[event.key](); }
}
