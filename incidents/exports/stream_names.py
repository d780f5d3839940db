"""Short names of streams, made of their labels: `orders-6w54r` of `pod/orders-6w54r/main`; no path, no bracket."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_OUTSIDE = re.compile(r"[^\w.@:-]+")
_LONGEST = 200


def short_names(labels: Sequence[str]) -> list[str]:
    """A name for each label, all different.

    Labels with equally many parts (`pod/NAME/CONTAINER`) give the part in which most of them differ, with the other
    parts that differ where it is not enough: NAME, or NAME_CONTAINER if one pod has several containers.
    """
    split = [label.strip("/").split("/") for label in labels]
    if len({len(parts) for parts in split}) > 1:
        split = [[label] for label in labels]
    columns = list(zip(*split, strict=True))
    differ = [place for place, column in enumerate(columns) if len(set(column)) > 1]
    best = max(differ, key=lambda place: (len(set(columns[place])), -place), default=0)
    counts = Counter(parts[best] for parts in split)
    names = [
        parts[best] if counts[parts[best]] == 1 else "_".join(parts[place] for place in differ) or parts[best]
        for parts in split
    ]
    return _distinct([_OUTSIDE.sub("-", name).strip("-")[:_LONGEST] or "stream" for name in names])


def _distinct(names: Sequence[str]) -> list[str]:
    """The names; a number follows those that were there before."""
    taken = set(names)
    seen: set[str] = set()
    found: list[str] = []
    numbers: Counter[str] = Counter()
    for name in names:
        own = name
        while own in seen or (own != name and own in taken):
            numbers[name] += 1
            own = f"{name}-{numbers[name] + 1}"
        seen.add(own)
        found.append(own)
    return found
