"""What the tables of rebalances and of lag begin with: the answer in a sentence (rules in CONTRIBUTING.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from groupsim.analysis.tables.lag import Lags
from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.wording.lists import capital, either
from groupsim.wording.names import member_of
from groupsim.wording.numbers import counted
from groupsim.wording.start_up import NOT_COUNTED
from groupsim.wording.times import duration

Rows = Sequence[Mapping[str, Any]]
_BECAUSE = {
    "member-joined": "because a member joined",
    "member-rejoined": "because a member sent JoinGroup again",
    "leader-rejoined": "because a member sent JoinGroup again",
    "member-left": "because a member left",
    "member-gone": "because a member left or was removed",
    "member-removed": "because a member left or was removed",
    "session-expired": "because a session expired",
}
"""A cause -> how a sentence says it; others by their names, as the table has them."""


def of_rebalances(rebalances: Sequence[Rebalance]) -> str:
    """How many there are, what most of them came from, and the longest after each group's first."""
    if not rebalances:
        return "No rebalance."
    said = f"{counted(len(rebalances), 'rebalance')}{_causes(rebalances)}"
    first = {each.group: each for each in reversed(rebalances)}
    later = [each for each in rebalances if each is not first[each.group]]
    known = [each for each in later or rebalances if each.duration_ms is not None]
    if not known:
        return f"{said}. How long they took is not known."
    longest = max(known, key=lambda each: each.duration_ms or 0)
    others = "it" if len(rebalances) == 1 else "the other one" if len(rebalances) == 2 else "one of the others"
    which = "the longest" if len(known) > 1 else others
    apart = NOT_COUNTED if later and len(known) > 1 else ""
    least = "at least " if longest.at_least else ""
    waited = f", and waited longest for {member_of(longest.slowest_member)}" if longest.slowest_member else ""
    return f"{said}. {capital(which)}{apart} took {least}{duration(longest.duration_ms or 0)}{waited}."


def _causes(rebalances: Sequence[Rebalance]) -> str:
    """`, start-up included: 3 because a member joined, 1 because a member left`; from the second cause on together."""
    causes = Counter(_BECAUSE.get(each.cause, f"({each.cause})") for each in rebalances).most_common()
    if len(rebalances) == 1:
        return ""
    if len(causes) == 1:
        return f", start-up included: all {causes[0][0]}"
    (most, times), *others = causes
    rest = either([because.removeprefix("because ") for because, _ in others])
    return f", start-up included: {times:,} {most}, {len(rebalances) - times:,} because {rest}"


def of_lag(lags: Lags, end_ms: int) -> str:
    """The highest lag of a partition between commits, and where it ended. `end_ms`: the end of the run."""
    highest = [(lag.highest(0, end_ms) or 0, *key) for key, lag in lags.items() if lag.ends_known]
    if not highest:
        return "How far commits were behind is not known: no partition's end is."
    most, group, partition = max(highest)
    if not most:
        return "No commit was behind the end of its partition."
    last = lags[group, partition].lag(end_ms)
    end = "" if last is None else f", and {last:,} at the end"
    return f"Commits were at most {counted(most, 'record')} behind, in partition {partition}{end}."


def of_catch_up(rows: Rows) -> str:
    """How long the slowest partition took. `rows`: by CATCH_UP_COLUMNS."""
    if not rows:
        return "No partition with commits was unavailable."
    open_ = sum(row["catch_up_ms"] is None for row in rows)
    caught = [row for row in rows if row["catch_up_ms"] is not None]
    if not caught:
        return f"After {counted(len(rows), 'outage')} of partitions no commit shows that they had caught up."
    slowest = max(caught, key=lambda row: row["catch_up_ms"])
    where = f"{slowest['topic']}-{slowest['partition']}"
    said = f"Partitions had caught up at most {duration(slowest['catch_up_ms'])} after an outage (slowest: {where})"
    return f"{said}; of {counted(open_, 'outage')} no commit shows it." if open_ else f"{said}."
