// Several runs side by side: their numbers with differences to the first, their labels, and charts over time.

/** What, its value, as text; whether it is a time without bounds, which has no difference to that of coarse logs. */
const MEASURES = [
  ["one or more partitions unavailable", (n) => (n.unknown ? null : n.ends.outage_ms || n.outage_ms), duration, true],
  ["longest outage of one partition", (n) => (n.unknown ? null : n.ends.longest_partition_ms || n.longest_partition_ms), duration, true],
  ["sum", (n) => (n.unknown ? null : n.between ? n.between.ms : n.partition_ms), partitionTime],
  ["share of all partition time", (n) => (n.unknown ? null : n.between ? n.between.share : n.share), percent],
  ["most partitions at once", (n) => n.max_partitions, number],
  ["rebalances", (n) => n.rebalances, number],
  ["time spent rebalancing", (n) => n.rebalancing_ms, duration, true],
  ["partitions moved", (n) => n.moved, number],
  ["commits refused", (n) => n.refused, number],
  ["records read twice", (n) => n.reprocessed, number],
];

function difference(value, first) {
  if (value === first) return "same";
  if (!first) return "";
  const change = ((value - first) / first) * 100;
  return `${change > 0 ? "+" : "−"}${Math.abs(change) >= 10 ? Math.abs(change).toFixed(0) : Math.abs(change).toFixed(1)} %`;
}

/** A figure whose unit may stand below it, and is never broken itself. */
function withUnit(text) {
  const at = text.lastIndexOf(" ");
  return at < 0 ? text : h("span", {}, text.slice(0, at + 1), h("span", { class: "unit" }, text.slice(at + 1)));
}

function compareSection(runs, titles, views) {
  const labels = DATA.labels.filter((label) => runs.some((run) => run.numbers.by_label[label]));
  const row = (what, value, text, timed, near = about) => {
    const rough = ({ numbers }) => numbers.coarse || (near === likely && numbers.between);
    const values = runs.map((run) => value(run.numbers));
    return h("tr", {}, h("th", { scope: "row" }, what), values.map((each, i) => h("td", { class: "num" }, withUnit(each === null ? "unknown" : Array.isArray(each) ? fromTo(each, text) : timed ? near(runs[i].numbers, text(each)) : text(each)), i && !(timed && [runs[0], runs[i]].some(rough)) && [each, values[0]].every(Number.isFinite) ? h("div", { class: each < values[0] ? "less" : each > values[0] ? "greater" : "hint" }, difference(each, values[0])) : null)));
  };
  const table = h("table", { class: "compare" }, h("caption", {}, "Differences are to the first run."),
    h("thead", {}, h("tr", {}, h("td", {}), titles.map((title, i) => h("th", { scope: "col" }, h("a", { href: `#run-${i}` }, name_(title)))))),
    h("tbody", {}, MEASURES.filter(([, value]) => runs.some((run) => value(run.numbers) !== null)).map(([what, value, text, timed]) => row(what, value, text, timed)), labels.map((label) => row(label, (n) => n.by_label[label] || (n.unknown ? null : 0), partitionTime, true, likely))));
  const together = h("input", { type: "checkbox", id: "together" });
  let busy = false;
  views.forEach((view) => view.on(() => {
    if (!together.checked || busy) return;
    busy = true;
    for (const other of views) if (other !== view) other.set(view.from, view.to);
    busy = false;
  }));
  return card("Side by side", "compare", h("div", { class: "table-box" }, table), courses(runs, titles),
    h("p", { class: "fine" }, h("label", {}, together, " Zoom the timelines of all runs together")));
}

/** One chart a run, on common scales. */
function courses(runs, titles) {
  const steps = runs.map((run) => unavailableSteps(run.bars));
  const most = Math.max(...steps.map((each) => each.most), 1);
  const end = Math.max(...runs.map((run) => run.end_ms), 1);
  const whole = { from: 0, to: end, end };
  return h("div", { class: "courses" }, runs.map((run, i) => {
    const made = makeCanvas({ class: "course", role: "img", "aria-label": `Unavailable partitions over time in ${titles[i]}: ${run.numbers.max_partitions === null ? "unknown" : `at most ${steps[i].most}`}` }, (context, width, height) => {
      const box = { left: 30, right: width - 8, top: 16, bottom: height - 2 };
      drawAxis(context, { origin: null }, whole, box.left, box.right, box.top, box.bottom);
      drawUnavailable(context, steps[i], 0, end, box, most);
      context.fillStyle = theme().faint;
      context.textAlign = "right";
      context.fillText(number(most), box.left - 5, box.top + 9);
      context.fillText("0", box.left - 5, box.bottom - 1);
    });
    return h("figure", {}, h("figcaption", {}, name_(titles[i])), made.canvas);
  }), h("p", { class: "hint" }, "Unavailable partitions over time, on common scales; colours as in the timelines below."));
}
