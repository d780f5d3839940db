"""Of a large export, the records near those that may concern consumer groups: memory does not grow with the rest."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from groupsim.incidents.logs.scan import KEYWORDS

T = TypeVar("T")
ALL = 100_000
"""So many records of a file are kept in any case."""
NEAR = 200
"""So many around one with a keyword: lines of one message may stand apart, other streams' lines between them."""
_EVERY = 5_000
KEYWORD = re.compile("|".join(re.escape(word.decode()) for word in KEYWORDS))
KEYWORD_BYTES = re.compile(b"|".join(map(re.escape, KEYWORDS)))


def relevant(items: Iterable[T], concerns: Callable[[T], bool]) -> Iterator[T]:
    """The first ALL items; then those within NEAR of one that concerns groups, each 5,000th, and the last."""
    before: deque[T] = deque(maxlen=NEAR)
    after = 0
    last: list[T] = []
    for number, item in enumerate(items):
        if number < ALL:
            yield item
            continue
        last = [item]
        if concerns(item):
            yield from before
            before.clear()
            after = NEAR
            yield item
        elif after > 0 or number % _EVERY == 0:
            after -= after > 0
            yield item
        else:
            before.append(item)
            continue
        last = []
    yield from last
