// The page: a comparison where there are several runs, then run after run.

const DATA = readData();
const OK = DATA.labels.indexOf("OK");

/** Names that distinguish the runs: with the seed, the settings or the id where the names are equal. */
function titlesOf(runs) {
  const unique = (texts) => new Set(texts).size === texts.length;
  const names = runs.map((run) => run.name);
  if (unique(names)) return names;
  const settings = runs.map((run) => [run.name, ...run.given.map(([key, value]) => `${key}=${value}`)].join(" "));
  if (unique(settings)) return settings;
  const seeds = runs.map((run, i) => (run.seed === null ? settings[i] : `${settings[i]} seed ${run.seed}`));
  return unique(seeds) ? seeds : seeds.map((text, i) => `${text} (${runs[i].id})`);
}

const followed = [];

function runSection(run, i, title, view, several) {
  const id = `run-${i}`;
  const timeline = makeTimeline(run, view, (rebalance) => rebalances.show(rebalance));
  const overview = makeOverview(run, view, timeline.gutter);
  const rebalances = makeRebalances(run, id, view, timeline);
  followed.push(rebalances.follow);
  const about = [run.seed === null ? null : `seed ${run.seed}`, `${duration(run.end_ms)} ${run.source === "recorded" ? "recorded" : "simulated"}`,
    run.origin ? `from ${run.origin.replace("T", " ").replace(/Z$/, " UTC")} on` : null,
    plural(run.groups.length, "group"), plural(run.rebalances.length, "rebalance"), plural(run.facts, "fact"), run.status === "finished" ? null : run.status].filter(Boolean);
  return h("section", { class: "run", id, "aria-labelledby": `${id}-name` },
    several ? h("h2", { id: `${id}-name` }, name_(title)) : h("h2", { id: `${id}-name`, class: "quiet" }, "Summary"),
    h("p", { class: "about" }, about.join(" · ")),
    summarySection(run), whatIfSection(run, id), adviceSection(run, id), timelineSection(run, id, view, timeline, overview),
    card("Rebalances", `${id}-rebalances`, run.rebalances.length ? rebalances.element : h("p", {}, "No rebalance happened.")),
    reasonsSection(run, id), invariantsSection(run, id), settingsSection(run, id), originSection(run, id), againSection(run, id));
}

function contents(runs, titles) {
  const links = runs.length > 1
    ? [["compare", "Side by side"], ...titles.map((title, i) => [`run-${i}`, title])]
    : [["helped", "What would have helped"], ["set", "What to set"], ["timeline", "Timeline"], ["rebalances", "Rebalances"], ["why", "Why"], ["invariants", "Invariants"], ["settings", "Configuration"], ["origin", "Log files"], ["again", "Repeat and go on"]].map(([place, text]) => [`run-0-${place}`, text]);
  return links.filter(([id]) => document.getElementById(id)).map(([id, text]) => h("a", { href: `#${id}` }, name_(text)));
}

function start() {
  const { runs } = DATA;
  const titles = titlesOf(runs);
  const main = document.getElementById("main");
  const heading = runs.length > 1 ? `${runs.length} runs compared` : titles[0];
  document.title = `${heading} — groupsim report`;
  document.getElementById("title").append(name_(heading));
  watchTheme();
  const views = runs.map((run) => makeView(run.end_ms));
  if (runs.length > 1) main.append(compareSection(runs, titles, views));
  runs.forEach((run, i) => main.append(runSection(run, i, titles[i], views[i], runs.length > 1)));
  document.getElementById("contents").append(...contents(runs, titles));
  beforePrint(() => { const closed = [...document.querySelectorAll("details:not([open])")]; closed.forEach((each) => { each.open = true; }); return () => closed.forEach((each) => { each.open = false; }); });
  followed.forEach((follow) => follow());
  document.documentElement.dataset.ready = "yes";
}

start();
