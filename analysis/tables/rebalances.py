"""Every rebalance of a run, as the rows of `run.rebalances()`. Pure Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groupsim.analysis.timelines.builder import group_timelines
from groupsim.analysis.timelines.group_timeline import GroupTimeline
from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.events.base import Recorded


def rebalances(facts: Iterable[Recorded], timelines: Mapping[str, GroupTimeline] | None = None) -> list[Rebalance]:
    """One row per RebalanceStarted, by group and time. `timelines` are the run's, where the caller has them already.

    Of a group that only clients report: one row per generation they joined, from the first JoinGroup to the last
    answer to SyncGroup; its cause is `unknown`.
    """
    known = group_timelines(facts) if timelines is None else timelines
    return [row for timeline in known.values() for row in (*timeline.rebalances, *timeline.reported)]
