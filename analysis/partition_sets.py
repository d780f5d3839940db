"""Partitions that change alike, kept together: what is found out about one of them holds of all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from groupsim.events.types import TopicPartition


def by_value(
    partitions: Iterable[TopicPartition], value: Callable[[TopicPartition], Hashable]
) -> list[set[TopicPartition]]:
    """The partitions of each value."""
    sets: dict[Hashable, set[TopicPartition]] = {}
    for partition in partitions:
        of_value = sets.get(key := value(partition))
        if of_value is None:
            sets[key] = {partition}
        else:
            of_value.add(partition)
    return list(sets.values())


def parts(sets: Sequence[set[TopicPartition]]) -> list[set[TopicPartition]]:
    """All partitions of the sets, each once: those of one part are in the same sets. The parts are new sets."""
    seen: set[TopicPartition] = set()
    again: set[TopicPartition] = set()
    for partitions in sets:
        again |= seen & partitions
        seen |= partitions
    in_sets: dict[TopicPartition, tuple[int, ...]] = dict.fromkeys(again, ())
    for number, partitions in enumerate(sets):
        for partition in partitions & again:
            in_sets[partition] += (number,)
    return [*(partitions - again for partitions in sets), *by_value(again, in_sets.__getitem__)]
