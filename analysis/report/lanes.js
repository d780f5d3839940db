// One rebalance as a swim-lane: a lane a member, a box a step, the critical path framed.

const LANES_AT_ONCE = 60;
const LANE = 20;

/** The steps of a rebalance, as objects, with times since its start. */
function spansOf(run, index) {
  const lanes = run.lanes;
  const found = [];
  for (let i = lanes.first[index]; i < lanes.first[index + 1]; i += 1) {
    found.push({
      process: lanes.process[i], step: lanes.steps[lanes.step[i]], kind: lanes.kinds[lanes.kind[i]],
      from: lanes.from_ms[i], to: lanes.from_ms[i] + lanes.length_ms[i], critical: lanes.critical[i] === 1,
      saved: lanes.saved_ms[i] ? lanes.saved_ms[i] - 1 : null,
    });
  }
  return found;
}

/** Lanes in order: that of no member (the initial delay), then those on the critical path, then the rest by name. */
function laneOrder(run, spans) {
  const lanes = new Map();
  for (const span of spans) {
    if (!lanes.has(span.process)) lanes.set(span.process, { process: span.process, spans: [], critical: 0 });
    const lane = lanes.get(span.process);
    lane.spans.push(span);
    if (span.critical) lane.critical += span.to - span.from;
  }
  const name = (lane) => run.lanes.processes[lane.process];
  return [...lanes.values()].sort((a, b) => (a.process === 0 ? -1 : b.process === 0 ? 1 : 0)
    || b.critical - a.critical || name(a).localeCompare(name(b), "en", { numeric: true }));
}

const stepText = (span) => (span.kind ? `${span.kind} callback` : span.step);
const stepColour = (step) => theme().steps[step] || theme().grid;

/** How far the picture reaches: to a little after the rebalance, where what follows would make it too small to read. */
function lanesEnd(rebalance, lanes, everything) {
  const end = Math.max(...lanes.flatMap((lane) => lane.spans.map((span) => span.to)), rebalance.duration_ms || 0, 1);
  return everything || rebalance.duration_ms === null ? end : Math.min(end, Math.max(rebalance.duration_ms * 2, 20));
}

function drawLanes(run, rebalance, lanes, width, end) {
  const gutter = Math.min(150, Math.max(64, width * 0.2));
  const right = width - 10;
  const x = (ms) => gutter + (ms / end) * (right - gutter);
  const top = 24;
  const bottom = top + lanes.length * LANE + 4;
  const defs = s("defs");
  const ids = new Map();
  const fill = (step) => {
    if (!DATA.stepHatches[step]) return stepColour(step);
    if (!ids.has(step)) {
      ids.set(step, freshId("step"));
      defs.append(svgPattern(ids.get(step), stepColour(step), DATA.stepHatches[step]));
    }
    return `url(#${ids.get(step)})`;
  };
  const drawing = s("svg", { class: "lanes", width, height: bottom + 4, viewBox: `0 0 ${width} ${bottom + 4}`, role: "img",
    "aria-label": `Swim-lane of ${plural(lanes.length, "member")}; the critical path is listed below` }, defs);
  laneAxis(drawing, end, x, top, bottom, right - gutter);
  lanes.forEach((lane, i) => {
    const y = top + 3 + i * LANE;
    const text = s("text", { x: gutter - 6, y: y + 13, "text-anchor": "end", class: "lane-name", fill: theme().ink });
    text.textContent = cut(lane.process === 0 ? "no member" : run.lanes.processes[lane.process], Math.max(4, Math.floor((gutter - 10) / 6.4)));
    drawing.append(text);
    for (const span of lane.spans) if (span.from < end) drawing.append(drawSpan(run, rebalance, lane, span, (ms) => x(Math.min(ms, end)), y, fill));
  });
  if (rebalance.duration_ms !== null) {
    const at = x(rebalance.duration_ms);
    drawing.append(s("line", { x1: at, x2: at, y1: top - 2, y2: bottom, stroke: theme().ink, "stroke-width": 1.5, "stroke-dasharray": "4 3" }));
  }
  return drawing;
}

function laneAxis(drawing, end, x, top, bottom, wide) {
  const marks = ticks(0, end, wide, 70);
  for (const ms of marks.at) {
    drawing.append(s("line", { x1: x(ms), x2: x(ms), y1: top, y2: bottom, stroke: theme().grid }));
    const text = s("text", { x: x(ms), y: top - 8, "text-anchor": ms === 0 ? "start" : "middle", class: "mark", fill: theme().faint });
    text.textContent = `+${tickText(ms, marks.step, end, null)}`;
    drawing.append(text);
  }
}

function drawSpan(run, rebalance, lane, span, x, y, fill) {
  const wide = Math.max(x(span.to) - x(span.from), 1);
  const box = s("rect", { x: x(span.from), y, width: wide, height: LANE - 5, fill: fill(span.step), rx: wide > 6 ? 2 : 0,
    stroke: span.critical ? theme().critical : stepColour(span.step), "stroke-width": span.critical ? 2.5 : 0.7, class: span.critical ? "span critical" : "span" });
  const who = lane.process === 0 ? "no member" : run.lanes.processes[lane.process];
  const title = s("title");
  title.textContent = `${who}: ${stepText(span)}, ${DATA.steps[span.step] || ""}; ${duration(span.to - span.from)} from ${instant(run, rebalance.started_ms + span.from)}${span.critical ? "; critical" : ""}`;
  box.append(title);
  return box;
}

/** The critical path in words: step after step, and what it cost. */
function criticalWords(run, rebalance, spans) {
  const path = spans.filter((span) => span.critical && span.to > span.from).sort((a, b) => a.from - b.from);
  if (!path.length) return h("p", { class: "hint" }, "The log does not say what this rebalance waited for.");
  return h("ol", { class: "path" }, path.map((span) => h("li", {},
    h("strong", {}, duration(span.to - span.from)), " ", span.process === 0 ? "no member" : name_(run.lanes.processes[span.process]), ": ",
    stepText(span), " — ", DATA.steps[span.step] || "",
    span.saved ? h("span", { class: "saved" }, ` ${span.process === 0 ? "Without it" : "If this member had been as fast as the next one"}, the rebalance would have ended ${duration(span.saved)} sooner.`) : null)));
}

function stepLegend(spans) {
  const steps = [...new Set(spans.map((span) => span.step))].sort((a, b) => Object.keys(DATA.steps).indexOf(a) - Object.keys(DATA.steps).indexOf(b));
  return h("ul", { class: "legend" }, steps.map((step) => h("li", {}, swatch(() => stepColour(step), DATA.stepHatches[step]), h("span", {}, h("b", {}, step), ` ${DATA.steps[step] || ""}`))),
    h("li", {}, h("span", { class: "critical-key" }), h("span", {}, h("b", {}, "red frame"), " the critical path: the rebalance could not end before this step")));
}
