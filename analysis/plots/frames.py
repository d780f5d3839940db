"""The data of the pictures, from the tables: columns checked, partitions in rows, counts over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from groupsim.analysis.availability.labels import LABELS, Label
from groupsim.analysis.blame.steps import STEPS
from groupsim.analysis.errors import AnalysisError
from groupsim.analysis.plots.palette import natural, order
from groupsim.analysis.tables.ownership import Perspective
from groupsim.wording.times import duration


def needs(frame: pd.DataFrame, columns: Sequence[str], what: str) -> None:
    """Raises AnalysisError unless the table has these columns."""
    missing = [name for name in columns if name not in frame]
    if missing:
        raise AnalysisError(f"{what} needs the columns {', '.join(columns)}; the table has no {', '.join(missing)}")


@dataclass(frozen=True)
class Rows:
    """Bars in rows: `names` of the rows from the top, and per bar its row, times in ms, member (or "") and label."""

    names: list[str]
    row: np.ndarray
    from_ms: np.ndarray
    to_ms: np.ndarray
    member: list[str]
    label: list[str]

    @property
    def members(self) -> list[str]:
        """All members, as people sort them."""
        return sorted({name for name in self.member if name}, key=natural)

    @property
    def labels(self) -> list[str]:
        """The labels that occur, without OK, in their usual order."""
        return order(set(self.label) - {Label.OK}, LABELS)


def rows(frame: pd.DataFrame) -> Rows:
    """Of `run.timeline()`, `run.availability()` or `run.ownership()` (of that the coordinator's perspective)."""
    needs(frame, ("group", "topic", "partition", "member", "start", "end"), "a timeline")
    if "perspective" in frame and frame["perspective"].nunique() > 1:
        frame = frame[frame["perspective"] == Perspective.GRANTED]
    keys = list(zip(_texts(frame["group"]), _texts(frame["topic"]), frame["partition"].tolist(), strict=True))
    ordered = sorted(set(keys), key=lambda k: (natural(k[0]), k[0], natural(k[1]), k[1], k[2]))
    places = {key: place for place, key in enumerate(ordered)}
    several = len({key[0] for key in ordered}) > 1
    from_ms, to_ms = _ms(frame, "start", "end")
    return Rows(
        [f"{group}  {topic}-{number}" if several else f"{topic}-{number}" for group, topic, number in ordered],
        np.array([places[key] for key in keys], dtype=np.int64),
        from_ms,
        to_ms,
        _texts(frame["member"]),
        _texts(frame["label"]) if "label" in frame else [Label.OK] * len(frame),
    )


def _texts(column: pd.Series) -> list[str]:
    """Text, and nothing where a value is missing."""
    return ["" if pd.isna(value) else str(value) for value in column.tolist()]


@dataclass(frozen=True)
class Counts:
    """From each instant `at_ms[i]` on, `by_label[label][i]` partitions are unavailable; the last count is 0."""

    at_ms: np.ndarray
    by_label: dict[str, np.ndarray]

    def weight(self, label: str) -> float:
        """The label's partition-milliseconds: the largest is at the bottom."""
        return float((self.by_label[label][:-1] * np.diff(self.at_ms)).sum())


def counts(frame: pd.DataFrame) -> Counts:
    """Of `run.unavailable()` or `run.blame()`."""
    needs(frame, ("label", "start", "end"), "a chart of unavailable partitions")
    from_ms, to_ms = _ms(frame, "start", "end")
    at = np.unique(np.concatenate([from_ms, to_ms]))
    by_label = {}
    labels = _texts(frame["label"])
    for label in order(set(labels), LABELS):
        chosen = np.array([row_label == label for row_label in labels], dtype=bool)
        steps = np.zeros(len(at), dtype=np.int64)
        np.add.at(steps, np.searchsorted(at, from_ms[chosen]), 1)
        np.add.at(steps, np.searchsorted(at, to_ms[chosen]), -1)
        by_label[label] = steps.cumsum()
    return Counts(at, by_label)


@dataclass(frozen=True)
class Lags:
    """At each instant `at_ms[i]` a group's commits were `by_group[group][i]` records behind; NaN before the first."""

    at_ms: np.ndarray
    by_group: dict[str, np.ndarray]


def lags(frame: pd.DataFrame) -> Lags:
    """Of `run.behind()` or `run.lag()`: all partitions of a group together."""
    needs(frame, ("time", "group", "lag"), "a chart of lag")
    (at_ms,) = _ms(frame, "time")
    known = frame.assign(at_ms=at_ms)[frame["lag"].notna()]
    wide = known.assign(group=_texts(known["group"])).groupby(["at_ms", "group"])["lag"].sum().unstack("group")
    wide = wide.reindex(np.unique(at_ms))
    names = sorted(map(str, wide), key=natural)
    return Lags(wide.index.to_numpy(dtype=np.int64), {name: wide[name].to_numpy("float64") for name in names})


def origin(frame: pd.DataFrame) -> datetime | None:
    """The first UTC instant of a table of a recorded run: its pictures count from there. None of a simulated one."""
    times = frame["start" if "start" in frame else "time"]
    if not isinstance(times.dtype, pd.DatetimeTZDtype) or frame.empty:
        return None
    return pd.Timestamp(times.min()).to_pydatetime()


def _ms(frame: pd.DataFrame, *columns: str) -> list[np.ndarray]:
    """Moments in milliseconds: since the start of a simulated run, since `origin` of a recorded one."""
    first = origin(frame)
    zero: Any = pd.Timedelta(0) if first is None else pd.Timestamp(first)
    return [((frame[name] - zero) // pd.Timedelta(milliseconds=1)).to_numpy(dtype=np.int64) for name in columns]


@dataclass(frozen=True)
class Piece:
    """A member at one step, from and to in ms since the rebalance's start."""

    step: str
    kind: str
    from_ms: int
    to_ms: int
    critical: bool


@dataclass(frozen=True)
class Swim:
    """One rebalance: `lanes` in the order in which they are drawn; the name "" is no member (the initial delay)."""

    group: str
    generation: int | None
    lasted_ms: int
    lanes: dict[str, list[Piece]]

    @property
    def about(self) -> str:
        """A heading."""
        which = "a rebalance" if self.generation is None else f"rebalance to generation {self.generation}"
        return f"{self.group}: {which}, {duration(self.lasted_ms)}"

    @property
    def steps(self) -> list[str]:
        """The steps that occur, in their usual order."""
        return order({piece.step for pieces in self.lanes.values() for piece in pieces}, list(STEPS))


_STEPS = ("group", "generation", "number", "member", "step", "kind", "start", "end", "critical")


def swim(steps: pd.DataFrame, group: str | None, generation: int | None) -> Swim:
    """One rebalance of `run.critical_paths()`: the one asked for, else the longest. Raises AnalysisError.

    Lanes: the initial delay first, then by time on the critical path, then by name.
    """
    needs(steps, _STEPS, "a swim-lane")
    rounds: dict[tuple[str, int], list[tuple[Any, ...]]] = {}
    from_ms, to_ms = _ms(steps, "start", "end")
    plain = steps.assign(start=from_ms, end=to_ms)
    for row in zip(*(plain[name].astype(object).tolist() for name in _STEPS), strict=True):
        if group in (None, row[0]) and (generation is None or (not pd.isna(row[1]) and row[1] == generation)):
            rounds.setdefault((str(row[0]), int(row[2])), []).append(row)
    if not rounds:
        asked = [
            f"group {group!r}" if group is not None else "",
            "" if generation is None else f"generation {generation}",
        ]
        raise AnalysisError(f"no rebalance of {', '.join(filter(None, asked)) or 'this table'} is there to draw")
    rows = max(rounds.values(), key=lambda pieces: max(row[7] for row in pieces) - min(row[6] for row in pieces))
    start = min(row[6] for row in rows)
    lanes: dict[str, list[Piece]] = {}
    for row in rows:
        member, kind = ("" if pd.isna(value) else str(value) for value in (row[3], row[5]))
        lanes.setdefault(member, []).append(Piece(str(row[4]), kind, row[6] - start, row[7] - start, bool(row[8])))
    names = sorted(lanes, key=lambda name: (name != "", -_critical_ms(lanes[name]), natural(name)))
    number = None if pd.isna(rows[0][1]) else int(rows[0][1])
    lasted = max(row[7] for row in rows) - start
    return Swim(str(rows[0][0]), number, lasted, {name: lanes[name] for name in names})


def _critical_ms(pieces: Sequence[Piece]) -> int:
    return sum(piece.to_ms - piece.from_ms for piece in pieces if piece.critical)
