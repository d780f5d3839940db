// The marks of a time axis: their places and texts.

const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000,
  900000, 1800000, 3600000, 7200000, 10800000, 21600000, 43200000, 86400000, 172800000, 604800000];

/** Steps of a round length, so that marks are at least `apart` pixels from each other; round as of `origin` (ms). */
function ticks(from, to, width, apart, origin = 0) {
  const least = ((to - from) * apart) / Math.max(width, 1);
  let step = STEPS_MS.find((each) => each >= least) || STEPS_MS[STEPS_MS.length - 1];
  while (step < least) step *= 2;
  const found = [];
  for (let at = Math.ceil((from + origin) / step) * step - origin; at <= to; at += step) found.push(at);
  return { step, at: found };
}

/** What a mark says: seconds below a minute's run, else minutes and seconds; of a recorded run, the time of day in UTC. */
function tickText(ms, step, end, origin) {
  const part = step < 1000 ? (step < 10 ? 3 : step < 100 ? 2 : 1) : 0;
  if (origin) {
    const at = new Date(Date.parse(origin) + ms);
    if (!Number.isNaN(at.getTime())) {
      if (step >= 86400000) return at.toISOString().slice(5, 10);
      return at.toISOString().slice(11, part ? 20 + part : 19).replace(/\.$/, "");
    }
  }
  if (end <= 60000) return `${(ms / 1000).toFixed(part)} s`;
  const rest = ((ms % 60000) / 1000).toFixed(part).padStart(part ? 3 + part : 2, "0");
  const minutes = Math.floor(ms / 60000);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** Draw the axis along the top of a canvas, and lines down to `bottom`. */
function drawAxis(context, run, view, left, right, top, bottom) {
  const width = right - left;
  const marks = ticks(view.from, view.to, width, run.origin ? 92 : 72, (run.origin && Date.parse(run.origin)) || 0);
  const colours = theme();
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "alphabetic";
  let free = -Infinity;
  for (const ms of marks.at) {
    const x = left + ((ms - view.from) / (view.to - view.from)) * width;
    context.fillStyle = colours.grid;
    context.fillRect(Math.round(x), top, 1, bottom - top);
    const text = tickText(ms, marks.step, view.end, run.origin);
    const half = context.measureText(text).width / 2;
    const at = Math.min(Math.max(x, left + half), right - half);
    if (at - half < free) continue;
    context.fillStyle = colours.faint;
    context.textAlign = "center";
    context.fillText(text, at, top - 4);
    free = at + half + 8;
  }
  context.textAlign = "left";
}
