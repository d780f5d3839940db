"""One run of a store, ready to be asked: its facts, availability, rebalances and summary, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from groupsim.analysis import advices
from groupsim.analysis.advices import StoredAdvice
from groupsim.analysis.availability.intervals import Intervals, intervals
from groupsim.analysis.availability.labels import Interval, Span, within
from groupsim.analysis.availability.start_up import FirstWorked, after_start, first_worked
from groupsim.analysis.blame.blame import Blame, blame
from groupsim.analysis.blame.critical_path import critical_paths
from groupsim.analysis.blame.steps import Step
from groupsim.analysis.blame.undated_deaths import Gone, gone_in_doubt
from groupsim.analysis.errors import AnalysisError
from groupsim.analysis.periods import Between, Instant, Period, ms_of, period_of
from groupsim.analysis.snapshots import replay_stored
from groupsim.analysis.tables import commits, members, metrics, ownership
from groupsim.analysis.tables.bounds import Support, Supported
from groupsim.analysis.tables.columns import fact_rows
from groupsim.analysis.tables.delays import Load
from groupsim.analysis.tables.headline import amount
from groupsim.analysis.tables.known_delays import KnownDelays, known_delays
from groupsim.analysis.tables.lag import Ends, lag_rows, partition_lags
from groupsim.analysis.tables.summary import summarise, totals_of
from groupsim.analysis.tables.total import Total
from groupsim.analysis.timelines.builder import group_timelines, rebalances
from groupsim.analysis.timelines.group_timeline import GroupTimeline
from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.analysis.what_ifs import StoredWhatIf, kept
from groupsim.events.base import Recorded
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.storage import open_store
from groupsim.storage.audit import refuse_damaged
from groupsim.storage.store import EventStore, RunInfo, RunSource
from groupsim.wording.lists import capital

if TYPE_CHECKING:
    import pandas as pd

_INSTANTS = 600
_Span = TypeVar("_Span", bound=Span)


def open_run(store: str | Path | EventStore, reference: str = "latest") -> Run:
    """See `analysis.load`. Raises StoreError for a damaged run and for no store, UnknownRun if there is no such run."""
    opened = open_store(store, create=False) if isinstance(store, str | Path) else store
    info = opened.find(reference)
    refuse_damaged(opened, info)
    return Run(opened, info)


class Run:
    """One run, as tables.

    Each table is a DataFrame whose columns docs/reference/tables.md has. `between`: only this part of the run, from and
    to: milliseconds since its start, texts such as "12 s", timedeltas, of a recorded run UTC instants; None is the
    run's start, or its end. Intervals are cut to it; what has a life of its own (a rebalance, a member, a callback, a
    step) is there whole if some of it is in this time. Raises AnalysisError for what is no time.

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

    def _table(self, name: str, rows: Iterable[Any]) -> pd.DataFrame:
        from groupsim.analysis.tables import frames  # not before: pandas takes long to load

        return frames.table(rows, frames.TABLES[name], self.info.origin)

    def _period(self, between: Between | None) -> Period | None:
        return period_of(between, self.info)

    def facts(self, *, between: Between | None = None) -> pd.DataFrame:
        """One row a fact."""
        return self._table("facts", metrics.at_some_time(fact_rows(self.read()), self._period(between), "at_ms"))

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
        return list(after_start(self.reasons, self.worked))

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

    def counted(self, period: Period | None) -> Sequence[Interval]:
        """The intervals that a total counts: those of a part of the run, else those after start-up."""
        return self.intervals_after_start if period is None else list(within(self.intervals, *period))

    def blamed(self, period: Period | None) -> Sequence[Blame]:
        """The pieces of blame that a total counts."""
        return self.reasons_after_start if period is None else list(within(self.reasons, *period))

    def unavailable(self, *, between: Between | None = None) -> pd.DataFrame:
        """The times in which partitions were unavailable, without start-up; `between=(0, None)`: with it."""
        return self._table("unavailable", metrics.unavailable(self.counted(self._period(between))))

    def blame(self, *, between: Between | None = None) -> pd.DataFrame:
        """Why: the same time in pieces, each with what it waited for, without start-up; `between=(0, None)`: with it.

        The lengths add up to those of `unavailable`.
        """
        return self._table("blame", self.blamed(self._period(between)))

    def total(self, *, between: Between | None = None) -> Total:
        """How long partitions were unavailable, in all: after start-up, which stands beside it, or in this time."""
        period = self._period(between)
        return Total.of(self._numbers if period is None else self._numbers_of(period))

    def availability(self, *, between: Between | None = None) -> pd.DataFrame:
        """Every partition's time, label by label."""
        return self._table("availability", self._part(self.intervals, between))

    def timeline(self, group: str | None = None, *, between: Between | None = None) -> pd.DataFrame:
        """Who served or was meant to serve which partition when, of one group or all."""
        chosen = [each for each in self.intervals if group in (None, each.group)]
        return self._table("timeline", metrics.joined(self._part(chosen, between), "member", "label"))

    def ownership(self, *, between: Between | None = None) -> pd.DataFrame:
        """Who owned which partition, by the coordinator's and by the processes' own state."""
        rows = ownership.ownership(self.state_changing, self._end_ms)
        return self._table("ownership", self._part(rows, between))

    def _part(self, spans: Iterable[_Span], between: Between | None) -> Iterable[_Span]:
        period = self._period(between)
        return spans if period is None else within(spans, *period)

    def rebalances(self, *, between: Between | None = None) -> pd.DataFrame:
        """One row a rebalance."""
        return self._some("rebalances", self.rebalance_rows, between, "started_ms", "ended_ms")

    def critical_paths(self, *, between: Between | None = None) -> pd.DataFrame:
        """What each member did in each rebalance, and what the others waited for."""
        return self._some("critical_paths", self.steps, between, "from_ms", "to_ms")

    def members(self, *, between: Between | None = None) -> pd.DataFrame:
        """One row a process."""
        rows = members.members(self.state_changing, self._end_ms)
        return self._some("members", rows, between, "started_ms", "ended_ms")

    def callbacks(self, *, between: Between | None = None) -> pd.DataFrame:
        """One row a rebalance callback."""
        return self._some("callbacks", members.callbacks(self.state_changing), between, "from_ms", "to_ms")

    def commits(self, *, between: Between | None = None) -> pd.DataFrame:
        """One row a partition of a commit."""
        return self._some("commits", commits.commits(self.state_changing), between, "at_ms")

    def lag(self, *, every: Instant = 1_000, between: Between | None = None) -> pd.DataFrame:
        """How many records each partition of a simulated run is behind, at times so far apart (`every`)."""
        every_ms = ms_of(every, self.info)
        if every_ms <= 0:
            raise AnalysisError(f"every={every!r} must be positive")
        return self._some("lag", commits.lag(self.state_changing, every_ms), between, "at_ms")

    def behind(self, *, between: Between | None = None) -> pd.DataFrame:
        """How far commits are behind, some six hundred instants; of recorded runs ends are estimated."""
        lags = partition_lags(self.state_changing, Ends({}, {}))
        every_ms = max(100, -(-self._end_ms // _INSTANTS))
        return self._some("behind", lag_rows(lags, every_ms, self._end_ms), between, "at_ms")

    def _some(self, name: str, rows: Iterable[Any], between: Between | None, *times: str) -> pd.DataFrame:
        return self._table(name, metrics.at_some_time(rows, self._period(between), *times))

    @property
    def _end_ms(self) -> int:
        return self.state_changing[-1].at_ms if self.state_changing else 0

    def summary(self) -> dict[str, Any]:
        """`analysis.tables.summary.summarise`: the numbers of `groupsim run --format json`."""
        found = summarise(self.state_changing, self.intervals)
        return found if self._supported is None else found | {"unavailable": self._supported.totals().unavailable()}

    @cached_property
    def headline(self) -> str:
        """How long something was down, how many partitions at worst, and the sum, as every command says it."""
        return amount(self._numbers)

    @property
    def headline_sentence(self) -> str:
        """The same as sentences, for where nothing says before it what it is about."""
        known = self._numbers["after_start"]["partition_ms"] is not None
        return f"{capital(amount(self._numbers, verb=True))}." if known else f"Unavailable: {self.headline}."

    @cached_property
    def _numbers(self) -> dict[str, Any]:
        """`unavailable` of the run's numbers, of a recorded one with its bounds."""
        return self.summary()["unavailable"] if self._supported is None else self._supported.unavailable()

    def _numbers_of(self, period: Period) -> dict[str, Any]:
        """The same of a part of the run: start-up is no matter there."""
        part = self.counted(period)
        numbers = totals_of(part, ()).unavailable()
        after = numbers["after_start"]
        if self._supported is not None:
            after |= self._supported.bounded_numbers(part, period)
        return numbers | {"after_start": after}

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
        return known_delays(part, load, self._supported, self.state_changing)

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
