"""Remedies that were tried: the group is simulated again with a remedy's settings, and what that changes is said.

Only where the lines are enough to simulate the group as they show it. A remedy that does not help goes to the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.tables.bounds import Supported
from groupsim.diagnosis.answer import answered
from groupsim.diagnosis.explain import Explanation
from groupsim.diagnosis.finding import Diagnosis, Finding, Remedy, alternatives
from groupsim.diagnosis.outages import with_outages_of_import
from groupsim.diagnosis.what_if import with_comparable
from groupsim.events.base import Recorded
from groupsim.events.errors import GroupsimError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.rows import Reading
from groupsim.replay.ask import ask
from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.choice_settings import choice_of
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.replay.trust import LOW_MATCH
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import EventStore, RunInfo
from groupsim.wording.numbers import counted, ranged, seconds

SEEDS = 10
_VERDICTS = {-1: "", 0: "changes little here, ", 1: "costs more here, "}
_SHORTER = ("session.timeout.ms", "heartbeat.interval.ms")
_LITTLE_MS = 100
"""Partition-milliseconds: where it costs less with and without a remedy, nothing is said."""
_MOST_ROWS = 5_000
"""Longer logs are imported only where a remedy is tried: their outages stand in the run, after `groupsim import`."""
_MOST_MEMBER_MS = 4_000_000
"""Simulated time times members times simulations: with more the answer would take more than five seconds."""


def with_trials(
    explanation: Explanation, reading: Reading, *, simulate: bool = True, compare: bool = False
) -> Explanation:
    """The explanation of some logs. `simulate`: with what its first group's remedies change; `compare`: with which
    groups what-ifs can be compared."""
    compare = compare and any(map(_has_trials, explanation.groups))
    simulate = simulate and (_to_try(explanation.groups[0]) or len(reading.rows) <= _MOST_ROWS)
    if not compare and not simulate:
        return explanation
    store = MemoryStore()
    try:
        result = import_run(reading, store, name=None, topics={})
    except GroupsimError:  # too little for a run: the answer stands without
        return explanation
    facts = list(store.read(result.run.id))
    known = intervals(facts)
    if simulate:
        explanation = with_outages_of_import(explanation, result.run, known)
    if compare:
        explanation = _compared(explanation, result.run, facts, known)
    return _with_tried(explanation, store, result.run) if simulate else explanation


def with_trials_of_run(
    explanation: Explanation, store: EventStore, info: RunInfo, *, simulate: bool = True, compare: bool = False
) -> Explanation:
    """The same of a stored run."""
    if compare and any(map(_has_trials, explanation.groups)):
        facts = list(store.read(info.id))
        explanation = _compared(explanation, info, facts, intervals(facts))
    return _with_tried(explanation, store, info) if simulate else explanation


def _compared(
    explanation: Explanation, info: RunInfo, facts: Sequence[Recorded], known: Sequence[Interval]
) -> Explanation:
    total_known = Supported(info.summary, known).support().unknown is None
    return with_comparable(explanation, facts, total_known=total_known)


def _with_tried(explanation: Explanation, store: EventStore, info: RunInfo) -> Explanation:
    try:
        return _tried(explanation, store, info) if _to_try(explanation.groups[0]) else explanation
    except GroupsimError:  # too little for a simulation
        return explanation


def _to_try(group: Diagnosis) -> bool:
    return bool(group.findings) and any(remedy.trial for remedy in group.findings[0].do)


def _has_trials(group: Diagnosis) -> bool:
    return any(remedy.trial for finding in group.findings for remedy in finding.do)


def _tried(explanation: Explanation, store: EventStore, info: RunInfo) -> Explanation:
    group = explanation.groups[0]
    first, *others = group.findings
    remedies = [remedy for remedy in first.do if remedy.trial]
    protocol = "consumer" if group.type == "consumer" else "classic"
    choices = [choice_of(dict(remedy.trial), _name(remedy), "try", protocol) for remedy in remedies]
    incident = replayable_run(store, info, group.group, choices=choices)
    remedies = [remedy for remedy in remedies if not _goes_the_other_way(remedy, incident)]
    choices = [choice_of(dict(remedy.trial), _name(remedy), "try", protocol) for remedy in remedies]
    if not choices:
        return explanation
    seeds = _seeds(incident, 1 + len(choices))
    if not seeds:
        return explanation
    answer = ask(incident, choices, range(seeds))
    as_recorded, *results = answer.results
    directed = not answer.trust.low and not answer.trust.stopped
    alike = directed and not answer.trust.doubts(as_recorded)
    seen, _ = group.rebalances
    counted_alike = seen > 0 and answer.trust.matched >= LOW_MATCH
    effects = {
        remedy: effect_of(result, alike=alike, counted_alike=counted_alike, directed=directed)
        for remedy, result in zip(remedies, results, strict=True)
    }
    changed = replace(first, do=_by_effect(first, effects))
    groups = (replace(group, findings=(changed, *others)), *explanation.groups[1:])
    return _as_tried(replace(explanation, groups=groups))


def _as_tried(explanation: Explanation) -> Explanation:
    """With a first sentence that names remedies as they were tried, or cannot be."""
    return replace(explanation, answer=answered(explanation.groups, tried=True))


def _goes_the_other_way(remedy: Remedy, incident: ReplayableRun) -> bool:
    """Whether a timeout that should be shorter would be longer than the group's own, or as long."""
    own = {} if incident.incident is None else incident.incident.settings
    return any(key in _SHORTER and key in own and int(value) >= own[key] for key, value in remedy.trial)


