"""The answer to a log: each group with its findings in order, and one sentence that decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from groupsim.diagnosis.answer import answered, most_first
from groupsim.diagnosis.at_the_end import at_the_end
from groupsim.diagnosis.cause import STEPWISE, eager_consumers
from groupsim.diagnosis.causes import causes
from groupsim.diagnosis.codes import GroupType
from groupsim.diagnosis.doubts import with_doubts
from groupsim.diagnosis.finding import Bounds, Diagnosis, Finding, Outage, Place, Remedy, alternatives
from groupsim.diagnosis.from_facts import EPOCH_MS, reading_of, texts_of
from groupsim.diagnosis.group_log import GroupLog, group_logs
from groupsim.diagnosis.known import with_known
from groupsim.diagnosis.not_shown import not_shown
from groupsim.diagnosis.notes import notes
from groupsim.diagnosis.order import FAILURES, QUIET, ordered
from groupsim.diagnosis.stopped import stopped
from groupsim.diagnosis.times import without_partitions
from groupsim.events.base import Recorded
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.logs.times import instant
from groupsim.storage.rare_collections import rare_collections

FINDINGS = 8
"""The most findings of a group."""


_OF_MEMBERS = re.compile(r"(?<![\w.])(session\.timeout\.ms|heartbeat\.interval\.ms|num\.standby\.replicas)")
_OF_CONSUMERS, _OF_STREAMS = r"group.consumer.\1", r"group.streams.\1"

_OF_READING = 0.4
"""How much of the work it is to place the lines: the rest is to look for causes."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer's first sentence, and what it rests on, group by group."""

    answer: str
    groups: tuple[Diagnosis, ...]
    texts: Mapping[Place, str] = field(default_factory=dict)
    """What its evidence says, where that stands in no file."""
    counted_from_ms: int | None = None
    """A simulated run has no dates: its instants count from here. None: they are UTC ms."""


def explain_reading(
    reading: Reading, groups: Sequence[str] = (), progress: Callable[[float], None] = lambda _: None
) -> Explanation | None:
    """What happened, why, and what to do; None where no line is about a group (of those asked for).

    `progress` is called with the share of the work that is done.
    """
    with rare_collections():
        logs = [log for log in group_logs(reading) if not groups or log.group in groups]
        progress(_OF_READING)
        return explained(logs, lambda share: progress(_OF_READING + share * (1 - _OF_READING)))


def explain_run(facts: Iterable[Recorded], groups: Sequence[str] = (), origin: str | None = None) -> Explanation | None:
    """The same of a stored run, recorded or simulated, from its facts: those of `from_facts.FACTS` are enough.

    `origin`: when a recorded run began (`RunInfo.origin`).
    """
    reading = reading_of(facts, None if origin is None else instant(origin))
    found = explain_reading(reading, groups)
    if found is None:
        return None
    places = {place for group in found.groups for finding in group.findings for place in finding.evidence.places}
    texts = texts_of(reading, places)
    if origin is None:  # what logs leave open is known at their import
        sums = reading.in_run.partition_ms
        known = {name: Outage((ms, ms), partition_ms=sums.get(name)) for name, ms in reading.in_run.outage_ms.items()}
        found = with_outages(found, known)
    return replace(found, texts=texts, counted_from_ms=EPOCH_MS if origin is None else None)


def with_outages(explanation: Explanation, outages: Mapping[str, Outage]) -> Explanation:
    """The explanation with how long some partitions of its groups were unavailable, and the sentence that says it: of
    several groups it is about the one that cost most.
    """
    groups = tuple(most_first([replace(each, outage=outages.get(each.group or "")) for each in explanation.groups]))
    return replace(explanation, groups=groups, answer=answered(groups))


