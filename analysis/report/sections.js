// The sections of a run: summary, timeline, reasons, invariants, configuration, log files, and how to repeat it.

function summarySection(run) {
  const n = run.numbers;
  const broken = run.invariants.filter((each) => each.broken);
  const tiles = [
    ["one or more partitions unavailable", lasting(n, "outage_ms")],
    ["most partitions at once", n.partitions ? soFar(n, n.max_partitions, (most) => `${number(most)} of ${number(n.partitions)}`) : "unknown"],
    ["longest outage of one partition", lasting(n, "longest_partition_ms")],
    [`sum${n.start_up ? `; ${n.start_up}` : ""}`, n.unknown || (n.between ? fromTo(n.between.ms, partitionTime) : partitionTime(n.partition_ms))],
    [n.start_up ? "of partition time after start-up" : "of all partition time", n.unknown ? "unknown" : n.between ? fromTo(n.between.share, percent) : percent(n.share)],
    ["rebalances", number(n.rebalances)],
    run.invariants.length ? ["invariants", broken.length ? `${broken.length} violated` : n.unknown ? "no violation seen" : "all hold", broken.length ? "bad" : n.unknown ? null : "good"] : n.accepted === null ? null : ["commits accepted", number(n.accepted)],
  ].filter((tile) => tile);
  const lead = run.lead.map((text, i) => [i ? " " : "", i === run.strong && !run.answer ? h("strong", {}, text) : text]).flat();
  return h("div", { class: "summary" },
    run.status === "finished" ? null : h("p", { class: "lead" }, h("strong", {}, run.lead[0])),
    answerPart(run.answer),
    h("p", { class: run.answer ? "figures" : "lead" }, lead),
    run.sentences.length ? h("ul", { class: "sentences" }, run.sentences.map((text) => h("li", {}, text))) : null,
    h("dl", { class: "tiles" }, tiles.map(([what, value, how]) => h("div", { class: how || null }, h("dt", {}, what), h("dd", {}, value)))));
}

/** What happened, why, and what to do: the first thing on the page. */
function answerPart(answer) {
  if (!answer) return null;
  const finding = (each) => h("li", {}, each.group === null ? null : [name_(each.group), ": "], h("b", {}, each.title), " ", name_(each.what, { title: null }),
    each.do.length ? h("ul", {}, each.do.map((text) => h("li", {}, text))) : null,
    each.lines.length ? h("details", { class: "evidence" }, h("summary", {}, each.lines.length > 1 ? `The ${each.lines.length} lines that show it` : "The line that shows it"), each.lines.map(([place, text]) => h("p", {}, h("code", {}, name_(place, { title: null }), " ", name_(text, { title: null }))))) : null);
  return h("div", { class: "answer" }, h("p", { class: "lead" }, h("strong", {}, name_(answer.sentence, { title: null }))),
    h("ol", { class: "findings" }, answer.findings.map(finding)), answer.after.map((text) => h("p", { class: "figures" }, text)));
}

function labelLegend(run) {
  const present = DATA.labels.filter((label) => label !== "OK" && run.bars.label.includes(DATA.labels.indexOf(label)));
  const row = (label) => {
    const ms = run.numbers.by_label[label] || (label === "DOUBLE" ? run.numbers.double_ms : 0);
    const amount = ms ? ` ${likely(run.numbers, partitionTime(ms))}` : label === "UNKNOWN" && run.numbers.unknown_ms ? ` ${partitionTime(run.numbers.unknown_ms)}` : "";
    return h("li", {}, swatch(() => theme().labels[label], DATA.hatches[label]), h("span", {}, h("b", {}, label), h("i", {}, amount), ` ${DATA.meanings[label]}`));
  };
  return h("ul", { class: "legend" }, present.map(row), h("li", {}, swatch(() => memberColour(0)), h("span", {}, h("b", {}, "OK"), " available; one colour per member")));
}

