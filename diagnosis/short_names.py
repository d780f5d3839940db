"""Names of members as sentences say them: without the UUID of a Streams application's process, or another one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

_UUID = re.compile(r"-?([0-9a-f]{8})-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?:-|$)")
_END = re.compile(r"(StreamThread-\d+)-consumer$")
"""What Kafka Streams adds to the client id of each thread's main consumer."""


def short_names(names: Iterable[str]) -> Mapping[str, str]:
    """By the names in which a UUID stands: the same without it, or with its first digits where several would be alike.

    >>> short_names(["orders-0a1b2c3d-1111-2222-3333-444455556666-StreamThread-1-consumer", "app"])
    {'orders-0a1b2c3d-1111-2222-3333-444455556666-StreamThread-1-consumer': 'orders…StreamThread-1'}
    """
    long = [name for name in dict.fromkeys(names) if _UUID.search(name)]
    alike = Counter(map(_without, long))
    return {name: _without(name) if alike[_without(name)] == 1 else _with_digits(name) for name in long}


def _without(name: str) -> str:
    return _END.sub(r"\1", _UUID.sub("…", name, count=1))


def _with_digits(name: str) -> str:
    return _END.sub(r"\1", _UUID.sub(r"-\1…", name, count=1))
