"""What could be changed about the unavailable time: the setting, or what else most of it depends on, and then who was
waited for. The sentence that a report's reasons and `groupsim blame` begin with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from groupsim.wording.names import member_of
from groupsim.wording.numbers import partition_time, short_percent

_IN_WORDS = {
    "poll gap": "the time between two polls",
    "callback": "the rebalance listener",
    "commit": "the commit before partitions are revoked",
    "assignor": "the time that the assignor takes",
    "restore": "the rebuilding of state",
    "freeze": "the freeze of a process",
    "pause": "the application, which paused partitions",
}
"""What a duration depends on and is no setting -> how a sentence says it."""
_NO_LEVER = frozenset(["network", None])
"""These depend on nothing of a group."""
Waited = tuple[str | None, str | None, int]
"""What the time depends on, the member that was waited for, and partition-milliseconds."""


def lever(pieces: Iterable[Waited], of: str | None = None) -> str | None:
    """What most of this time depends on, and who was waited for longest; None without time, or where nothing is known.

    `of`: how the time is called; None: by its amount.

    >>> lever([("heartbeat.interval.ms", "m3.0", 8_700), ("network", "m1.0", 1_300)], "it")
    '87 % of it depends on heartbeat.interval.ms (a smaller value makes it shorter); the group waited longest for m3.'
    >>> lever([("network", "m1.0", 1_300)])
    'Most of the 1.3 partition-seconds depends on no setting; the group waited longest for m1.'
    """
    by_lever, by_member = Counter[str | None](), Counter[str | None]()
    for configuration, member, ms in pieces:
        by_lever[configuration] += ms
        by_member[member] += ms
    total = by_lever.total()
    if not total:
        return None
    what = of or f"the {partition_time(total)}"
    levers = Counter({name: ms for name, ms in by_lever.items() if name not in _NO_LEVER})
    largest = _largest(levers)
    if largest is None or levers[largest] < total - levers.total():
        said = f"Most of {what} depends on no setting"
    else:
        share = short_percent(levers[largest] / total)
        shorter = " (a smaller value makes it shorter)" if largest.endswith(".ms") else ""
        said = f"{share} of {what} depends on {_IN_WORDS.get(largest, largest)}{shorter}"
    waited = _largest(by_member)
    if waited is None:
        return f"{said}."
    return f"{said}; the group waited longest for {member_of(waited)}."


def _largest(sums: Counter[str | None]) -> str | None:
    """The name with most of the time; None where nothing has a name."""
    return min((name for name in sums if name is not None), key=lambda name: (-sums[name], name), default=None)
