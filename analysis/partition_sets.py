"""Partitions that change alike, kept together: what is found out about one of them holds of all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from groupsim.events.types import TopicPartition


def by_value(
    partitions: Iterable[TopicPartition], value: Callable[[TopicPartition], Hashable]
) -> list[set[TopicPartition]]:
    """The partitions of each value."""
    found: dict[Hashable, set[TopicPartition]] = {}
    for partition in partitions:
        of_value = found.get(key := value(partition))
        if of_value is None:
            found[key] = {partition}
        else:
            of_value.add(partition)
    return list(found.values())


def parts(sets: Sequence[set[TopicPartition]]) -> list[set[TopicPartition]]:
    """All partitions of the sets, each once: those of one part are in the same sets. The parts are new sets."""
    seen: set[TopicPartition] = set()
    again: set[TopicPartition] = set()
    for each in sets:
        again |= seen & each
        seen |= each
    in_sets: dict[TopicPartition, tuple[int, ...]] = dict.fromkeys(again, ())
    for number, each in enumerate(sets):
        for partition in each & again:
            in_sets[partition] += (number,)
    return [*(each - again for each in sets), *by_value(again, in_sets.__getitem__)]
