"""Typed values out of a row's detail: whole numbers, texts, partitions, client ids."""

from __future__ import annotations

import re
from functools import lru_cache

from groupsim.events.types import Partitions, TopicPartition

_UUID = re.compile(r"-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")


def int_in(value: object) -> int | None:
    """A whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text_in(value: object) -> str | None:
    """A non-empty text, or None."""
    return value if isinstance(value, str) and value else None


def partitions_in(names: object) -> Partitions:
    """`topic-n` names as partitions, sorted and without repeats."""
    found = {_partition_in(str(name)) for name in names} if isinstance(names, list) else set()
    return tuple(sorted(each for each in found if each is not None))


@lru_cache(maxsize=65_536)
def _partition_in(name: str) -> TopicPartition | None:
    topic, _, index = name.rpartition("-")
    return TopicPartition(topic, int(index)) if topic and index.isascii() and index.isdigit() else None


def pairs(partitions: Partitions) -> tuple[tuple[str, int], ...]:
    """Partitions as a Doubt names them."""
    return tuple((tp.topic, tp.partition) for tp in partitions)


def client_id_in(member: str) -> str | None:
    """The client id inside a dynamic member id (`clientId-UUID`), or None."""
    found = _UUID.search(member)
    return member[: found.start()] or None if found else None
