"""One partition of all that the same lines name: what holds of one of them at an instant holds of the others.

For questions of the kind "had somebody any partition": a log of thousands of partitions says little more than one of a
few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeGuard

from msgspec import structs

from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.typed_fields import partitions_in
from groupsim.incidents.logs.rows import Reading, Row

MANY = 5_000
"""Names of partitions in all lines; fewer are not worth the work."""
_KEYS = frozenset(["partitions", "assigned", "owned", "pending", "revoked", "held", "assignment", "targets"])
"""Where lines have lists of partitions."""


class Alike(NamedTuple):
    """A reading with one partition of each kind, and for how many partitions each of them stands, if for several."""

    reading: Reading
    stands_for: Mapping[TopicPartition, int]


def one_of_each(reading: Reading) -> Alike:
    """The reading with one partition of each kind in its lists of partitions, if there are many."""
    lists = [names for row in (*reading.rows, *reading.context) for names in _lists(row.detail)]
    if sum(map(len, lists)) < MANY:
        return Alike(reading, {})
    kinds: dict[str, int] = {}
    seen: dict[tuple[int, int], int] = {}
    for place, names in enumerate(lists):  # two names are of one kind as long as each list has both or neither
        for name in names:
            kinds[name] = seen.setdefault((kinds.get(name, 0), place), len(seen) + 1)
    first: dict[int, str] = {}
    for name, kind in kinds.items():
        first.setdefault(kind, name)
    if len(first) == len(kinds):
        return Alike(reading, {})
    kept = {name: first[kind] for name, kind in kinds.items()}
    one = structs.replace(
        reading,
        rows=[_with(row, kept) for row in reading.rows],
        context=[_with(row, kept) for row in reading.context],
    )
    return Alike(one, {tp: count for name, count in Counter(kept.values()).items() for tp in partitions_in([name])})


def _lists(detail: Mapping[str, object]) -> Iterator[list[str]]:
    """The lists of partitions in a line, also by member, as in a leader's plan."""
    for key in _KEYS & detail.keys():
        value = detail[key]
        yield from (names for names in (value.values() if isinstance(value, dict) else [value]) if _are_names(names))


def _with(row: Row, kept: Mapping[str, str]) -> Row:
    """`kept`: by the name of a partition, the one that stands for its kind, also where a line names one alone."""
    found = {key: _only(row.detail[key], kept) for key in _KEYS & row.detail.keys()}
    alone = row.detail.get("partition")
    if isinstance(alone, str) and alone in kept:
        found["partition"] = kept[alone]
    return structs.replace(row, detail={**row.detail, **found}) if found else row


def _only(value: object, kept: Mapping[str, str]) -> object:
    if isinstance(value, dict):
        return {member: _only(names, kept) for member, names in value.items()}
    return [name for name in value if kept.get(name) == name] if _are_names(value) else value


def _are_names(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)
