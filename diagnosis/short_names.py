"""Names of members as sentences say them: without the UUID of a Streams application's process, or another one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

_UUID = re.compile(r"-?([0-9a-f]{8})-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?:-|$)")
_END = re.compile(r"(StreamThread-\d+)-consumer$")
"""What Kafka Streams adds to the client id of each thread's main consumer."""
_DIGITS = re.compile(r"(?=.*\d)[0-9a-f]{8,}$|\d+$")
"""A container's id, or a number, as a client id."""
_MEMBER = re.compile(r"(?=.*\d)(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9_-]{22}$")
"""Kafka's Uuid: a member's id under the consumer protocol."""


def short_names(names: Iterable[str]) -> Mapping[str, str]:
    """By the names in which a UUID stands: the same without it, or with its first digits where several would be alike.

    >>> short_names(["orders-0a1b2c3d-1111-2222-3333-444455556666-StreamThread-1-consumer", "app"])
    {'orders-0a1b2c3d-1111-2222-3333-444455556666-StreamThread-1-consumer': 'orders…StreamThread-1'}
    """
    long = [name for name in dict.fromkeys(names) if _UUID.search(name)]
    alike = Counter(map(_without, long))
    return {name: _without(name) if alike[_without(name)] == 1 else _with_digits(name) for name in long}


def with_kind(name: str) -> str:
    """A name that is only digits, or only a member id, with what it is the name of.

    >>> with_kind("9f2c41d07ab3"), with_kind("q3ZkPzqJQq2gVn0dYh4m1A"), with_kind("billing-1")
    ('client 9f2c41d07ab3', 'member q3ZkPzqJQq2gVn0dYh4m1A', 'billing-1')
    """
    if _DIGITS.match(name):
        return f"client {name}"
    return f"member {name}" if _MEMBER.match(name) else name


def _without(name: str) -> str:
    return _END.sub(r"\1", _UUID.sub("…", name, count=1))


def _with_digits(name: str) -> str:
    return _END.sub(r"\1", _UUID.sub(r"-\1…", name, count=1))
