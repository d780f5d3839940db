"""Which partitions were held, and when not: the measure of what-ifs, the same of a record and of a simulation.

A partition is held while a running process that is not frozen has it by its own rebalance listener: from the end of its
assigned callback to the begin of revoked or lost, or to the end of the process, but not while its state is rebuilt (a
task of Kafka Streams). Of a process whose log has no callbacks its view counts. Unlike `analysis.availability.rules`
this asks nothing that logs of clients do not show (positions, commits before a revocation, whether the coordinator
would accept a commit), so that both kinds of runs can be compared.

A process that is stuck in a batch holds its partitions all the same: processing is serving. How long partitions were
held by such processes alone is a measure of its own, *held but not polled*; it needs facts of polls (`PollEnd`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Label
from groupsim.analysis.availability.outages import Outage, Span, at_once, outage
from groupsim.analysis.log_coverage import LogCoverage, scan_log
from groupsim.events import client as p
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.types import ProcessId, TopicPartition

STUCK_MS = 5_000
"""A process is stuck in a batch that takes longer: programs usually poll much more often."""
_FROZEN, _STUCK = "frozen", "stuck"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unheld:
    """Per partition of one group the time in which it was not held, in order, up to the run's end (ms of the run).

    `since_ms`: from when each partition counts. `idle`: the gaps, and all time in which a partition was held, but only
    by processes that were stuck in a batch. `unknown`: when the logs do not say; part of neither. `doubles`: some
    partition was held by two processes at once. `survivors`: processes run at the end.
    """

    since_ms: Mapping[TopicPartition, int]
    gaps: Mapping[TopicPartition, Sequence[Span]]
    idle: Mapping[TopicPartition, Sequence[Span]]
    unknown: Mapping[TopicPartition, Sequence[Span]]
    doubles: bool
    survivors: bool
    end_ms: int

    @property
    def first_worked_ms(self) -> int | None:
        """When the last of the group's first partitions was held for the first time; None: not before the end."""
        if not self.since_ms:
            return None
        begins = min(self.since_ms.values())
        first = [self._first_held_ms(tp) for tp, since in self.since_ms.items() if since == begins]
        worked = max(first)
        return worked if worked < self.end_ms else None

    def _first_held_ms(self, partition: TopicPartition) -> int:
        at = self.since_ms[partition]
        for from_ms, to_ms in sorted([*self.gaps.get(partition, ()), *self.unknown.get(partition, ())]):
            if from_ms > at:
                break
            at = max(at, to_ms)
        return at

    def within(self, from_ms: int, to_ms: int) -> dict[TopicPartition, int]:
        """Milliseconds in which each partition was not held, between two instants; partitions of later are left out."""
        return _lengths(self.gaps, self.since_ms, from_ms, to_ms)

    def unpolled_ms(self, from_ms: int, to_ms: int) -> int:
        """Partition-milliseconds that were held, but only by processes that did not poll."""
        idle = _lengths(self.idle, self.since_ms, from_ms, to_ms)
        return sum(idle.values()) - sum(self.within(from_ms, to_ms).values())

    def unknown_ms(self, from_ms: int, to_ms: int) -> int:
        """Partition-milliseconds of which the logs do not say whether they were held."""
        return sum(_lengths(self.unknown, self.since_ms, from_ms, to_ms).values())

    def most_at_once(self, from_ms: int, to_ms: int) -> int:
        """How many partitions at most were not held at the same time."""
        edges: defaultdict[int, int] = defaultdict(int)
        for gaps in self._clipped(from_ms, to_ms):
            for begin, end in gaps:
                edges[begin] += 1
                edges[end] -= 1
        return at_once([edges]).most

    def outage(self, from_ms: int, to_ms: int) -> Outage:
        """How long at least one partition was not held, and one at the longest."""
        return outage(self._clipped(from_ms, to_ms))

    def _clipped(self, from_ms: int, to_ms: int) -> list[list[Span]]:
        within = [[(max(begin, from_ms), min(end, to_ms)) for begin, end in gaps] for gaps in self.gaps.values()]
        return [[(begin, end) for begin, end in gaps if begin < end] for gaps in within]

    def settled_ms(self, at_ms: int) -> int:
        """The first instant from `at_ms` on at which all partitions are held; the run's end if there is none."""
        while True:
            later = max((end for gaps in self.gaps.values() for begin, end in gaps if begin <= at_ms < end), default=0)
            if not later:
                return at_ms
            at_ms = later
            if at_ms >= self.end_ms:
                return self.end_ms


