"""The first facts of an imported run: the topics with their partitions, and the groups with the topics they read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groupsim.events.world import GroupDeclared, TopicCreated
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.growth import Growth
from groupsim.incidents.facts.lookups import Index
from groupsim.wording.lists import listed


def world_facts(
    index: Index, topics: Mapping[str, int], growths: Sequence[Growth], builder: FactBuilder
) -> list[TopicCreated | GroupDeclared]:
    """Topics with the number of partitions that the logs name or `topics` gives, and every group with its topics.

    Of a topic that grew, the number before; not those that were created later.
    """
    groups = index.groups()
    counts = _partition_counts(index, groups, topics, builder)
    at_first = {**counts, **{growth.topic: growth.before for growth in reversed(growths)}}
    later = {growth.topic for growth in growths if growth.created}
    facts: list[TopicCreated | GroupDeclared] = [
        TopicCreated(topic=topic, partitions=at_first[topic])
        for topic in sorted(counts)
        if counts[topic] and topic not in later
    ]
    for group in groups:
        named = set(index.topics[group]) | (set(topics) if len(groups) == 1 else set())
        subscribed = tuple(sorted(topic for topic in named if counts.get(topic) and topic not in later))
        if not subscribed and not later & named:
            builder.note("no log names a partition, so which partitions were unavailable is unknown", group)
        protocol = "consumer" if group in index.consumer_groups else "classic"
        facts.append(GroupDeclared(group=group, protocol=protocol, topics=subscribed))
    _say_what_is_missing(index, groups, topics, builder)
    return facts


def _say_what_is_missing(index: Index, groups: list[str], topics: Mapping[str, int], builder: FactBuilder) -> None:
    """With several groups: which of `topics` are not used, and that no log names a partition."""
    groups = [group for group in groups if group not in index.workers]
    if len(groups) < 2:
        return
    named = index.named_topics()
    unused = [f"--topic {topic}={count}" for topic, count in topics.items() if topic not in named]
    which = f"no log says which of the {len(groups)} groups ({listed(groups)}) reads"
    one, were = ("it", "was") if len(unused) == 1 else ("them", "were")
    why = f"`{listed(unused)}` {were} not used: {which} {one}; import one group, with `--group NAME`"
    if named:
        if unused:
            builder.note(why)
    elif unused:
        builder.doubt(f"no log names a partition, and {why}")
    else:
        builder.doubt("no log names a partition")


def named_partitions(index: Index, topics: Mapping[str, int]) -> dict[str, int]:
    """How many partitions each topic has at least, by the logs and by `topics`."""
    counts = dict(topics)
    for named in index.topics.values():
        for topic, count in named.items():
            counts[topic] = max(counts.get(topic, 0), count)
    return counts


def _partition_counts(
    index: Index, groups: list[str], topics: Mapping[str, int], builder: FactBuilder
) -> dict[str, int]:
    counts: dict[str, int] = {}
    for group in groups:
        for topic, count in index.topics[group].items():
            counts[topic] = max(counts.get(topic, 0), count)
    guessed = sorted(topic for topic in counts if counts[topic] and topics.get(topic, 0) < counts[topic])
    if guessed:
        builder.note(
            "the number of partitions of a topic is taken from the highest one that the logs name, a lower bound: "
            + ", ".join(f"{topic} {counts[topic]}" for topic in guessed)
        )
    for topic, count in topics.items():
        if count < counts.get(topic, 0):
            builder.note(
                f"the logs name partition {topic}-{counts[topic] - 1}, so {topic} has more than the"
                f" {count} partitions given"
            )
        counts[topic] = max(count, counts.get(topic, 0))
    return counts
