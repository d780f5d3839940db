"""What limits a table of lag: how rare commits are, and end offsets that are missing or cannot be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from groupsim.analysis.tables.lag import Level, PartitionLag
from groupsim.events.types import TopicPartition

_NAMED = 3
Lags = Mapping[tuple[str, TopicPartition], PartitionLag]


def resolution_note(lags: Lags) -> str:
    """How exactly commits show when a partition had caught up."""
    gaps = [later - earlier for lag in lags.values() for earlier, later in pairwise(lag.times) if later > earlier]
    apart = f"; here they are {median(gaps):,.0f} ms apart (median)" if gaps else ""
    return (
        "only commits show how far a member was, so when it had caught up is known in bounds: not before"
        f" catch_up_at_least_ms, and at the latest after catch_up_ms{apart}"
    )


def end_notes(lags: Lags, given: Mapping[TopicPartition, Sequence[Level]], file: str | None) -> list[str]:
    """Sentences on ends that are estimated, that are lower than what was committed, and that belong to no partition."""
    estimated = [str(partition) for (_, partition), lag in lags.items() if lag.end_is == "estimated"]
    notes = []
    if estimated and file is None:
        notes.append("ends are estimated from the commits; --ends FILE or --rate TOPIC=NUMBER makes them known")
    elif estimated:
        notes.append(
            f"{file} has no end of {len(estimated)} of {len(lags)} partitions ({_named(estimated)}); theirs are"
            " estimated from the commits"
        )
    low = [
        f"{partition} ends at {offset:,} at {at_ms:,} ms, and {done:,} was committed by then"
        for (_, partition), lag in lags.items()
        for at_ms, offset in given.get(partition, ())
        if (done := lag.committed(at_ms)) is not None and done > offset
    ]
    if low:
        notes.append(
            f"{len(low)} of the ends given {'is' if len(low) == 1 else 'are'} lower than what was committed, which"
            f" can't be, and the lag is not known there: {_named(low)}; are they of this cluster, and of these times?"
        )
    committed = {partition for _, partition in lags}
    if strange := [str(partition) for partition in sorted(given) if partition not in committed]:
        notes.append(
            f"{file} has ends of partitions without a commit, {len(strange)} of them, not used: {_named(strange)}"
        )
    return notes


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
