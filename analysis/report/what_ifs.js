// What would have helped: the what-ifs that were run on an incident, each with its answer, bars with ranges, and what was assumed.

/** A bar for the median, with a line from the least to the greatest; `most` is the width. */
function rangeBar(each, most) {
  const part = (ms) => `${Math.max((ms / most) * 100, 0.5)}%`;
  const bar = h("span", { class: "meter", "aria-hidden": "true" });
  bar.style.width = part(each.median_ms);
  const line = each.least_ms < each.most_ms ? h("span", { class: "whisker", "aria-hidden": "true" }) : null;
  if (line) {
    line.style.left = part(each.least_ms);
    line.style.width = part(each.most_ms - each.least_ms);
  }
  return h("div", { class: "track" }, bar, line);
}

/** 24.4 (23.2 to 26.4), in partition-seconds. */
function rangeText(each) {
  const [least, median, most] = [each.least_ms, each.median_ms, each.most_ms].map((ms) => (ms / 1000).toFixed(1));
  return least === most ? median : `${median} (${least} to ${most})`;
}

/** 5.1 (4.8 to 6.0): a time over the seeds; empty where none is known. */
function secondsText(found) {
  if (!found || !found.length) return "";
  return rangeText({ median_ms: found[0], least_ms: found[1], most_ms: found[2] });
}

/** 9 (9 to 10): a count over the seeds; empty where none is known. */
function countText(found) {
  if (!found || !found.length) return "";
  const [median, least, most] = found.map(String);
  return least === most ? median : `${median} (${least} to ${most})`;
}

/** The cells behind the name of a row, each with its title, which a phone shows beside it. */
function titled(titles, contents) {
  return contents.map((content, i) => h("td", content === "" ? { class: "spare" } : { "data-title": titles[i + 1] }, content));
}

function whatIfTable(found) {
  const record = found.recorded_ms === null ? [] : [{ choice: "the record", verdict: "", median_ms: found.recorded_ms, least_ms: found.recorded_between_ms[0], most_ms: found.recorded_between_ms[1] }];
  const rows = [...record, ...found.choices];
  const most = Math.max(1, ...rows.map((each) => each.most_ms || 0));
  const titles = ["", "Partition-seconds that no process held", "Median (least to greatest)", "Seconds with at least one down", "Rebalances", "Partitions at once", ""];
  const cells = (each) => (each.median_ms === null ? [h("td", { colspan: 5 })] : titled(titles.with(2, `${titles[1]}, ${titles[2].toLowerCase()}`), [rangeBar(each, most), rangeText(each), secondsText(each.outage_ms), countText(each.rebalances), countText(each.max_partitions)]));
  return h("div", { class: "table-box" }, h("table", { class: "what-if" }, h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, rows.map((each) => h("tr", {}, h("th", { scope: "row" }, name_(each.choice)), cells(each), h("td", {}, each.verdict))))));
}

/** A sentence for each choice, and how near the replay is to the record. */
function sentencesOf(found) {
  const answers = [...found.choices.slice(1).map((each) => each.answer), ...found.rests_on];
  return answers.length ? h("ul", { class: "sentences-each" }, answers.map((text) => h("li", {}, name_(text, { title: null })))) : null;
}

/** What a change of protocol costs, and what it asks for. */
function migrationOf(found) {
  const list = (texts) => h("ul", {}, texts.map((text) => h("li", {}, name_(text, { title: null }))));
  if (!found.migration.length && !found.to_do.length) return null;
  return h("div", { class: "migration" }, list(found.migration), h("details", {}, h("summary", {}, DATA.toDo), list(found.to_do)));
}

/** What was given, inferred, drawn and assumed. */
function restsOn(found) {
  const parts = Object.entries(DATA.basis).filter(([name]) => found[name].length);
  if (!parts.length) return null;
  return h("details", {}, h("summary", {}, "What this rests on besides the logs"), parts.flatMap(([name, title]) => [h("p", { class: "hint" }, title), h("ul", {}, found[name].map((text) => h("li", {}, name_(text, { title: null }))))]));
}

function whatIfSection(run, id) {
  if (!run.what_ifs.length) return null;
  return card("What would have helped", `${id}-helped`, run.what_ifs.map((found, number) => h(number ? "details" : "div", { class: "asked" },
    number ? h("summary", {}, "An older answer") : null,
    h("p", { class: "lead" }, h("strong", {}, name_(found.headline, { title: null }))),
    h("p", { class: "hint" }, `Group ${found.group}, ${moment(found.from_ms)} to ${moment(found.to_ms)} of the record; each choice simulated ${plural(found.seeds, "time")}, with another seed each time. Compared is the time in which no process held a partition; the total above counts also that in which one held it and did not read. Amounts in the sentences are the ranges of the table, widened by how far a replay may be off.`),
    whatIfTable(found),
    sentencesOf(found),
    found.founding ? h("p", { class: "hint" }, `${DATA.founding}${found.founding}.`) : null,
    migrationOf(found),
    restsOn(found))));
}
