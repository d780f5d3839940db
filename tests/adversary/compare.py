"""The naive availability beside the project's own, span by span."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.consumer_group_state import ConsumerGroupState
from groupsim.analysis.group_state import AnyGroupState
from groupsim.analysis.replay import fold, replayed
from groupsim.analysis.tables.ownership import ownership
from groupsim.events.base import Recorded
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.events.types import TopicPartition
from groupsim.scenarios import catalogue
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from tests.adversary.naive import Key, Naive, Spans, naive
from tests.adversary.naive_labels import Said


def facts_of(scenario: str, seed: int | None, settings: Mapping[str, str] = {}) -> list[Recorded]:
    """What changes something in a run of a scenario."""
    store = MemoryStore()
    result = run(catalogue.find(scenario), store, seed=seed, settings=dict(settings), record="facts")
    return list(store.read(result.info.id, types=STATE_CHANGING))


def own(facts: Sequence[Recorded]) -> Spans:
    """The project's intervals as spans."""
    found: Spans = {}
    for each in intervals(facts):
        key: Key = (each.group, TopicPartition(each.topic, each.partition))
        value = Said(each.available, each.label, each.sub_label, each.member, each.cause)
        spans = found.setdefault(key, [])
        if spans and spans[-1][1:] == (each.from_ms, value):
            spans[-1] = (spans[-1][0], each.to_ms, value)
        else:
            spans.append((each.from_ms, each.to_ms, value))
    return found


def differences(facts: Sequence[Recorded]) -> list[str]:
    """Each span that only one of the two has, in a sentence."""
    return of_spans(own(facts), naive(facts))


def of_spans(mine: Spans, theirs: Spans) -> list[str]:
    """The same of spans that are read already."""
    found = []
    for key in sorted(mine.keys() | theirs.keys()):
        one = [span for span in mine.get(key, []) if span[0] < span[1]]
        other = [span for span in theirs.get(key, []) if span[0] < span[1]]
        for span in sorted({*one} ^ {*other}, key=str):
            who = "the fold" if span in one else "the naive reading"
            found.append(f"{key[0]} {key[1]}: only {who} has {span[0]} to {span[1]}: {', '.join(map(str, span[2]))}")
    return found


def states_differ(facts: Sequence[Recorded], seqs: Collection[int]) -> list[str]:
    """What `groupsim replay` says of groups after these numbers of facts, where the naive reading says otherwise; and
    what members of consumer groups may use, which leaves out what they have yet to give up."""
    naively, states, found = Naive(), dict[str, AnyGroupState](), []
    for count, fact in enumerate(facts, 1):
        naively.take(fact)
        fold(states, fact)
        if count in seqs or count == len(facts):
            theirs = naively.states()
            for name, one in replayed(states)["groups"].items():
                mine = {key: one[key] for key in ("state", "generation")}
                mine["members"] = {each: [tuple(tp) for tp in had["assigned"]] for each, had in one["members"].items()}
                mine["using"] = _using(states[name])
                if mine != theirs[name]:
                    found.append(
                        f"{name} after {count} facts, at {fact.at_ms} ms: replayed as {mine}, read as {theirs[name]}"
                    )
    return found


def _using(state: AnyGroupState) -> dict[str, list[TopicPartition]]:
    if not isinstance(state, ConsumerGroupState):
        return {}
    return {name: sorted(member.assigned) for name, member in sorted(state.members.items())}


Owned = tuple[str, str, TopicPartition, str]
"""Perspective, group, partition, member."""


def owners_differ(facts: Sequence[Recorded]) -> list[str]:
    """Each span of the table of owners that only one of the two has, in a sentence."""
    mine: dict[Owned, list[tuple[int, int]]] = {}
    for row in ownership(facts, facts[-1].at_ms):
        tp = TopicPartition(row.topic, row.partition)
        _lengthen(mine.setdefault((row.perspective, row.group, tp, row.member), []), row.from_ms, row.to_ms)
    theirs = _owners(facts)
    found = []
    for key in sorted(mine.keys() | theirs.keys()):
        for span in sorted({*mine.get(key, [])} ^ {*theirs.get(key, [])}):
            who = "the table" if span in mine.get(key, []) else "the naive reading"
            found.append(f"{' '.join(map(str, key))}: only {who} has {span[0]} to {span[1]}")
    return found


def _owners(facts: Sequence[Recorded]) -> dict[Owned, list[tuple[int, int]]]:
    """Who was given a partition, and who had it in its view, looked at anew after each millisecond."""
    naively, found = Naive(), dict[Owned, list[tuple[int, int]]]()
    for fact, after in zip(facts, [*facts[1:], facts[-1]], strict=True):
        naively.take(fact)
        if after.at_ms > fact.at_ms:
            for key in naively.owned():
                _lengthen(found.setdefault(key, []), fact.at_ms, after.at_ms)
    return found


def _lengthen(spans: list[tuple[int, int]], from_ms: int, to_ms: int) -> None:
    """One more span; it continues the last one if there is nothing between."""
    if spans and spans[-1][1] == from_ms:
        spans[-1] = (spans[-1][0], to_ms)
    else:
        spans.append((from_ms, to_ms))
