// The table of rebalances, and the panel that opens below it.

const rebalanceColumns = (run) => [
  { title: "No.", value: (r) => r.index },
  { title: "Group", value: (r) => r.group, show: (r) => name_(r.group) },
  { title: "Cause", value: (r) => r.cause, show: (r) => name_(r.cause) },
  { title: run.origin ? "Start (UTC)" : "Start", value: (r) => r.started_ms, numeric: true, show: (r) => when(run, r.started_ms) },
  { title: "Duration", value: (r) => r.duration_ms, numeric: true, show: (r) => (r.duration_ms === null ? "running" : duration(r.duration_ms)) },
  { title: "Slowest member", value: (r) => r.slowest_member, spare: true, show: (r) => (r.slowest_member ? name_(r.slowest_member) : null) },
  { title: "Generation", value: (r) => r.generation, numeric: true, spare: true },
  { title: "Members", value: (r) => r.members, numeric: true, spare: true },
  { title: "Moved", value: (r) => r.moved, numeric: true, spare: true },
  { title: "Revoked", value: (r) => r.revoked, numeric: true, spare: true },
  { title: "Round", value: (r) => r.rounds, numeric: true, spare: true },
];

/** Where a rebalance is in the page: `#run-0-rebalance-3`. */
const placeOf = (id, rebalance) => `${id}-rebalance-${rebalance.index + 1}`;

/** What it did, as far as it is known. */
const effectOf = (r) => [r.members === null ? null : plural(r.members, "member"), r.moved === null ? null : `${plural(r.moved, "partition")} moved`, r.revoked === null ? null : `${number(r.revoked)} revoked`].filter(Boolean).join(", ");

function makeRebalances(run, id, view, timeline) {
  const panel = h("div", { class: "panel", hidden: true, tabindex: -1, role: "region", "aria-label": "One rebalance" });
  const buttons = new Map();
  let open = null;
  const columns = rebalanceColumns(run);
  columns[0].show = (r) => {
    const made = h("button", { type: "button", class: "open", "aria-expanded": open === r.index ? "true" : "false", "aria-label": `Rebalance ${r.index + 1}: show it member by member` }, `${r.index + 1}`);
    buttons.set(r.index, made);
    return made;
  };
  const chosen = run.groups.length > 1 ? columns : columns.filter((column) => column.title !== "Group");
  const table = sortable(`${plural(run.rebalances.length, "rebalance")}; choose one to see it member by member`, chosen, run.rebalances, (r, tr) => {
    tr.className = open === r.index ? "chosen" : "";
    tr.dataset.rebalance = r.index;
    tr.id = placeOf(id, r);
    tr.addEventListener("click", (event) => { event.stopPropagation(); show(r, true); });
  });
  table.body.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const all = [...table.body.querySelectorAll("button.open")];
    const next = all[all.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) { event.preventDefault(); next.focus(); }
  });
  function mark() {
    for (const tr of table.body.children) tr.className = Number(tr.dataset.rebalance) === open ? "chosen" : "";
    for (const [index, made] of buttons) made.setAttribute("aria-expanded", index === open ? "true" : "false");
  }
  function close() {
    const last = open;
    open = null;
    panel.hidden = true;
    timeline.state.rebalance = null;
    timeline.made.ask();
    mark();
    if (buttons.has(last)) buttons.get(last).focus();
  }
  function show(rebalance, toggles) {
    if (toggles && open === rebalance.index) { close(); return; }
    open = rebalance.index;
    timeline.state.rebalance = rebalance;
    timeline.made.ask();
    table.reveal(rebalance);
    mark();
    panel.hidden = false;
    fillPanel(panel, run, rebalance, view, close, placeOf(id, rebalance));
    panel.focus({ preventScroll: true });
    panel.scrollIntoView({ block: "nearest" });
  }
  panel.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  /** Open the one that the address names. */
  function follow() {
    const asked = run.rebalances.find((rebalance) => `#${placeOf(id, rebalance)}` === location.hash);
    if (asked && asked.index !== open) show(asked);
  }
  addEventListener("hashchange", follow);
  return { element: h("div", {}, table.element, panel), show, follow, table };
}

