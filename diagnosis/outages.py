"""How long one partition or more could not be read, by the run of a group: it says so where its logs name partitions.

From when the group first worked, as in the headline of the run (`analysis.tables.headline`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.tables.bounds import Supported
from groupsim.diagnosis.explain import Explanation, with_outages
from groupsim.diagnosis.finding import Outage
from groupsim.diagnosis.kept import keep
from groupsim.storage.store import EventStore, RunInfo
from groupsim.wording.bounds import is_near


def with_outages_of_import(explanation: Explanation, info: RunInfo, known: Iterable[Interval]) -> Explanation:
    """The explanation of logs, with what the intervals of their import show of each group."""
    by_group: dict[str, list[Interval]] = defaultdict(list)
    for interval in known:
        by_group[interval.group].append(interval)
    return with_outages(explanation, {group: _outage(info, own) for group, own in by_group.items()})


def keep_with_outages(
    store: EventStore, info: RunInfo, explanation: Explanation | None, known: Iterable[Interval]
) -> Explanation | None:
    """Keep the explanation of logs with their run, as it is then: with the outages that the run shows."""
    if explanation is not None:
        explanation = with_outages_of_import(explanation, info, known)
    keep(store, info, explanation)
    return explanation


def _outage(info: RunInfo, own: Sequence[Interval]) -> Outage:
    after = Supported(info.summary, own).unavailable()["after_start"]
    low, high, shown = after["at_least_outage_ms"], after["at_most_outage_ms"], after["outage_ms"]
    about = shown if shown is not None and is_near(shown, low, high) else None
    return Outage((low, high), about, after["partition_ms"])
