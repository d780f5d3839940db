"""Topics that the user names and no log does: does the group read them, or is the name misspelt?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.ownership import pairs
from groupsim.storage.log_gaps import Doubt
from groupsim.wording.lists import listed

_NEAR = 0.8
"""Names that are so similar, from 0 to 1 by `difflib`, may be of one topic."""


def unnamed_topics(index: Index, topics: Mapping[str, int], begins: int, ends: int) -> Iterator[Doubt]:
    """All time, in UTC milliseconds, of those of `topics` that no log names though logs name others."""
    groups, named = index.groups(), sorted(index.named_topics())
    if len(groups) > 1 or not named:
        return
    for topic in sorted(set(topics) - set(named)):
        near = get_close_matches(topic, sorted(set(named) - set(topics)), n=1, cutoff=_NEAR)
        meant = f"did you mean {near[0]}?" if near else f"the logs name {listed(named)}; export the logs of who owns it"
        why = f"no log names topic {topic} of `--topic {topic}={topics[topic]}`; {meant}"
        partitions = tuple(TopicPartition(topic, number) for number in range(topics[topic]))
        yield Doubt(groups[0], begins, ends, pairs(partitions), why)
