"""How long partitions were unavailable, in all: the figures behind a headline, as Python has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from groupsim.analysis.tables.headline import amount


@dataclass(frozen=True, repr=False)
class Total:
    """How long partitions were unavailable, in all; None is not known, and `unknown` says why.

    `outage`: one or more partitions; `longest_partition`: one of them, without a break; `max_partitions`: so many at
    once. `partition_time`: the sum over partitions, for certain between `at_least` and `at_most` (None: no bound);
    `start_up`: what is beside it, before the groups first worked (zero where `between` named a time).
    """

    answer: str
    outage: timedelta | None
    longest_partition: timedelta | None
    max_partitions: int | None
    partition_time: timedelta | None
    at_least: timedelta | None
    at_most: timedelta | None
    start_up: timedelta | None
    unknown: str | None

    @classmethod
    def of(cls, whole: Mapping[str, Any]) -> Total:
        """Of `unavailable` of a run's numbers (`headline.amount`): what they have `after_start`."""
        found = whole["after_start"]
        exact = found["partition_ms"]
        return cls(
            amount(whole),
            _length(found["outage_ms"]),
            _length(found["longest_partition_ms"]),
            found["max_partitions"],
            _length(exact),
            _length(found.get("at_least_partition_ms", exact)),
            _length(found.get("at_most_partition_ms", exact)),
            _length(whole["starting_ms"]),
            found.get("unknown"),
        )

    def __str__(self) -> str:
        return self.answer

    def __repr__(self) -> str:
        return f"<Total: {self.answer}>"


def _length(ms: int | None) -> timedelta | None:
    return None if ms is None else timedelta(milliseconds=ms)