/** Members to highlight: buttons where they are few, a list where they are many. */
function memberPicker(run, highlight) {
  const names = run.bars.members.map((text, i) => [text, i]).slice(1).sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
  if (!names.length) return null;
  if (names.length > 26) {
    const select = h("select", { "aria-label": "Highlight one member", onchange: () => highlight(Number(select.value)) }, h("option", { value: 0 }, `all ${number(names.length)} processes`), names.map(([text, i]) => h("option", { value: i }, text)));
    return h("label", { class: "picker" }, "Highlight ", select);
  }
  const chips = names.map(([text, i]) => {
    const chip = h("button", { type: "button", class: "chip", "aria-pressed": "false", onclick: () => {
      const on = chip.getAttribute("aria-pressed") !== "true";
      chips.forEach((other) => other.setAttribute("aria-pressed", "false"));
      chip.setAttribute("aria-pressed", String(on));
      highlight(on ? i : 0);
    } }, swatch(() => memberColour(run.bars.places[i])), name_(text));
    return chip;
  });
  return h("div", { class: "chips", role: "group", "aria-label": "Highlight one member" }, chips);
}

function timelineSection(run, id, view, timeline, overview) {
  const heights = () => run.bars.rows.length > 0;
  const worst = button("worst first", "Partitions that were unavailable longest come first", () => {
    const on = worst.getAttribute("aria-pressed") !== "true";
    worst.setAttribute("aria-pressed", String(on));
    timeline.arrange(on);
  }, { "aria-pressed": "false" });
  const tools = h("div", { class: "tools", role: "toolbar", "aria-label": "Timeline" },
    button("+", "Zoom in", () => view.zoom(0.5)), button("−", "Zoom out", () => view.zoom(2)), button("whole run", "Show the whole run", () => view.whole()),
    button("taller rows", "Taller rows", () => timeline.fit(Math.min(Math.ceil(timeline.layout.rowHeight * 1.5), 30))),
    button("lower rows", "Lower rows", () => timeline.fit(Math.max(Math.floor(timeline.layout.rowHeight / 1.5), 1))),
    run.bars.rows.length > 1 ? worst : null,
    h("span", { class: "stretch", role: "status" }));
  const stretch = tools.querySelector(".stretch");
  const showStretch = () => { stretch.textContent = `${when(run, view.from)} – ${when(run, view.to)}${run.origin ? " UTC" : ""}`; };
  view.on(showStretch);
  showStretch();
  const highlight = (member) => { timeline.state.lit = member; timeline.made.ask(); };
  if (!heights()) return card("Which partitions were unavailable, and when", `${id}-timeline`, h("p", {}, "No partition is known."));
  return card("Which partitions were unavailable, and when", `${id}-timeline`,
    h("p", { class: "hint fine", id: "keys-timeline" }, "Drag to zoom in, Ctrl + wheel zooms, Shift + drag moves, a double-click shows the whole run. Click on a grey line to open that rebalance. Keys: arrows, +, −, Enter, Escape."),
    h("p", { class: "hint coarse" }, "Pinch to zoom, drag to move, tap a bar to read it, tap a grey line to open that rebalance."),
    h("p", { class: "axis-title" }, "Unavailable partitions over the whole run", h("span", { class: "fine" }, "; drag to choose a part of it")), overview.canvas, tools,
    timeline.element, memberPicker(run, highlight), labelLegend(run));
}

function reasonsSection(run, id) {
  const total = run.numbers.partition_ms;
  if (!total) return null;
  const table = (breakdown) => {
    const most = Math.max(...breakdown.rows.map((row) => row[1]));
    return sortable(breakdown.title, [
      { title: breakdown.title, value: (row) => row[0], show: (row) => h("div", {}, row[0] === null ? "—" : name_(row[0]), row[4] ? h("div", { class: "hint" }, row[4]) : null) },
      { title: "Unavailable", value: (row) => row[1], numeric: true, show: (row) => meter(row[1] / most, partitionTime(row[1]), percent(row[1] / total)) },
      { title: "Partitions", value: (row) => row[2], numeric: true, spare: true, show: (row) => row[2] || null },
      { title: "Longest", value: (row) => row[3], numeric: true, show: (row) => duration(row[3]) },
    ], breakdown.rows).element;
  };
  const [member, setting, phase, ...others] = run.reasons;
  return card("Why they were unavailable", `${id}-why`,
    h("p", { class: "hint" }, "Every unavailable partition-millisecond is counted once in each table; each table adds up to the total, without start-up.", run.numbers.coarse ? " All times are about as long as they say: the logs have coarse times." : run.numbers.between ? ` The logs show some of these times only in bounds: what stands here is likely, ${fromTo(run.numbers.between.ms, partitionTime)} in all.` : ""),
    h("div", { class: "columns" }, h("div", {}, table(setting), table(member)), h("div", {}, table(phase))),
    others.map((breakdown) => h("details", {}, h("summary", {}, breakdown.title), table(breakdown))));
}