def _lengths(
    spans: Mapping[TopicPartition, Sequence[Span]], since_ms: Mapping[TopicPartition, int], from_ms: int, to_ms: int
) -> dict[TopicPartition, int]:
    return {
        partition: sum(max(0, min(end, to_ms) - max(begin, from_ms)) for begin, end in spans.get(partition, ()))
        for partition, since in since_ms.items()
        if since < to_ms
    }


def unheld(
    facts: Iterable[Recorded],
    group: str,
    end_ms: int,
    since_ms: Mapping[TopicPartition, int] = {},
    stuck_ms: int = STUCK_MS,
) -> Unheld:
    """When the partitions of one group were not held, until `end_ms`.

    `since_ms`: partitions that count from later on than the facts say. Where a log was recorded, what its labels leave
    UNKNOWN is unknown, and what a member without a log is taken to serve is held. `stuck_ms`: a process is stuck in a
    batch that takes longer.
    """
    kept = list(facts)
    scan = scan_log(kept, end_ms)
    coverage = scan.groups.get(group) or LogCoverage(group, 0)
    counted = {tp: max(at, since_ms.get(tp, at)) for tp, at in sorted(coverage.counted_from_ms.items())}
    own = [fact for fact in scan.log if isinstance(fact.event, p.ClientEvent) and group_of(fact.stream) == group]
    fold = _folded(own, counted, coverage)
    batches = [fact for fact in kept if fact.at_ms < end_ms and _is_stuck(fact, group, stuck_ms)]
    worked = sorted([*own, *batches], key=lambda fact: fact.seq)
    gaps = fold.gaps(end_ms)
    by_facts = Unheld(
        since_ms=counted,
        gaps=gaps,
        idle=_folded(worked, counted, coverage).gaps(end_ms) if batches else gaps,
        unknown={},
        doubles=fold.doubles,
        survivors=bool(fold.running),
        end_ms=end_ms,
    )
    return _as_far_as_known(by_facts, scan.log, group) if coverage.recorded else by_facts


def _is_stuck(fact: Recorded, group: str, stuck_ms: int) -> bool:
    """Whether a process begins to work on a batch that takes so long."""
    event = fact.event
    return isinstance(event, p.PollEnd) and event.process_ms > stuck_ms and group_of(fact.stream) == group


def _folded(own: Iterable[Recorded], since_ms: Mapping[TopicPartition, int], coverage: LogCoverage) -> _Fold:
    fold = _Fold(since_ms, coverage.callback_ends)
    for fact in own:
        fold.apply(fact.event, fact.at_ms)
    return fold


