"""Slips in a user's own scenario: one sentence with file and line, never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call

STORY = """from groupsim.scenarios.dsl import minutes, scenario

@scenario(lasts=minutes(1))
def mine(world):
    orders = world.topic("orders", partitions=2)
    group = world.group("billing")
    {slip}
    yield group.stable(members=1)
"""


@pytest.mark.parametrize(
    ("slip", "says"),
    [
        ("groop.join(1)", "NameError: name 'groop' is not defined"),
        ('group.join(1, topics=["orders"])', "AttributeError"),
        ("a, b = group.join(1, topics=[orders])", "not enough values to unpack"),
        ("yield 5", "line"),
        ("yield world.sleep(-5)", "line"),
    ],
)
def test_a_mistake_is_reported_with_its_line(call: Call, tmp_path: Path, slip: str, says: str) -> None:
    (tmp_path / "mine.py").write_text(STORY.format(slip=slip))
    called = call("run", "mine.py")
    assert called.status == 2
    assert "mine.py, line 7" in called.err
    assert says in called.err
    assert len(called.err.strip().splitlines()) == 1


def test_the_stories_are_listed_with_what_can_be_set(call: Call) -> None:
    listed = {row["name"]: row for row in call("scenarios", "--format", "json").json}
    assert listed["rolling_restart"]["parameters"]["members"] == 12
    assert all(row["about"] for row in listed.values())


def test_a_log_without_partitions_has_no_zero_for_an_answer(call: Call, tmp_path: Path) -> None:
    line = (
        "[2024-01-01 00:00:00,000] INFO [GroupCoordinator 0]: Preparing to rebalance group g in state "
        "PreparingRebalance with old generation 1 (__consumer_offsets-1) (reason: removing member m-1 on heartbeat "
        "expiration) (kafka.coordinator.group.GroupCoordinator)\n"
    )
    (tmp_path / "broker.log").write_text(line)
    assert 'unavailable  unknown: group "g" is rebalancing' in call("incident", "import", "broker.log").out
    imported = call("incident", "import", "broker.log", "--format", "json").json
    assert imported["partitions_known"] is False
