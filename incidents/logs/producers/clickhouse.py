"""ClickHouse's Kafka engine (`StorageKafka`), beside what cppkafka's callbacks and librdkafka print in it."""

from __future__ import annotations

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Match, Wording, first_match, wording

_TABLE = r"StorageKafka\d? ?\([^()]{1,300}\): "

WORDINGS: tuple[Wording, ...] = (
    wording("no_assignment", "No assignment", _TABLE + r"No assignment\b"),
    wording("no_assignment", "get assignment", _TABLE + r"Can't get assignment\b"),
    wording("rebalance_failed", "Rebalance error: ", _TABLE + r"Rebalance error: {text:error}"),
    wording("no_assignment", "Got empty assignment", r"Got empty assignment: Not enough partitions"),
)


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a line of the engine; None if it is none, or not known."""
    return first_match(WORDINGS, record)
