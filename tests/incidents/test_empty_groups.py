"""A broker's log alone proves that nobody has a partition: its group has no member, or nobody was assigned anything."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path

import pytest

from tests.incidents.imported import BROKER, supported
from tests.incidents.lines import stamped, write

CREATED = "Dynamic member with unknown member id joins group g in Empty state. Created a new member id m-1 and request the member to rejoin with this id."
BEGINS = "Preparing to rebalance group g in state PreparingRebalance with old generation {} (reason: Adding new member m-1 with group instance id None; client reason: not provided)"
STABLE = "Stabilized group g generation {} (__consumer_offsets-25) with 1 members"
STORED = (
    "Assignment received from leader m-1 for group g for generation {}. The group has 1 members, 0 of which are static."
)
EMPTY = "Group g with generation 4 is now empty (__consumer_offsets-25)"
DEAD = "Group g transitioned to Dead in generation 4"
LOADED = "Loading group metadata for g with generation 4"
FIRST = [(10.013, BEGINS), (13.014, STABLE), (13.017, STORED)]

PROVED = {
    "a new group": ([(9.011, CREATED), *FIRST], 0, 16_024),
    "a new group, of which the line before is lost": (FIRST, 0, 12_016),
    "the last member is gone": ([(1.003, EMPTY), *FIRST], 4, 48_056),
    "an empty group whose log begins later": ([(9.011, CREATED), *FIRST], 4, 16_024),
    "an empty group that was loaded": ([(1.003, LOADED), (9.011, CREATED), *FIRST], 4, 16_024),
    "an empty group that expires": ([(1.003, DEAD), *FIRST], 0, 48_056),
}


@pytest.mark.parametrize("name", PROVED)
def test_all_of_the_time_is_unavailable_in_which_nobody_can_have_a_partition(tmp_path: Path, name: str) -> None:
    lines, old, partition_ms = PROVED[name]
    said = [stamped(second, BROKER + line.format(old + (line != BEGINS))) for second, line in lines]
    rests_on = supported([write(tmp_path, *said)], {"t": 4})
    assert rests_on.at_least_ms == partition_ms


def test_a_group_that_had_members_before_its_log_begins_may_have_served_all_until_it_rebalances(tmp_path: Path) -> None:
    said = [stamped(second, BROKER + line.format(4 + (line != BEGINS))) for second, line in FIRST]
    rests_on = supported([write(tmp_path, stamped(1.003, BROKER + LOADED), *said)], {"t": 4})
    assert rests_on.at_least_ms == 0
    assert rests_on.unknown
