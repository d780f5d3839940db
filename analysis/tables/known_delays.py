"""The delays of records of each group of a run, with bounds where its logs show availability only in bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from msgspec.structs import replace

from groupsim.analysis.availability.labels import Interval, Label
from groupsim.analysis.tables.bounds import Supported
from groupsim.analysis.tables.delays import Delays, Load, record_delays, repeated, served
from groupsim.analysis.tables.lag import Ends, partition_lags
from groupsim.analysis.tables.late_polls import LatePolls, late_polls
from groupsim.events import client
from groupsim.events.base import Recorded
from groupsim.events.world import TopicCreated
from groupsim.wording.lists import capital
from groupsim.wording.times import duration

_JAVA = "java"
_WIDE = 1.5
"""An upper bound that is higher, as a ratio, is said beside the figure."""


NOT_SEEN = (
    "a process that was stopped for less than its session leaves no line unless a rebalance runs meanwhile; records"
    " that waited for it are in none of these figures"
)
"""What no bound of a recorded run's delays has."""


class KnownDelays(NamedTuple):
    """The delays by the labels, and those with the least and the most unavailable time; `at_most` is None where the
    logs leave that open. `repeated`: records that came while work had to be done again, or two did it.
    """

    by_labels: Delays
    at_least: Delays
    at_most: Delays | None
    repeated: float


def known_delays(
    part: Iterable[Interval], load: Load, logs: Supported | None, facts: Iterable[Recorded]
) -> dict[str, KnownDelays]:
    """By group, of these intervals of a run with these facts. `logs`: what a recorded run rests on; None of a simulated
    one, which is exact.
    """
    facts = list(facts)
    late, keeping = late_polls(facts), _keeping(facts)
    groups: dict[str, list[Interval]] = defaultdict(list)
    for interval in part:
        groups[interval.group].append(interval)
    return {group: _of(intervals, load, logs, late, keeping) for group, intervals in groups.items()}


def _keeping(facts: Iterable[Recorded]) -> frozenset[str]:
    """Java's processes that keep what they have in a rebalance; other libraries fetch beside the application."""
    others, keeping = set[str](), set[str]()
    for fact in facts:
        match fact.event:
            case client.ProcessStarted(process=process, library=str(library)) if library != _JAVA:
                others.add(process)
            case client.JoinOk(process=process, protocol=str(protocol)) if protocol.startswith("cooperative"):
                keeping.add(process)
            case _:
                pass
    return frozenset(keeping - others)


def _of(
    intervals: Sequence[Interval], load: Load, logs: Supported | None, late: LatePolls, keeping: frozenset[str]
) -> KnownDelays:
    exact = record_delays(served(intervals, late=late.surely), load, keeping)
    if logs is None:
        return KnownDelays(exact, exact, exact, repeated(intervals, load))
    least, most = logs.outage_spans([_taking(interval) for interval in intervals])
    at_least = record_delays(served(intervals, least, late.surely), load, keeping)
    at_most = None if most is None else record_delays(served(intervals, most, late.perhaps), load, keeping)
    return KnownDelays(exact, at_least, at_most, repeated(intervals, load))


def _taking(interval: Interval) -> Interval:
    """A process whose work does not count takes records, too."""
    return replace(interval, label=Label.OK) if interval.label == Label.ZOMBIE_ONLY else interval


DELAYS = {
    "group": "string",
    "records": "int64",
    "p50_ms": "int64",
    "p99_ms": "int64",
    "longest_ms": "int64",
    "late": "Int64",
    "waiting": "int64",
    "repeated": "int64",
    "catch_up_ms": "Int64",
    "at_least_p99_ms": "int64",
    "at_most_p99_ms": "Int64",
    "at_least_longest_ms": "int64",
    "at_most_longest_ms": "Int64",
}
"""One row a group. `late`: records that waited longer than the limit, missing without one. `waiting`: nobody had taken
them at the end. `repeated`: they came while work had to be done again, or two did it. `catch_up_ms`: the longest time
from the end of an outage until nothing of the partition waited; missing where it did not come so far. The bounds differ
where logs show times only in bounds; an upper one is missing where they leave it open."""


def delay_rows(known: Mapping[str, KnownDelays], slo_ms: float | None) -> Iterator[dict[str, Any]]:
    """Rows of DELAYS, by group. `slo_ms`: a record that waited longer is late."""
    for group, found in sorted(known.items()):
        exact, least, most = found.by_labels, found.at_least, found.at_most
        values = (
            round(exact.records),
            round(exact.quantile(0.5)),
            round(exact.quantile(0.99)),
            round(exact.longest_ms),
            None if slo_ms is None else round(exact.later_than(slo_ms)),
            round(exact.waiting),
            round(found.repeated),
            None if exact.catch_up_ms is None else round(exact.catch_up_ms),
            round(least.quantile(0.99)),
            None if most is None else round(most.quantile(0.99)),
            round(least.longest_ms),
            None if most is None else round(most.longest_ms),
        )
        yield dict(zip(DELAYS, (group, *values), strict=True))


def in_words(rows: Sequence[Mapping[str, Any]], slo_ms: float | None) -> str:
    """The answer in a sentence, of the group whose records waited longest; then how many were later than the limit."""
    worst = max(rows, key=lambda row: (row["p99_ms"], row["longest_ms"]))
    p99, longest = duration(worst["p99_ms"]), duration(worst["longest_ms"])
    said = f"1 % of the records waited longer than {p99}{_at_most(worst)}, the longest {longest}."
    if not worst["p99_ms"]:
        said = f"at least 99 % of the records did not wait for a member; the longest waited {longest}."
    if not worst["longest_ms"]:
        said = "no record waited for a member."
    said = f'Group "{worst["group"]}": {said}' if len(rows) > 1 else capital(said)
    if slo_ms is not None:
        said += f" Later than {duration(slo_ms)}: {worst['late']:,} of {worst['records']:,}."
    return said


def _at_most(row: Mapping[str, Any]) -> str:
    """How much longer it may be by the logs, where that is another figure."""
    most_ms = row["at_most_p99_ms"]
    if most_ms is None:
        return " (perhaps much longer: the logs leave it open)"
    return f" (by the logs {duration(most_ms)} at most)" if most_ms > _WIDE * row["p99_ms"] else ""


def known_rates(facts: Iterable[Recorded], given: Mapping[str, float]) -> dict[str, float]:
    """Records per second in each partition, by topic: as given, of the scenario, or the mean of what was committed."""
    facts = list(facts)
    rates = {e.topic: e.rate for fact in facts if isinstance(e := fact.event, TopicCreated) and e.rate}
    by_topic: dict[str, list[float]] = defaultdict(list)
    for (_, partition), lag in partition_lags(facts, Ends({}, {})).items():
        if lag.ends_known:
            by_topic[partition.topic].append(lag.rate)
    committed = {topic: fmean(found) for topic, found in by_topic.items()}
    return {**committed, **rates, **given}
