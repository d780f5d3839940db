"""The naive availability beside the project's own, span by span."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groupsim.analysis.availability.intervals import intervals
from groupsim.events.base import Recorded
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.events.types import TopicPartition
from groupsim.scenarios import catalogue
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from tests.adversary.naive import Key, Spans, naive


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
        spans = found.setdefault(key, [])
        if spans and spans[-1][1:] == (each.from_ms, each.available):
            spans[-1] = (spans[-1][0], each.to_ms, each.available)
        else:
            spans.append((each.from_ms, each.to_ms, each.available))
    return found


def differences(facts: Sequence[Recorded]) -> list[str]:
    """Each span that only one of the two has, in a sentence."""
    mine, theirs = own(facts), naive(facts)
    found = []
    for key in sorted(mine.keys() | theirs.keys()):
        one = [span for span in mine.get(key, []) if span[0] < span[1]]
        other = [span for span in theirs.get(key, []) if span[0] < span[1]]
        for span in sorted({*one} ^ {*other}):
            who = "the fold" if span in one else "the naive reading"
            found.append(f"{key[0]} {key[1]}: only {who} has {span}")
    return found
