"""The pictures to zoom, hover and filter in: the same six as plotly figures; `write_html("x.html")` keeps one."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from groupsim.analysis.availability.labels import Label
from groupsim.analysis.blame.steps import STEPS
from groupsim.analysis.plots import frames, sweeps
from groupsim.analysis.plots.palette import HATCHES, STEP_HATCHES, Theme, label_of, member_colour, natural, places
from groupsim.analysis.plots.palette import theme as named_theme
from groupsim.wording.names import shown
from groupsim.wording.times import duration

MEMBERS = 20
"""Of more members, none is in the legend."""
_SHARED = "members of colour"
_PATTERNS = {"xx": "x", "..": ".", "o": ".", "--": "-"}


def timeline(frame: pd.DataFrame, *, theme: str = "light", title: str = "") -> go.Figure:
    """See `analysis.plots.timeline`; the legend switches members and labels on and off."""
    of, rows = named_theme(theme), frames.rows(frame)
    placed = places(rows.members)
    several = len({label_of(name) for name in rows.members}) > MEMBERS
    traces: dict[str, dict[str, Any]] = {}
    start = frames.origin(frame)
    for i, (member, label) in enumerate(zip(rows.member, rows.label, strict=True)):
        if label != Label.OK:
            key, look = label, _pattern(of.labels.get(label, of.faint), HATCHES.get(label, "/"))
        elif several:
            place = placed.get(member, 0) % len(of.members)
            key, look = f"{_SHARED} {place + 1}", {"color": of.members[place], "line": {"width": 0}}
        else:
            key, look = (
                shown(label_of(member)) or "a member",
                {"color": member_colour(placed.get(member, 0), of), "line": {"width": 0}},
            )
        trace = traces.setdefault(key, {"x": [], "base": [], "y": [], "customdata": [], "marker": look})
        length, begin = int(rows.to_ms[i] - rows.from_ms[i]), int(rows.from_ms[i])
        trace["x"].append(length if start is not None else length / 1_000)
        trace["base"].append((pd.Timestamp(start) + pd.Timedelta(begin, "ms")).isoformat() if start else begin / 1_000)
        trace["y"].append(int(rows.row[i]))
        trace["customdata"].append([_safe(rows.names[rows.row[i]]), _safe(member), label, duration(length)])
    made = _figure(of, title or "Who had which partition", 22 * len(rows.names) + 170)
    hover = "%{customdata[0]}<br>%{customdata[2]} %{customdata[1]}<br>%{customdata[3]}<extra></extra>"
    for key in sorted(traces, key=lambda name: (name in HATCHES, natural(name))):
        in_legend = not key.startswith(_SHARED)
        made.add_trace(
            go.Bar(
                name=_safe(key), orientation="h", width=0.86, hovertemplate=hover, showlegend=in_legend, **traces[key]
            )
        )
    every = max(1, len(rows.names) // 60)
    kept = list(range(0, len(rows.names), every))
    names = [_safe(rows.names[place]) for place in kept]
    made.update_yaxes(tickvals=kept, ticktext=names, range=[len(rows.names) - 0.5, -0.5])
    axis: dict[str, Any] = {"type": "date"} if start else {}
    made.update_xaxes(title="time of day, UTC" if start else "seconds since the start", **axis)
    return made


def unavailable(frame: pd.DataFrame, *, theme: str = "light", title: str = "") -> go.Figure:
    """See `analysis.plots.unavailable`."""
    of, counts = named_theme(theme), frames.counts(frame)
    start = frames.origin(frame)
    at = [pd.Timestamp(start) + pd.Timedelta(int(ms), "ms") if start else ms / 1_000 for ms in counts.at_ms.tolist()]
    made = _figure(of, title or "Unavailable partitions", 380)
    for label in sorted(counts.by_label, key=lambda name: -counts.weight(name)):
        strong = of.labels.get(label, of.faint)
        pattern = {"shape": _shape(HATCHES.get(label, "/")), "fgcolor": strong, "bgcolor": _faint(strong), "size": 6}
        line = {"shape": "hv", "width": 0.5, "color": strong}
        trace = go.Scatter(x=at, y=counts.by_label[label], name=label, stackgroup="all", line=line, fillpattern=pattern)
        made.add_trace(trace)
    made.update_yaxes(title="partitions unavailable", rangemode="tozero")
    made.update_xaxes(title="time of day, UTC" if start else "seconds since the start")
    return made


def lag(frame: pd.DataFrame, *, theme: str = "light", title: str = "") -> go.Figure:
    """See `analysis.plots.lag`."""
    of, lags = named_theme(theme), frames.lags(frame)
    start = frames.origin(frame)
    at = [pd.Timestamp(start) + pd.Timedelta(int(ms), "ms") if start else ms / 1_000 for ms in lags.at_ms.tolist()]
    made = _figure(of, title or "Lag of the commits, all partitions together", 380)
    for number, (name, records) in enumerate(lags.by_group.items()):
        made.add_trace(go.Scatter(x=at, y=records, name=_safe(name), line={"color": sweeps.line_colour(number, of)}))
    made.update_yaxes(title="records behind", rangemode="tozero")
    made.update_xaxes(title="time of day, UTC" if start else "seconds since the start")
    return made


def rebalance(
    frame: pd.DataFrame,
    *,
    group: str | None = None,
    generation: int | None = None,
    most: int = 40,
    theme: str = "light",
    title: str = "",
) -> go.Figure:
    """See `analysis.plots.rebalance`."""
    of, swim = named_theme(theme), frames.swim(frame, group, generation)
    names = list(swim.lanes)[:most]
    made = _figure(of, title or swim.about, 26 * len(names) + 170)
    for step in swim.steps:
        trace: dict[str, Any] = {"x": [], "base": [], "y": [], "customdata": []}
        edges: list[str] = []
        for place, name in enumerate(names):
            for piece in swim.lanes[name]:
                if piece.step == step:
                    trace["x"].append((piece.to_ms - piece.from_ms) / 1_000)
                    trace["base"].append(piece.from_ms / 1_000)
                    trace["y"].append(place)
                    lasted = duration(piece.to_ms - piece.from_ms)
                    trace["customdata"].append([_safe(name or "no member"), f"{_safe(piece.kind)} {step}", lasted])
                    edges.append(of.critical if piece.critical else of.paper)
        strong = of.steps.get(step, of.faint)
        look: dict[str, Any] = (
            _pattern(strong, STEP_HATCHES[step]) if step in STEP_HATCHES else {"color": strong, "line": {"width": 0}}
        )
        look["line"] = {"color": edges, "width": [2.5 if edge == of.critical else 0 for edge in edges]}
        hover = f"%{{customdata[0]}}<br>%{{customdata[1]}}: {STEPS.get(step, '')}<br>%{{customdata[2]}}<extra></extra>"
        made.add_trace(go.Bar(name=step, orientation="h", width=0.76, marker=look, hovertemplate=hover, **trace))
    places_ = list(range(len(names)))
    texts = [_safe(name or "no member") for name in names]
    made.update_yaxes(tickvals=places_, ticktext=texts, range=[len(names) - 0.5, -0.5])
    made.update_xaxes(title="seconds since the start of the rebalance; the critical path is framed")
    return made


def compare(frame: pd.DataFrame, *, by: str = "label", theme: str = "light", title: str = "") -> go.Figure:
    """See `analysis.plots.compare`."""
    of = named_theme(theme)
    runs, parts = sweeps.breakdown(frame, by)
    made = _figure(of, title or f"Unavailable time by {by}", max(46 * len(runs) + 190, 20 * len(parts) + 130))
    order = list(of.labels)
    for number, (part, values) in enumerate(parts.items()):
        key = part if by == "label" and part in of.labels else order[number % len(order)]
        plain = {"color": of.grid, "line": {"color": of.faint, "width": 0.5}}
        look = plain if part == sweeps.OTHERS else _pattern(of.labels[key], HATCHES[key])
        seconds = [value / 1_000 for value in values]
        texts = [_safe(run) for run in runs]
        made.add_trace(go.Bar(name=_safe(part), x=seconds, y=texts, orientation="h", marker=look))
    made.update_layout(barmode="stack", legend={"traceorder": "normal"})
    made.update_xaxes(title="unavailable partition-seconds")
    made.update_yaxes(autorange="reversed")
    return made


def sweep(
    frame: pd.DataFrame,
    *,
    x: str | None = None,
    measure: str = "partition_ms",
    hue: str | None = None,
    theme: str = "light",
    title: str = "",
) -> go.Figure:
    """See `analysis.plots.sweep`."""
    of, prepared = named_theme(theme), sweeps.prepare(frame, x, measure, hue)
    made = _figure(of, title or f"{prepared.what} by {prepared.x}: median, and 5 to 95 % of the runs", 460)
    for number, line in enumerate(prepared.lines):
        colour = sweeps.line_colour(number, of)
        up, down = (line.high - line.median).tolist(), (line.median - line.low).tolist()
        error = {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "color": colour}
        look = {"color": colour, "symbol": number % 8, "size": 9}
        mode = "markers" if prepared.names else "lines+markers"
        made.add_trace(
            go.Scatter(x=line.at, y=line.median, name=_safe(line.name), mode=mode, marker=look, error_y=error)
        )
    if prepared.names is not None:
        made.update_xaxes(tickvals=list(range(len(prepared.names))), ticktext=[_safe(name) for name in prepared.names])
    made.update_xaxes(title=_safe(prepared.x))
    made.update_yaxes(title=prepared.unit, rangemode="tozero")
    return made


def pareto(frame: pd.DataFrame, *, x: str, y: str, theme: str = "light", title: str = "") -> go.Figure:
    """See `analysis.plots.pareto`."""
    of, points = named_theme(theme), sweeps.points(frame, x, y)
    made = _figure(of, title or f"{y} and {x}: choices that no other beats, and the record", 460)
    hover = "%{text}<br>%{x:,.1f}<br>%{y:,.1f}<extra></extra>"
    for name, (at_x, at_y), texts, look in (
        ("beaten by another", points.beaten, points.beaten_names, {"mode": "markers", "marker": {"color": of.faint}}),
        (
            "beaten by none",
            points.front,
            points.front_names,
            {"mode": "lines+markers", "line": {"shape": "hv", "color": sweeps.line_colour(0, of)}},
        ),
        (
            "the record",
            points.recorded,
            ["as recorded"],
            {"mode": "markers", "marker": {"color": of.critical, "symbol": "x", "size": 11}},
        ),
    ):
        safe = [_safe(text) for text in texts]
        made.add_trace(go.Scatter(name=name, x=at_x, y=at_y, text=safe, hovertemplate=hover, **look))
    made.update_xaxes(title=points.x, rangemode="tozero")
    made.update_yaxes(title=points.y, rangemode="tozero")
    return made


def _figure(of: Theme, title: str, height: int) -> go.Figure:
    """An empty figure of the theme."""
    axis = {"gridcolor": of.grid, "zerolinecolor": of.grid, "linecolor": of.grid}
    return go.Figure(
        layout={
            "title": {"text": _safe(title, 200), "font": {"size": 16}},
            "paper_bgcolor": of.paper,
            "plot_bgcolor": of.paper,
            "font": {"color": of.ink, "size": 12},
            "barmode": "overlay",
            "height": min(max(height, 260), 1_400),
            "xaxis": axis,
            "yaxis": axis,
            "showlegend": True,
            "margin": {"l": 90, "r": 20, "t": 60, "b": 50},
        }
    )


def _pattern(colour: str, hatch: str) -> dict[str, Any]:
    """A marker: the colour faintly, and its hatch strongly."""
    pattern = {"shape": _shape(hatch), "fgcolor": colour, "bgcolor": _faint(colour), "size": 6, "solidity": 0.35}
    return {"color": colour, "pattern": pattern, "line": {"width": 0}}


def _shape(hatch: str) -> str:
    return _PATTERNS.get(hatch, hatch)


def _faint(colour: str) -> str:
    red, green, blue = bytes.fromhex(colour[1:])
    return f"rgba({red},{green},{blue},0.3)"


def _safe(text: str, longest: int = 60) -> str:
    """plotly takes some markup in texts: of a name nothing is."""
    return shown(text, longest).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