function fillPanel(panel, run, rebalance, view, close, place) {
  const spans = spansOf(run, rebalance.index);
  const order = laneOrder(run, spans);
  const picture = h("div", { class: "lane-box" });
  const state = { shown: LANES_AT_ONCE, width: 0, everything: false };
  const narrow = order.length > 0 && lanesEnd(rebalance, order, false) < lanesEnd(rebalance, order, true);
  const draw = () => {
    const width = Math.max(picture.clientWidth, 280);
    const end = order.length ? lanesEnd(rebalance, order, state.everything) : 0;
    const seen = order.filter((lane) => lane.spans.some((span) => span.from < end));
    if (order.length) picture.replaceChildren(drawLanes(run, rebalance, seen.slice(0, state.shown), width, end));
    else picture.replaceChildren(h("p", { class: "hint" }, "The log does not say what the members did."));
  };
  const more = button(`Show all ${plural(order.length, "member")}`, "Show all members", () => { state.shown = order.length; more.hidden = true; draw(); }, { hidden: order.length <= state.shown });
  const longer = button("Show what follows", "Also show what the members did after its end", () => {
    state.everything = !state.everything;
    longer.textContent = state.everything ? "Hide what follows" : "Show what follows";
    draw();
  }, { hidden: !narrow });
  const about = rebalance.generation === null ? `Rebalance ${rebalance.index + 1}` : `Rebalance ${rebalance.index + 1}, to generation ${rebalance.generation}`;
  const until = rebalance.ended_ms === null ? view.end : rebalance.ended_ms;
  const length = Math.max(until - rebalance.started_ms, 20);
  panel.replaceChildren(...[
    h("div", { class: "panel-head" }, h("h4", {}, `${about} of `, name_(rebalance.group)),
      button("Show in the timeline", "Zoom the timeline to this rebalance", () => view.set(rebalance.started_ms - length * 0.2, until + length * 0.3)),
      longer, h("a", { href: `#${place}` }, "Link to it"),
      button("Close", "Close this rebalance", close)),
    h("p", {}, name_(rebalance.cause), rebalance.ended_ms === null ? "; still running at the end" : `; it took ${duration(rebalance.duration_ms)}`, `, from ${instant(run, rebalance.started_ms)} on. ${effectOf(rebalance) ? `${effectOf(rebalance)}. ` : ""}The dashed line is its end.`),
    picture, more, h("h5", {}, "What it waited for"), criticalWords(run, rebalance, spans), stepLegend(spans),
    logLines(run, rebalance),
    h("p", { class: "hint" }, "All its facts: ", h("code", {}, `groupsim show ${run.id} --around ${rebalance.started_ms}`))].filter(Boolean));
  draw();
  const watch = new ResizeObserver(() => { if (picture.clientWidth && picture.clientWidth !== state.width) { state.width = picture.clientWidth; draw(); } });
  if (panel.watch) panel.watch.disconnect();
  panel.watch = watch;
  watch.observe(picture);
  panel.redraw = draw;
  if (!panel.themed) { panel.themed = true; onTheme(() => { if (!panel.hidden) panel.redraw(); }); }
}

/** The log lines of a recorded rebalance. */
function logLines(run, rebalance) {
  const lines = run.lines[String(rebalance.index)];
  if (!lines) return null;
  return h("details", {}, h("summary", {}, `The ${plural(lines.length, "log line")} of this rebalance`), h("div", { class: "table-box" },
    h("table", { class: "lines" }, h("thead", {}, h("tr", {}, ["At", "Fact", "Line", "Content"].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, lines.map(([at, source, kind, text]) => h("tr", {}, h("td", { class: "num" }, when(run, at)), h("td", {}, kind), h("td", {}, name_(source)), h("td", {}, name_(text))))))));
}
