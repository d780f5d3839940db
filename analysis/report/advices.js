// What to set: the advice that was given on an incident, with its choices, where another one is better, and what it rests on.

function advisedRows(found) {
  const timed = found.names[0].endsWith("_ms");
  const value = (number_) => (timed ? (number_ / 1000).toFixed(1) : number_.toFixed(1));
  const most = Math.max(1, ...found.choices.map((each) => each.most_ms));
  const range = (each) => (each.least_ms === each.most_ms ? value(each.median_ms) : `${value(each.median_ms)} (${value(each.least_ms)} to ${value(each.most_ms)})`);
  const titles = ["", found.titles[0], "Mean (least to greatest)", ...found.titles.slice(1), ""];
  const other = (number_, i) => (found.names[i + 1].endsWith("_ms") ? `${(number_ / 1000).toFixed(1)} s` : number_.toFixed(1));
  const note = (each) => (each.choice === found.best ? "best" : each.front ? "beaten by none" : "");
  return h("div", { class: "table-box" }, h("table", { class: "what-if" }, h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, found.choices.map((each) => h("tr", {}, h("th", { scope: "row" }, name_(each.choice)), titled(titles, [rangeBar(each, most), range(each), ...each.others.map(other)]), h("td", {}, note(each)))))));
}

/** Lines of what each choice costs along something unknown; the values are evenly apart. */
function flipChart(found, along) {
  const [wide, high, left, bottom] = [620, 190, 64, 34];
  const scale = found.names[0].endsWith("_ms") ? 1000 : 1;
  const choices = [...new Set(along.means.flatMap((each) => Object.keys(each)))];
  const most = Math.max(...along.means.flatMap((each) => Object.values(each)), 1);
  const x = (i) => left + (i * (wide - left - 12)) / Math.max(1, along.values.length - 1);
  const y = (mean) => high - bottom - (mean / most) * (high - bottom - 12);
  const svg = s("svg", { class: "flips", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `${found.titles[0]} of ${choices.length} choices by ${along.key}` });
  for (const part of [0, 0.5, 1]) {
    svg.append(s("line", { x1: left, x2: wide - 12, y1: y(part * most), y2: y(part * most), class: "rule" }));
    svg.append(s("text", { x: left - 6, y: y(part * most) + 4, class: "tick end" }, ((part * most) / scale).toFixed(1)));
  }
  const every = Math.max(1, Math.ceil(along.values.length / 7));
  along.values.forEach((text, i) => { if (i % every === 0 || i === along.values.length - 1) svg.append(s("text", { x: x(i), y: high - bottom + 16, class: "tick middle" }, text)); });
  choices.forEach((choice, n) => {
    const points = along.means.map((each, i) => (choice in each ? `${x(i)},${y(each[choice])}` : null)).filter(Boolean);
    svg.append(s("polyline", { points: points.join(" "), class: `line line-${n % 6}` }, s("title", {}, choice)));
  });
  return h("figure", { class: "flip" }, svg, h("figcaption", {}, `By ${along.key}`, h("ul", { class: "legend" }, choices.map((choice, n) => h("li", {}, s("svg", { class: "key", viewBox: "0 0 24 8" }, s("line", { x1: 0, x2: 24, y1: 4, y2: 4, class: `line line-${n % 6}` })), h("span", {}, name_(choice)))))));
}

function adviceSection(run, id) {
  if (!run.advices.length) return null;
  const list = (title, texts) => (texts.length ? h("details", {}, h("summary", {}, title), h("ul", {}, texts.map((text) => h("li", {}, name_(text, { title: null }))))) : null);
  return card("What to set", `${id}-set`, run.advices.map((found, number) => h(number ? "details" : "div", { class: "asked" },
    number ? h("summary", {}, "An older answer") : null,
    h("p", { class: "lead" }, h("strong", {}, name_(found.answer, { title: null }))),
    h("p", { class: "hint" }, `Group ${found.group}. Differences that each setting explains by itself: `, found.sensitivity.map(([key, share]) => `${key} ${Math.round(share * 100)} %`).join(", "), "."),
    run.what_ifs.length ? h("p", { class: "hint" }, "An advice compares means, and the table above medians, of other simulations: so the same settings have other figures there.") : null,
    advisedRows(found),
    found.more ? h("p", { class: "hint" }, `${plural(found.more, "choice")} more.`) : null,
    h("ul", { class: "sentences-each" }, found.rests_on.map((text) => h("li", {}, name_(text, { title: null })))),
    found.along.map((along) => flipChart(found, along)),
    list("Left out, and why", found.refused),
    list("What choices need of the brokers", found.needs),
    list("What was assumed, because the logs do not show it", found.assumed))));
}
