"""What is said where several seeds give one value: that there is no interval, and why."""

from __future__ import annotations

from groupsim.wording.numbers import counted


def seed_changes_nothing(seeds: int) -> str:
    """A sentence about so many seeds (at least 2) that all gave the same value, without a full stop."""
    return (
        f"the seed changes nothing here: all {counted(seeds, 'seed')} give the same, so there is no interval; "
        "what a seed draws (member ids, when a poll ends, arrivals, delays that have a range) has no influence on it"
    )
