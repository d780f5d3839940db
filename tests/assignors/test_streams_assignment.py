"""What leaders of recorded classic groups of Kafka Streams 4.4.0 planned, planned again from what their members sent.

50 rebalances of nine recorded runs (tests/golden/streams-plans.jsonl.gz), from the leaders' own logs.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from groupsim.assignors.errors import BadSpec
from groupsim.assignors.kafka.client_tasks import RUNNING, UNKNOWN, TaskId
from groupsim.assignors.kafka.streams_assignment import (
    FollowUp,
    StreamsMember,
    StreamsRules,
    lag,
    streams_assignment,
)

RECORDED = Path(__file__).parents[1] / "golden" / "streams-plans.jsonl.gz"
A, B = "00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b"


def task(name: str) -> TaskId:
    part, _, number = name.partition("_")
    return TaskId(int(part), int(number))


def tasks(names: list[str]) -> tuple[TaskId, ...]:
    return tuple(sorted(map(task, names)))


def ends(members: list[dict[str, Any]]) -> dict[TaskId, int]:
    """How far changelogs reached, from what each member sent and how much it lagged."""
    found: dict[TaskId, int] = {}
    for member in members:
        for name, behind in member["lags"].items():
            end = behind + max(0, member["offsets"].get(name, 0)) if behind >= 0 else 0
            found[task(name)] = max(end, found.get(task(name), 0))
    return found


def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(RECORDED.read_bytes()).splitlines()]


def test_the_plans_of_recorded_leaders() -> None:
    plans = recorded()
    assert len(plans) == 50
    assert {member["follow_up"] for plan in plans for member in plan["members"]} == set(FollowUp)
    for plan in plans:
        members = [
            StreamsMember(
                each["member"],
                each["process"],
                tasks(each["owned"]),
                {task(name): offset for name, offset in each["offsets"].items()},
            )
            for each in plan["members"]
        ]
        known = ends(plan["members"])
        for member, each in zip(members, plan["members"], strict=True):
            assert {t: lag(member.offsets.get(t), end) for t, end in known.items()} == {
                task(name): behind for name, behind in each["lags"].items()
            }
        given = streams_assignment(
            members, plan["leader"], tuple(known), known, StreamsRules(acceptable_lag=plan["acceptable_lag"])
        )
        where = plan["recording"], plan["generation"]
        for each in plan["members"]:
            got = given[each["member"]]
            assert got.active == tasks(each["given"]), where
            assert got.standby == tasks([*each["standby"], *each["later"]]), where
            assert got.follow_up == each["follow_up"], where


@pytest.mark.parametrize("has_some", [False, True])
def test_a_task_that_another_member_has_yet_to_give_up_is_withheld(has_some: bool) -> None:
    known = {TaskId(0, 0): 100, TaskId(0, 1): 100}
    running = dict.fromkeys(known, RUNNING)
    old = StreamsMember("old", A, tuple(known), running)
    new = StreamsMember("new", B, (), {TaskId(0, 1): 30} if has_some else {})
    given = streams_assignment([old, new], "old", tuple(known), known, StreamsRules())
    assert given["old"].active == (TaskId(0, 0),)
    assert (given["new"].active, given["new"].standby) == ((), (TaskId(0, 1),) if has_some else ())
    assert (given["old"].follow_up, given["new"].follow_up) == (FollowUp.NONE, FollowUp.AT_ONCE)


def test_what_lags_too_far_is_warmed_up_and_the_leader_probes() -> None:
    known = {TaskId(0, 0): 20_000, TaskId(0, 1): 20_000}
    old, new = StreamsMember("old", A, tuple(known), dict.fromkeys(known, RUNNING)), StreamsMember("new", B)
    given = streams_assignment([old, new], "old", tuple(known), known, StreamsRules())
    assert given["old"].active == tuple(known)
    assert given["new"].standby == (TaskId(0, 1),)
    assert given["old"].follow_up is FollowUp.PROBING


@pytest.mark.parametrize(
    ("offset", "behind"), [(None, 100), (RUNNING, RUNNING), (UNKNOWN, UNKNOWN), (30, 70), (100, 0), (101, 100)]
)
def test_lag(offset: int | None, behind: int) -> None:
    assert lag(offset, 100) == behind


def test_two_members_of_one_process_are_refused() -> None:
    with pytest.raises(BadSpec, match="stands twice"):
        streams_assignment([StreamsMember("a", A), StreamsMember("b", A)], "a", (), {}, StreamsRules())