def _seeds(incident: ReplayableRun, rows: int) -> int:
    """How many seeds are simulated; 0: it would take too long."""
    each = incident.lasts_ms * max(1, incident.members) * rows
    return min(SEEDS, _MOST_MEMBER_MS // max(1, each))


def _name(remedy: Remedy) -> str:
    return ",".join(f"{key}={value}" for key, value in remedy.trial)


class Effect(NamedTuple):
    """What a choice changes (-1: it helps, 0: nothing, 1: it costs more, None: not known; 2: the group has it already),
    what is said of it, and what the simulated group costs without and with it, partition-ms, where that decided.
    """

    verdict: int | None
    said: str
    cost_ms: tuple[int, int] | None = None


def effect_of(result: ChoiceResult, *, alike: bool, counted_alike: bool, directed: bool = False) -> Effect | None:
    """What a choice changes; None: not known.

    `alike`: the simulated group, without a change, resembles its record; else no amount says anything about it.
    `directed`: its exact replay does, though the record was a rare case: then the direction does, where seeds are sure.
    `counted_alike`: its rebalances do, of which a broker's log shows the number; else theirs does not, either.
    """
    if not result.costs or result.refused is not None:
        return None
    if result.as_recorded:
        return Effect(2, "")
    now, base = result.unavailable_partition_ms, result.base
    was_ms = [cost.unavailable_partition_ms for cost in result.baseline]
    rebalances, before = result.rebalances.median, _median_rebalances(result)
    fewer = f"{counted(before - rebalances, 'rebalance')} fewer ({rebalances} instead of {before})"
    runs = counted(len(result.values), "simulated run")
    costs = base.median, now.median
    if not alike and directed and result.direction and max(now.most, base.most) >= _LITTLE_MS:
        return Effect(result.direction, f"simulated with {result.choice}: {_direction(result, runs)}", costs)
    if not alike or max(now.most, base.most) < _LITTLE_MS:
        known = counted_alike and rebalances < before
        why = "" if alike else "; its cost is not given: simulated as recorded, the group costs something else"
        return Effect(None, f"simulated with {result.choice}: {fewer} in {runs}{why}") if known else None
    better = sum(own < was for own, was in zip(result.values, was_ms, strict=True))
    amount = f"{seconds(now.median)} instead of {seconds(base.median)} partition-seconds"
    span = ranged(seconds(now.least), seconds(now.most))
    worse = len(result.values) - better
    sign = -1 if better > 2 * worse and now.median < 0.9 * base.median else 1 if now.median > 1.1 * base.median else 0
    cost = f"{_VERDICTS[sign]}about {amount} ({span} in {runs})"
    if rebalances < before:
        cost = f"{fewer}, but {cost}" if sign > 0 else f"{cost}, and {fewer}"
    elif rebalances > before:
        cost += f", {counted(rebalances, 'rebalance')} instead of {before}"
    return Effect(sign, f"simulated with {result.choice}: {cost}", costs)


def _direction(result: ChoiceResult, runs: str) -> str:
    """That it costs less, or more, without the amount: what was recorded is a rare case of what might have been."""
    sign = result.direction
    agree = sum(moved * sign > 0 for moved in result.moved)
    return (
        f"costs {'more' if sign > 0 else 'less'} here in {agree} of {runs}; no amount is given: hardly any of them"
        " costs, as recorded, what was recorded"
    )


def _median_rebalances(result: ChoiceResult) -> int:
    counts = sorted(cost.rebalances for cost in result.baseline)
    return counts[len(counts) // 2]


def _by_effect(finding: Finding, effects: dict[Remedy, Effect | None]) -> tuple[Remedy, ...]:
    """Remedies that were seen to help first, those that cost more last; those that the group has already not at all."""
    placed: list[Remedy] = []
    for remedy in finding.do:
        sign, said, cost_ms = effects.get(remedy) or (None, None, None)
        if sign is None or sign < 2:
            placed.append(remedy._replace(effect=said, verdict=sign, cost_ms=cost_ms))
    return alternatives(sorted(placed, key=_usefulness)) or finding.do


def _usefulness(remedy: Remedy) -> float:
    """What was not tried stands between what helps and what changes little."""
    return -0.5 if remedy.verdict is None else remedy.verdict