class _Fold:
    """Who holds what, fact by fact; who works on a batch, where such facts are given, holds nothing meanwhile."""

    def __init__(self, since_ms: Mapping[TopicPartition, int], callback_ends: set[ProcessId]) -> None:
        self.doubles = False
        self.running: set[ProcessId] = set()
        self._callback_ends = callback_ends
        self._held: defaultdict[ProcessId, set[TopicPartition]] = defaultdict(set)
        self._given: dict[ProcessId, tuple[TopicPartition, ...]] = {}
        self._rebuilds: defaultdict[ProcessId, set[TopicPartition]] = defaultdict(set)
        self._stopped: defaultdict[ProcessId, set[str]] = defaultdict(set)
        self._works_until: dict[ProcessId, int] = {}
        self._holders = dict.fromkeys(since_ms, 0)
        self._since_ms = since_ms
        self._open = dict(since_ms)
        self._gaps: dict[TopicPartition, list[Span]] = {tp: [] for tp in since_ms}

    def gaps(self, end_ms: int) -> dict[TopicPartition, list[Span]]:
        """The gaps of all partitions, open ones up to the end."""
        self._poll_again(end_ms)
        return {
            tp: [*closed, (self._open[tp], end_ms)] if self._open.get(tp, end_ms) < end_ms else closed
            for tp, closed in self._gaps.items()
        }

    def apply(self, event: Event, at_ms: int) -> None:
        """Fold one fact of a process."""
        self._poll_again(at_ms)
        match event:
            case p.CallbackStart(process=process, kind="assigned", partitions=partitions):
                self._given[process] = partitions
            case p.CallbackEnd(process=process, kind="assigned"):
                self._take(process, self._given.pop(process, ()), at_ms)
            case p.CallbackStart(process=process, partitions=partitions):
                self._drop(process, partitions, at_ms)
            case p.ViewChanged(process=process, partitions=partitions) if process not in self._callback_ends:
                self._drop(process, self._held[process] - set(partitions), at_ms)
                self._take(process, partitions, at_ms)
            case p.PollEnd(process=process, process_ms=works_ms):
                self._works_until[process] = at_ms + works_ms
                self._stop(process, _STUCK, at_ms)
            case p.RestoreStart(process=process, partitions=partitions):
                self._drop(process, partitions, at_ms)
                self._rebuilds[process].update(partitions)
            case p.RestoreEnd(process=process, partitions=partitions):
                self._rebuilds[process].difference_update(partitions)
                self._take(process, partitions, at_ms)
            case p.Frozen(process=process):
                self._stop(process, _FROZEN, at_ms)
            case p.Thawed(process=process):
                self._go_on(process, _FROZEN, at_ms)
            case p.Crashed(process=process) | p.Closed(process=process):
                self._drop(process, set(self._held[process]), at_ms)
                self.running.discard(process)
            case p.ClientEvent(process=process):
                self.running.add(process)
            case _:
                pass

    def _poll_again(self, at_ms: int) -> None:
        """Whoever has finished a batch by then."""
        for process, until_ms in sorted(self._works_until.items(), key=lambda item: item[1]):
            if until_ms <= at_ms:
                del self._works_until[process]
                self._go_on(process, _STUCK, until_ms)

    def _stop(self, process: ProcessId, why: str, at_ms: int) -> None:
        if not self._stopped[process]:
            self._count(self._held[process], -1, at_ms)
        self._stopped[process].add(why)

    def _go_on(self, process: ProcessId, why: str, at_ms: int) -> None:
        if self._stopped[process] == {why}:
            self._count(self._held[process], 1, at_ms)
        self._stopped[process].discard(why)

    def _take(self, process: ProcessId, partitions: Iterable[TopicPartition], at_ms: int) -> None:
        new = [tp for tp in partitions if tp not in self._held[process] and tp not in self._rebuilds[process]]
        self._held[process].update(new)
        if not self._stopped[process]:
            self._count(new, 1, at_ms)

    def _drop(self, process: ProcessId, partitions: Iterable[TopicPartition], at_ms: int) -> None:
        partitions = tuple(partitions)
        self._rebuilds[process].difference_update(partitions)
        gone = [tp for tp in partitions if tp in self._held[process]]
        self._held[process].difference_update(gone)
        if not self._stopped[process]:
            self._count(gone, -1, at_ms)

    def _count(self, partitions: Iterable[TopicPartition], step: int, at_ms: int) -> None:
        for tp in partitions:
            if tp not in self._holders:
                continue
            self._holders[tp] += step
            if step > 0 and self._holders[tp] == 1:
                since = self._open.pop(tp)
                if since < at_ms:
                    self._gaps[tp].append((since, at_ms))
            elif step < 0 and self._holders[tp] == 0:
                gaps = self._gaps[tp]
                begin = gaps.pop()[0] if gaps and gaps[-1][1] == at_ms else at_ms  # held for no time
                self._open[tp] = max(begin, self._since_ms[tp])
            self.doubles |= self._holders[tp] > 1


def _as_far_as_known(by_facts: Unheld, log: Iterable[Recorded], group: str) -> Unheld:
    """The same, where labels leave no doubt: what is UNKNOWN is unknown, what they call available is held."""
    known: defaultdict[TopicPartition, list[Span]] = defaultdict(list)
    unknown: defaultdict[TopicPartition, list[Span]] = defaultdict(list)
    for interval in intervals(log, by_facts.end_ms):
        if interval.group == group:
            tp = TopicPartition(interval.topic, interval.partition)
            kept = unknown if interval.label == Label.UNKNOWN else known
            if interval.unavailable or interval.label == Label.UNKNOWN:
                kept[tp].append((interval.from_ms, interval.to_ms))
    return replace(
        by_facts,
        gaps={tp: _common(gaps, known[tp]) for tp, gaps in by_facts.gaps.items()},
        unknown={tp: _common(gaps, unknown[tp]) for tp, gaps in by_facts.gaps.items()},
    )


def _common(spans: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    """The time in both; each is in order, without overlaps. Neighbours are joined."""
    joined: list[Span] = []
    place = 0
    for begin, end in spans:
        while place and others[place - 1][1] > begin:
            place -= 1
        while place < len(others) and others[place][0] < end:
            span = max(begin, others[place][0]), min(end, others[place][1])
            place += 1
            if span[0] >= span[1]:
                continue
            if joined and joined[-1][1] == span[0]:
                joined[-1] = joined[-1][0], span[1]
            else:
                joined.append(span)
    return joined
