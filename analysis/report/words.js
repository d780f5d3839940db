// Numbers, times and names for people.

const number = (n) => n.toLocaleString("en-US");

const percent = (share) => {
  const p = share * 100;
  return `${p === 0 || p >= 10 ? p.toFixed(0) : p >= 1 ? p.toFixed(1) : p.toPrecision(1)} %`;
};

/** 340 ms, 12.3 s, 10m00s, 2h05m. */
function duration(ms) {
  if (ms < 1000) return `${number(Math.round(ms))} ms`;
  if (ms < 100000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, "0")}s`;
  return `${number(Math.floor(minutes / 60))}h${String(minutes % 60).padStart(2, "0")}m`;
}

/** A place in the run to the millisecond: 12.345 s, 4:02.120, 1:04:02.120. */
function moment(ms) {
  const whole = Math.round(ms);
  if (whole < 60000) return `${(whole / 1000).toFixed(3)} s`;
  const rest = String(((whole % 60000) / 1000).toFixed(3)).padStart(6, "0");
  const minutes = Math.floor(whole / 60000);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** The same, with the UTC instant where the run was recorded. */
function instant(run, ms) {
  if (!run.origin) return moment(ms);
  const at = new Date(Date.parse(run.origin) + ms);
  return Number.isNaN(at.getTime()) ? moment(ms) : `${moment(ms)} (${at.toISOString().replace("T", " ")})`;
}

/** The time of day in UTC of a recorded run (with the date, where it lasts days), else the place in the run. */
function when(run, ms) {
  const at = run.origin ? new Date(Date.parse(run.origin) + ms) : null;
  if (!at || Number.isNaN(at.getTime())) return moment(ms);
  return at.toISOString().slice(run.end_ms > 86400000 ? 5 : 11, 23).replace("T", " ");
}

const plural = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;

const partitionTime = (ms) => (ms > 0 && ms < 100 ? `${ms / 1000} partition-s` : `${number(ms < 1000000 ? Math.round(ms / 100) / 10 : Math.round(ms / 1000))} partition-s`);

/** What is right only to about a second, say: the logs of these numbers have coarse times. */
const about = (numbers, text) => (numbers.coarse ? `about ${text}` : text);

/** A part of a total that is known in bounds only, too. */
const likely = (numbers, text) => (numbers.between ? `about ${text}` : about(numbers, text));

/** A bound of a time to the digit that `duration` shows: the lower one rounded down, the upper one up. */
function outward(ms, round) {
  const digit = ms < 1000 ? 1 : ms < 100000 ? 100 : 1000;
  return round(ms / digit) * digit;
}

/** What is known in bounds only: 5.0 – 6.4 partition-s. There may be no upper bound. */
function fromTo([least, most], text) {
  const bound = (value, round) => text(text === duration ? outward(value, round) : value);
  if (most === null) return `at least ${bound(least, Math.floor)}`;
  if (text(least) === text(most)) return text(most);
  const [low, high] = [bound(least, Math.floor), bound(most, Math.ceil)];
  const unit = high.slice(high.lastIndexOf(" "));
  return `${low.endsWith(unit) ? low.slice(0, -unit.length) : low} – ${high}`;
}

/** How long, of a time that is known, or in bounds, or the least of it. */
function lasting(numbers, name) {
  const ends = numbers.ends[name];
  if (numbers.unknown || !ends || ends[0] === ends[1]) return soFar(numbers, numbers[name], (ms) => about(numbers, duration(ms)));
  return ends[0] || ends[1] === null ? fromTo(ends, duration) : `at most ${duration(outward(ends[1], Math.ceil))}`;
}

/** A figure of a run whose total may be unknown: what the logs tell is the least of it then, and no zero. */
function soFar(numbers, value, text) {
  if (value === null) return "unknown";
  return numbers.unknown ? `at least ${text(value)}` : text(value);
}
