"""The timeline of a run as a small SVG picture for notebooks: partitions by time, in the colours of the pictures.

No script and no style sheet, so that notebooks that clean what they show keep it; text has the page's own colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from groupsim.analysis.availability.labels import MEANINGS, Interval, Label, Where
from groupsim.analysis.plots.palette import LIGHT, label_of, member_colour, natural, places
from groupsim.wording.times import duration

MOST_ROWS = 24
"""Partitions drawn one by one; of more, those that were unavailable longest."""
_WIDTH, _ROW, _LEFT, _AXIS = 720, 14, 130, 20
_SHORTEST_PX = 0.75


def timeline(intervals: Sequence[Interval], most_rows: int = MOST_ROWS) -> str:
    """An `<svg>`; empty text where there is nothing to draw."""
    rows: dict[Where, list[Interval]] = {}
    for interval in intervals:
        rows.setdefault(interval.where, []).append(interval)
    if not rows or (ends := max(each.to_ms for each in intervals)) <= 0:
        return ""
    shown = _chosen(rows, most_rows)
    several = len({group for group, _, _ in rows}) > 1
    colours = places(each.member for each in intervals if each.member is not None)
    height = len(shown) * _ROW + _AXIS
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="100%"'
        f' style="max-width:{_WIDTH}px" font-family="sans-serif" font-size="10" role="img"'
        ' aria-label="who owned which partition when">'
    ]
    for number, key in enumerate(shown):
        top = number * _ROW
        name = f"{key[0]} {key[1]}-{key[2]}" if several else f"{key[1]}-{key[2]}"
        short = name if len(name) <= 22 else f"…{name[-21:]}"
        parts.append(
            f'<text x="{_LEFT - 6}" y="{top + 10}" text-anchor="end" fill="currentColor">{escape(short)}</text>'
        )
        parts += [_bar(each, top, ends, colours) for each in rows[key]]
    bottom = len(shown) * _ROW + 13
    parts += [_text(_LEFT, bottom, "0", "start"), _text(_WIDTH, bottom, duration(ends), "end")]
    more = len(rows) - len(shown)
    note = f"<p>{more:,} more partitions, unavailable for less time, are not drawn</p>" if more else ""
    return "".join(parts) + f"</svg>{_legend(intervals)}{note}"


def _text(x: int, y: int, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="currentColor">{escape(text)}</text>'


def _chosen(rows: Mapping[Where, Sequence[Interval]], most: int) -> list[Where]:
    """All, or those that were unavailable longest, in the order of their names."""
    worst = sorted(rows, key=lambda key: -sum(each.to_ms - each.from_ms for each in rows[key] if each.unavailable))
    return sorted(worst[:most], key=lambda key: (natural(key[0]), natural(key[1]), key[2]))


def _bar(interval: Interval, top: int, ends: int, colours: Mapping[str, int]) -> str:
    scale = (_WIDTH - _LEFT) / ends
    left = _LEFT + interval.from_ms * scale
    wide = max(_SHORTEST_PX if interval.unavailable else 0.0, (interval.to_ms - interval.from_ms) * scale)
    if interval.label == Label.OK:
        colour = LIGHT.grid if interval.member is None else member_colour(colours[interval.member], LIGHT)
        what = "served" if interval.member is None else f"served by {label_of(interval.member)}"
    else:
        colour, what = _colour(interval.label), f"{interval.label}: {MEANINGS[Label(interval.label)]}"
    said = escape(f"{what}, {duration(interval.to_ms - interval.from_ms)} from {duration(interval.from_ms)}")
    return (
        f'<rect x="{left:.1f}" y="{top + 1}" width="{wide:.2f}" height="{_ROW - 2}" fill="{colour}">'
        f"<title>{said}</title></rect>"
    )


def _colour(label: str) -> str:
    """Of the label that is black: the text's own colour, which a dark page has light."""
    return "currentColor" if label == Label.OWNER_DEAD else LIGHT.labels[label]


def _legend(intervals: Sequence[Interval]) -> str:
    seen = {each.label for each in intervals}
    marks = [
        f'<span style="white-space:nowrap"><span style="color:{_colour(label)}">■</span> {label}:'
        f" {escape(MEANINGS[label])}</span>"
        for label in Label
        if label in seen and label != Label.OK
    ]
    return f'<p style="font-size:0.85em">{" &nbsp; ".join(marks)}</p>' if marks else ""
