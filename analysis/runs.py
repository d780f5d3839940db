"""One run of a store, ready to be asked: its facts, availability, rebalances and summary, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from groupsim.analysis import advices
from groupsim.analysis.advices import StoredAdvice
from groupsim.analysis.availability.intervals import Intervals, intervals
from groupsim.analysis.availability.labels import Interval, within
from groupsim.analysis.availability.start_up import FirstWorked, after_start, first_worked
from groupsim.analysis.blame.blame import Blame, blame
from groupsim.analysis.blame.critical_path import critical_paths
from groupsim.analysis.blame.steps import Step
from groupsim.analysis.blame.undated_deaths import Gone, gone_in_doubt
from groupsim.analysis.snapshots import replay_stored
from groupsim.analysis.tables import blame_tables, commits, frames, members, metrics, ownership
from groupsim.analysis.tables.bounds import Support, Supported
from groupsim.analysis.tables.delays import Load
from groupsim.analysis.tables.headline import amount
from groupsim.analysis.tables.known_delays import KnownDelays, known_delays
from groupsim.analysis.tables.lag import BEHIND, Ends, lag_rows, partition_lags
from groupsim.analysis.tables.summary import summarise
from groupsim.analysis.timelines.builder import group_timelines, rebalances
from groupsim.analysis.timelines.group_timeline import GroupTimeline
from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.analysis.what_ifs import StoredWhatIf, kept
from groupsim.events.base import Recorded
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.storage import open_store
from groupsim.storage.audit import refuse_damaged
from groupsim.storage.store import EventStore, RunInfo, RunSource

_INSTANTS = 600


def open_run(store: str | Path | EventStore, reference: str = "latest") -> Run:
    """See `analysis.load`. Raises StoreError for a damaged run and for no store, UnknownRun if there is no such run."""
    opened = open_store(store, create=False) if isinstance(store, str | Path) else store
    info = opened.find(reference)
    refuse_damaged(opened, info)
    return Run(opened, info)


class Run:
    """Tables of one run; each method names the constant that documents its columns, dtypes and units.

    Facts that change nothing (heartbeats, messages) are read by `facts()` only: of a run that was killed, time after
    the last fact that changes something is not counted.
    """

    def __init__(self, store: EventStore, info: RunInfo) -> None:
        self.info = info
        self._store = store

    @property
    def store(self) -> EventStore:
        """The store that keeps it."""
        return self._store

    def __repr__(self) -> str:
        return f"<Run {self.info.id} {self.info.name}: {self.info.facts} facts, {self.info.status}>"

    def read(self) -> Iterator[Recorded]:
        """Every fact, in order."""
        return self._store.read(self.info.id)

    def _timed(self, frame: pd.DataFrame) -> pd.DataFrame:
        """With UTC instants, where the run was recorded."""
        return frame if self.info.origin is None else frames.timed(frame, self.info.origin)

    def facts(self) -> pd.DataFrame:
        """One row a fact: `frames.FACTS`."""
        return self._timed(frames.facts_frame(self.read()))

    @cached_property
    def state_changing(self) -> list[Recorded]:
        """The facts that change something, read once and kept."""
        return list(self._store.read(self.info.id, types=STATE_CHANGING))

    @cached_property
    def intervals(self) -> Sequence[Interval]:
        """`analysis.availability.intervals.intervals` of the run, computed once.

        Of a recorded run whose total is unknown: what is in doubt is UNKNOWN (`analysis.tables.support`).
        """
        return self._labelled if self._supported is None else self._supported.intervals

    @cached_property
    def _labelled(self) -> Intervals:
        return intervals(self.state_changing)

    @cached_property
    def _supported(self) -> Supported | None:
        return Supported(self.info.summary, self._labelled) if self.info.source == RunSource.RECORDED else None

    @cached_property
    def worked(self) -> FirstWorked:
        """When each group first worked (`analysis.availability.start_up`): headlines count from then on."""
        return first_worked(self.intervals) if self._supported is None else self._supported.worked

    @cached_property
    def intervals_after_start(self) -> list[Interval]:
        """The intervals without start-up."""
        return list(after_start(self.intervals, self.worked))

    @cached_property
    def reasons_after_start(self) -> list[Blame]:
        """The pieces of blame without start-up."""
        return list(after_start(self.reasons, self.worked, replace))

    @cached_property
    def timelines(self) -> dict[str, GroupTimeline]:
        """`analysis.timelines.builder.group_timelines` of the run, computed once: rebalances, blame, critical paths."""
        return group_timelines(self.state_changing)

    @cached_property
    def rebalance_rows(self) -> list[Rebalance]:
        """`analysis.timelines.builder.rebalances` of the run."""
        return rebalances(self.state_changing, self.timelines)

    @cached_property
    def reasons(self) -> list[Blame]:
        """`analysis.blame.blame.blame` of the run, computed once."""
        return blame(self.state_changing, self.intervals, self.timelines)

    @cached_property
    def gone(self) -> list[Gone]:
        """`analysis.blame.gone.gone_in_doubt` of the run, computed once."""
        return gone_in_doubt(self.intervals, self.timelines)

    @cached_property
    def steps(self) -> list[Step]:
        """`analysis.blame.critical_path.critical_paths` of the run, computed once."""
        return critical_paths(self.state_changing, self._end_ms, self.timelines)

    def availability(self) -> pd.DataFrame:
        """Every partition's time, label by label: `frames.AVAILABILITY`."""
        return self._timed(frames.availability_frame(self.intervals))

    def unavailable(self) -> pd.DataFrame:
        """The unavailable intervals: `metrics.UNAVAILABLE`."""
        return self._timed(metrics.unavailable(self.availability()))

    def blame(self) -> pd.DataFrame:
        """Why: every unavailable interval in pieces, each with what it waited for: `why_frames.BLAME`."""
        return self._timed(blame_tables.blame_frame(self.reasons))

    def critical_paths(self) -> pd.DataFrame:
        """What each member did in each rebalance, and what the others waited for: `why_frames.CRITICAL_PATHS`."""
        return self._timed(blame_tables.paths_frame(self.steps))

    def ownership(self) -> pd.DataFrame:
        """Who owned which partition, by the coordinator's and by the processes' own state: `owners.OWNERSHIP`."""
        return self._table(ownership.ownership(self.state_changing, self._end_ms), ownership.OWNERSHIP)

    def members(self) -> pd.DataFrame:
        """One row a process: `lives.MEMBERS`."""
        return self._table(members.members(self.state_changing, self._end_ms), members.MEMBERS)

    def callbacks(self) -> pd.DataFrame:
        """One row a rebalance callback: `lives.CALLBACKS`."""
        return self._table(members.callbacks(self.state_changing), members.CALLBACKS)

    def commits(self) -> pd.DataFrame:
        """One row a partition of a commit: `commits.COMMITS`."""
        return self._table(commits.commits(self.state_changing), commits.COMMITS)

    def lag(self, every_ms: int = 1_000) -> pd.DataFrame:
        """How many records each partition is behind, every `every_ms`: `commits.LAG`. Raises ValueError."""
        return self._table(commits.lag(self.state_changing, every_ms), commits.LAG)

    def behind(self) -> pd.DataFrame:
        """How far commits are behind, some six hundred instants: `lag.BEHIND`; of recorded runs ends are estimated."""
        lags = partition_lags(self.state_changing, Ends({}, {}))
        every_ms = max(100, -(-self._end_ms // _INSTANTS))
        return self._table(lag_rows(lags, every_ms, self._end_ms), BEHIND)

    @property
    def _end_ms(self) -> int:
        return self.state_changing[-1].at_ms if self.state_changing else 0

    def _table(self, rows: Iterable[dict[str, Any]], columns: dict[str, str]) -> pd.DataFrame:
        return self._timed(frames.table(rows, columns))

    def timeline(self, group: str | None = None) -> pd.DataFrame:
        """Who owned which partition when, of one group or all: `metrics.TIMELINE`."""
        rows = self._timed(metrics.timeline(self.availability()))
        return rows if group is None else rows[rows["group"] == group].reset_index(drop=True)

    def rebalances(self) -> pd.DataFrame:
        """One row a rebalance: `frames.REBALANCES`."""
        return self._timed(frames.rebalances_frame(self.rebalance_rows))

    def summary(self) -> dict[str, Any]:
        """`analysis.tables.summary.summarise`: the numbers of `groupsim run --format json`."""
        found = summarise(self.state_changing, self.intervals)
        return found if self._supported is None else found | {"unavailable": self._supported.totals().unavailable()}

    @cached_property
    def headline(self) -> str:
        """How long something was down, how many partitions at worst, and the sum, as every command says it."""
        numbers = self.summary()["unavailable"] if self._supported is None else self._supported.unavailable()
        return amount(numbers)

    @cached_property
    def unknown(self) -> str | None:
        """Why the total of unavailable time is unknown; None if it is known, as it always is of a simulated run."""
        return None if self.support is None else self.support.unknown

    @cached_property
    def support(self) -> Support | None:
        """What the total of a recorded run rests on; None of a simulated one, which knows all."""
        return self.support_between(None)

    @cached_property
    def support_after_start(self) -> Support | None:
        """The same of the time after start-up, which headlines count."""
        return None if self._supported is None else self._supported.support_after_start()

    @cached_property
    def outages_after_start(self) -> dict[str, int | None]:
        """The bounds of a recorded run's outages after start-up, `at_least_outage_ms` and so on; none of a simulated
        one."""
        return {} if self._supported is None else self._supported.outages_after_start()

    def support_between(self, between: tuple[int, int] | None) -> Support | None:
        """The same of a part of the run, from and to in milliseconds; None: of all of it."""
        return None if self._supported is None else self._supported.support(between)

    def record_delays(self, load: Load, between: tuple[int, int] | None = None) -> dict[str, KnownDelays]:
        """How long records waited, by group (`analysis.tables.delays`): after start-up, or in a part of the run."""
        part = self.intervals_after_start if between is None else within(self.intervals, *between)
        return known_delays(part, load, self._supported)

    @cached_property
    def advices(self) -> list[StoredAdvice]:
        """What `groupsim advise` said about this run, the oldest first."""
        return advices.kept(self._store, self.info)

    @cached_property
    def what_ifs(self) -> list[StoredWhatIf]:
        """The what-ifs that were run on it, the oldest first."""
        return kept(self._store, self.info)

    def replay(self, until_ms: int | None = None) -> dict[str, Any]:
        """`analysis.snapshots.replay_stored`: the groups' state at an instant."""
        return replay_stored(self._store, self.info, until_ms)
