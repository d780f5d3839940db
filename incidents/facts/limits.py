"""How many partitions a topic of a log can have: a number in a line must not take all memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.typed_fields import partitions_in

MOST_PARTITIONS = 100_000
"""Of one topic, unless the user raises it."""
_RAISE = "--most-partitions N allows more"


def check_counts(topics: Mapping[str, int], most: int) -> None:
    """Raises LogError for a topic to which the user gives more partitions."""
    for topic, count in topics.items():
        if count > most:
            raise LogError(f"--topic {topic}: {count:,} partitions are more than {most:,}; {_RAISE}")


def check_named(rows: Sequence[TimedRow], index: Index, most: int) -> None:
    """Raises LogError, naming file and line, for a row with a partition of a higher number."""
    if max((count for topics in index.topics.values() for count in topics.values()), default=0) <= most:
        return
    for _, row in rows:
        for names in _lists(row.detail):
            for topic, partition in partitions_in(names):
                if partition >= most:
                    raise LogError(
                        f"{row.file}:{row.line}: partition {partition:,} of topic {topic}: a topic of a log has at most"
                        f" {most:,} partitions; {_RAISE}"
                    )


def _lists(detail: Mapping[str, object]) -> list[object]:
    plans = [each for each in map(detail.get, ("assignment", "held", "targets")) if isinstance(each, dict)]
    lists = [names for plan in plans for names in plan.values()]
    return [*map(detail.get, ("partitions", "assigned", "owned")), *lists]