def explained(logs: Sequence[GroupLog], progress: Callable[[float], None] = lambda _: None) -> Explanation | None:
    """The answer to the group_logs of some groups; None if there are none."""
    found: list[Diagnosis] = []
    named = {line.row.file for log in logs if log.group is not None for line in log.lines}
    for number, log in enumerate(logs, start=1):
        if log.group is not None or not named or named.isdisjoint(line.row.file for line in log.lines):
            found.append(diagnosed(log))
        progress(number / len(logs))
    if not found:
        return None
    found.sort(key=_harm, reverse=True)
    return Explanation(answered(found), tuple(found))


def diagnosed(log: GroupLog) -> Diagnosis:
    """One group's findings."""
    findings = [
        finding
        for cause in causes().values()
        if log.type not in cause.not_in and (finding := cause.find(log)) is not None
    ]
    findings = [
        replace(finding, do=alternatives(_of_protocol(remedy, log) for remedy in finding.do if _fits(remedy, log)))
        for finding in findings
    ]
    kept = with_doubts(ordered(with_known(findings, log))[:FINDINGS], log)
    stopped_ms = stopped(log)
    return Diagnosis(
        group=log.group,
        type=log.type,
        first_ms=log.begin,
        last_ms=log.end,
        rebalances=_rebalances(log),
        stopped_ms=stopped_ms,
        findings=_with_cost(kept, log, stopped_ms),
        not_shown=not_shown(log, kept, stopped_ms),
        notes=notes(log, kept),
        at_end=at_the_end(log, kept),
    )


def _fits(remedy: Remedy, log: GroupLog) -> bool:
    """Whether the group's members can do it and do not do it already."""
    return log.can(remedy.needs) and (remedy is not STEPWISE or eager_consumers(log))


def _of_protocol(remedy: Remedy, log: GroupLog) -> Remedy:
    """Under the newer protocols session and heartbeat are set on the brokers: a client refuses its own (KIP-848)."""
    consumers = log.type is GroupType.CONSUMER and not log.of(RowKind.JOINED, RowKind.SYNCED, RowKind.STABILIZED)
    if not consumers and not log.of_streams_protocol:
        return remedy
    of_brokers = _OF_STREAMS if log.of_streams_protocol else _OF_CONSUMERS
    return remedy._replace(
        what=_OF_MEMBERS.sub(of_brokers, remedy.what),
        settings=tuple(_OF_MEMBERS.sub(of_brokers, name) for name in remedy.settings),
        brief=_OF_MEMBERS.sub(of_brokers, remedy.brief),
        trial=tuple(each for each in remedy.trial if not _OF_MEMBERS.match(each[0])),
    )


def _with_cost(findings: tuple[Finding, ...], log: GroupLog, stopped_ms: Bounds | None) -> tuple[Finding, ...]:
    """The only finding that something was wrong has all that it cost: nothing else in the log did."""
    first = findings[0] if findings else None
    if first is None or first.code in QUIET or any(other.code not in QUIET for other in findings[1:]):
        return findings
    lost = first.cost.member_without_partitions_ms or without_partitions(log, first.members)
    cost = replace(first.cost, group_stopped_ms=stopped_ms, member_without_partitions_ms=lost)
    return replace(first, cost=cost), *findings[1:]


def _rebalances(log: GroupLog) -> tuple[int, int]:
    seen = len(log.rebalances)
    generations = {g for line in log.said if isinstance(g := line.row.detail.get("generation"), int) and g > 0}
    epochs = {e for line in log.of(RowKind.GROUP_EPOCH_BUMPED) if isinstance(e := line.row.detail.get("epoch"), int)}
    return max(seen, len(epochs)), max(seen, len(generations) - (0 if seen else 1), len(epochs), 0)


def _harm(group: Diagnosis) -> tuple[bool, bool, int]:
    """Groups in which something failed come before those that were only changed on purpose; then how long it hurt."""
    loud = [f for f in group.findings if f.code not in QUIET]
    stopped_ms = (group.stopped_ms and group.stopped_ms[0]) or 0
    return bool(loud), any(f.code in FAILURES for f in loud[:1]), stopped_ms + sum(f.harm_ms for f in loud)
