"""Whether a run's total of unavailable time can be trusted: a recorded log may not support one. Then it is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

UNSUPPORTED = "unsupported"
"""The key of a run's stored summary under which its import lists why no total can be taken from the logs."""


class Support(NamedTuple):
    """`known_share`: the share (0-1) of all partition time that the logs tell. `unknown`: why the total is unknown."""

    known_share: float
    unknown: str | None


def support(stored: Mapping[str, Any], numbers: Mapping[str, Any], total_ms: int) -> Support:
    """What the total of a recorded run rests on.

    `stored` is the run's stored summary, `numbers` are those of `analysis.tables.summary.summarise`, `total_ms` is all
    partition time (partition-milliseconds), known or not.
    """
    unavailable = numbers["unavailable"]
    unknown_ms = unavailable["unknown_ms"]
    share = round(1 - unknown_ms / total_ms, 9) if total_ms else 0.0
    reasons = stored.get(UNSUPPORTED)
    if isinstance(reasons, list) and reasons:
        return Support(share, "; ".join(map(str, reasons)))
    if not total_ms:
        return Support(share, "no log names a partition; `--topic NAME=PARTITIONS` makes it known")
    if share < 0.5:
        return Support(share, f"the logs leave {100 * (1 - share):.0f} % of all partition time unknown")
    rebalances = sum(group.get("rebalances", 0) for group in numbers["groups"].values())
    if unavailable["partition_ms"] == 0 and rebalances > 1 and unknown_ms:
        return Support(share, f"the logs tell of {rebalances} rebalances and of no unavailable partition")
    return Support(share, None)


def supported(stored: Mapping[str, Any], numbers: dict[str, Any], total_ms: int) -> dict[str, Any]:
    """The numbers with `known_share`, and with nulls and the reason in `unknown` where the total is unknown."""
    found = support(stored, numbers, total_ms)
    unavailable = {**numbers["unavailable"], "known_share": found.known_share}
    if found.unknown is not None:
        unavailable |= {"partition_ms": None, "share": None, "by_label": {}, "unknown": found.unknown}
    return {**numbers, "unavailable": unavailable}