function invariantsSection(run, id) {
  if (!run.invariants.length) return null;
  return card("Invariants", `${id}-invariants`, h("ul", { class: "invariants" }, run.invariants.map((each) => h("li", { class: each.broken ? "bad" : "good" },
    h("b", {}, each.broken ? "VIOLATED " : "holds "), h("code", {}, each.name), each.note ? ` (${each.note})` : "",
    each.broken ? h("ul", {}, each.violations.map(([at, text]) => h("li", {}, `${moment(at)}: `, name_(text))), each.broken > each.violations.length ? h("li", {}, `and ${number(each.broken - each.violations.length)} more`) : null) : null))));
}

function settingsSection(run, id) {
  const rows = [["run", run.id], ["status", run.status], ["source", run.source], ["facts", number(run.facts)], ["duration", duration(run.end_ms)]];
  if (run.seed !== null) rows.push(["seed", String(run.seed)]);
  if (run.origin) rows.push(["begins at", run.origin]);
  return card("Configuration", `${id}-settings`, pairs([...rows, ...run.given]),
    run.digest ? h("p", { class: "digest" }, "digest ", h("code", {}, run.digest)) : null,
    h("div", { class: "table-box" }, h("table", {}, h("thead", {}, h("tr", {}, ["Group", "Protocol", "Rebalances", "Generation", "Members at the end", "Unavailable"].map((title, i) => h("th", { scope: "col", class: [, "spare", "num", "num spare", "num spare", "num"][i] }, title)))),
      h("tbody", {}, run.groups.map((group) => h("tr", {}, h("td", {}, name_(group.name)), h("td", { class: "spare" }, group.protocol), h("td", { class: "num" }, number(group.rebalances)), h("td", { class: "num spare" }, number(group.generation)), h("td", { class: "num spare" }, number(group.members)), h("td", { class: "num" }, soFar(run.numbers, group.partition_ms, (ms) => likely(run.numbers, partitionTime(ms))))))))),
    run.settings.map((settings) => h("details", { open: run.settings.length === 1 && settings.differing.length > 0 }, h("summary", {}, "Settings that the clients of ", name_(settings.group), " are configured with"),
      settings.differing.length ? h("div", {}, h("h5", {}, "Different between processes"), pairs(settings.differing.map(([key, values]) => [key, h("ul", {}, values.map(([value, who]) => h("li", {}, name_(value), ": ", name_(who))))]))) : null,
      settings.common.length ? h("div", {}, h("h5", {}, `Equal in ${settings.processes === 1 ? "the one process" : `all ${plural(settings.processes, "process").replace("processs", "processes")}`}`), pairs(settings.common)) : h("p", {}, "Their logs do not say."))));
}

function originSection(run, id) {
  if (run.source !== "recorded") return null;
  return card("Log files", `${id}-origin`,
    h("ul", {}, run.files.map((file) => h("li", {}, name_(file.file), `: ${plural(file.facts, "fact")}`))),
    run.notes.length ? h("h5", {}, "What the logs do not say, and what was assumed") : null,
    run.notes.length ? h("ul", {}, run.notes.map((text) => h("li", {}, name_(text, { title: null })))) : null,
    h("p", { class: "hint" }, "The log lines of a rebalance are in its panel, above."));
}

function againSection(run, id) {
  const copy = button("Copy", "Copy the command", async () => {
    try { await navigator.clipboard.writeText(run.repeat); copy.textContent = "Copied"; } catch { getSelection().selectAllChildren(code); copy.textContent = "Selected"; }
  });
  const code = h("code", { class: "command" }, run.repeat);
  return card("How to repeat this run, and what to look at next", `${id}-again`, h("p", { class: "repeat" }, code, copy),
    run.repeat_in ? h("p", { class: "hint" }, `In the folder of the ${run.repeat_in}.`) : null,
    run.source === "simulated" ? h("p", { class: "hint" }, "The same seed gives the same run, byte for byte.") : null,
    h("dl", { class: "onward" }, run.next.map(([command, what]) => h("div", {}, h("dt", {}, h("code", {}, command)), h("dd", {}, name_(what))))));
}
