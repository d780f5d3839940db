// Tables that can be sorted by a click on a heading, or by Enter on it.

const AT_ONCE = 20;
const MORE = 1000;
const ON_PAPER = 200;

/** What is missing goes last, whichever way the table is sorted. */
function compareValues(a, b, way) {
  const none = (v) => v === null || v === undefined || v === "";
  if (none(a) || none(b)) return none(a) - none(b);
  if (typeof a === "number" && typeof b === "number") return way * (a - b);
  return way * String(a).localeCompare(String(b), "en", { numeric: true });
}

const classOf = (column) => [column.numeric ? "num" : "", column.spare ? "spare" : ""].join(" ").trim() || null;

/**
 * `columns`: {title, value(row), show?(row) -> text or element, numeric?, spare? (not on a phone)}. `rowOf(row, tr)` may add to a row.
 * At most AT_ONCE rows are in the page, ON_PAPER in print; a button shows MORE.
 */
function sortable(caption, columns, rows, rowOf) {
  const state = { column: -1, way: 1, shown: AT_ONCE, rows: rows.slice() };
  const body = h("tbody");
  const more = button("", "Show more rows", () => { state.shown += MORE; fill(); }, { class: "more" });
  const headings = columns.map((column, i) => h("th", { scope: "col", class: classOf(column), "aria-sort": "none" },
    h("button", { type: "button", onclick: () => sort(i) }, column.title, h("span", { class: "arrow", "aria-hidden": "true" }))));
  const table = h("table", {}, h("caption", {}, h("span", {}, caption)), h("thead", {}, h("tr", {}, headings)), body);
  function sort(i) {
    state.way = state.column === i ? -state.way : columns[i].numeric ? -1 : 1;
    state.column = i;
    state.rows = rows.map((row, n) => [row, n])
      .sort((a, b) => compareValues(columns[i].value(a[0]), columns[i].value(b[0]), state.way) || a[1] - b[1]).map((pair) => pair[0]);
    headings.forEach((heading, n) => {
      heading.setAttribute("aria-sort", n !== i ? "none" : state.way > 0 ? "ascending" : "descending");
      heading.querySelector(".arrow").textContent = n !== i ? "" : state.way > 0 ? " ▲" : " ▼";
    });
    fill();
  }
  function fill() {
    const shown = state.rows.slice(0, state.shown);
    body.replaceChildren(...shown.map((row) => {
      const cells = columns.map((column) => {
        const value = column.show ? column.show(row) : column.value(row);
        const text = value === null || value === undefined || value === "" ? "—" : typeof value === "number" ? number(value) : value;
        return h("td", { class: classOf(column), "data-title": column.title }, text);
      });
      const tr = h("tr", {}, cells);
      if (rowOf) rowOf(row, tr);
      return tr;
    }));
    const left = state.rows.length - shown.length;
    more.hidden = left <= 0;
    more.textContent = left > MORE ? `Show ${number(MORE)} more of ${number(left)}` : `Show all ${number(state.rows.length)}`;
  }
  fill();
  beforePrint(() => { const before = state.shown; state.shown = Math.max(before, ON_PAPER); fill(); return () => { state.shown = before; fill(); }; });
  return { element: h("div", { class: "table-box" }, table, more), body, sort, reveal: (row) => {
    const at = state.rows.indexOf(row);
    if (at >= state.shown) { state.shown = at + AT_ONCE; fill(); }
  } };
}

/** A bar behind numbers: the share of the largest. */
function meter(share, ...texts) {
  const bar = h("span", { class: "meter", "aria-hidden": "true" });
  bar.style.width = `${Math.max(share * 100, 0.5)}%`;
  return h("div", { class: "metered" }, bar, texts.map((text) => h("span", { class: "figure" }, text)));
}

/** Names and values, two by two. */
function pairs(rows) {
  return h("dl", { class: "pairs" }, rows.map(([term, value]) => h("div", {}, h("dt", {}, name_(term)), h("dd", {}, value instanceof Node ? value : name_(value)))));
}
