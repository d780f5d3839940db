"""Recording scripts of streams groups and share groups: plans, what fake clients ask, messages, playing again."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from groupsim.conformance.scripts.configs import STREAMS_AND_SHARE
from recorders.scripts.plans import again
from recorders.scripts.plans.answers import Reader
from recorders.scripts.plans.broker_play import SEEN_BEFORE_MS, BrokerPlay
from recorders.scripts.plans.names import Names
from recorders.scripts.plans.operations import BUILD, CLIENTS, READERS, client
from recorders.scripts.plans.plan import OTHERS, SHORT_REBALANCE_MS, SHORT_SESSION_MS
from recorders.scripts.plans.record import SHAKE_MS, Played
from recorders.scripts.plans.requests import Asked
from recorders.scripts.share_groups import random_plans as share_plans
from recorders.scripts.streams_groups import random_plans as streams_plans
from recorders.scripts.streams_groups.client import StreamsClient
from recorders.scripts.streams_groups.messages import sentence

TOPIC = "00000000-0000-0000-0000-00000000000a"
NAMES = Names("q7", {"t1": TOPIC})
READER = Reader("R.static.3", NAMES, None)  # type: ignore[arg-type]
TOPOLOGY = {"epoch": 2, "subtopologies": streams_plans.OWN_TOPOLOGIES[4]}
THREAD = {
    "kind": "streams",
    "instance": "i1",
    "rack": None,
    "R": 45_000,
    "process": "P1",
    "endpoint": ["h1", 7001],
    "tags": {"zone": "a"},
    "topology": TOPOLOGY,
}


def _asked(asks: Any, number: int = 3) -> Asked:
    return Asked(number, asks, READER.group, NAMES, None, {})  # type: ignore[arg-type]


@pytest.mark.parametrize("protocol", [streams_plans, share_plans])
def test_plans_are_the_same_for_the_same_seed_and_name_what_a_broker_has(protocol: Any) -> None:
    every = protocol.plans(3)
    assert every == protocol.plans(3) != protocol.plans(4)
    assert len({plan["name"] for plan in every}) == len(every) == sum(protocol.COUNTS.values())
    assert set(protocol.COUNTS) == set(protocol.KINDS)
    assert {plan["config"] for plan in every} == {c for kind in protocol.KINDS.values() for c in kind.configs}
    assert {plan["config"] for plan in every} <= set(STREAMS_AND_SHARE.configs)
    for plan in every:
        assert {member["kind"] for member in plan["members"].values()} <= set(CLIENTS)
        assert {step["as"] for step in plan["steps"]} <= {"", *plan["members"]}
        assert {step["op"] for step in plan["steps"]} <= {*BUILD, "next", "restart"}
        times = [step["at"] for step in plan["steps"]]
        assert times == sorted(set(times))
        assert plan["end_ms"] > times[-1]


@pytest.mark.parametrize("kinds", [streams_plans.KINDS, share_plans.KINDS])
def test_no_timer_ends_at_a_step_and_no_two_at_once(kinds: Any) -> None:
    apart = 2 * SHAKE_MS + SEEN_BEFORE_MS
    delay = int(STREAMS_AND_SHARE.configs["delay"].properties["group.streams.initial.rebalance.delay.ms"])
    of_kind = {"timers": (SHORT_SESSION_MS, SHORT_REBALANCE_MS), "interval": (1_000,), "delay": (delay,)}
    timed = {name: kind.grid_ms for name, kind in kinds.items() if kind.grid_ms}
    for name, grid_ms in timed.items():
        ends = sorted(timer % grid_ms for timer in of_kind[name])
        assert ends[0] >= 2 * SHAKE_MS
        assert ends[-1] <= grid_ms - apart + SHAKE_MS
        assert all(later - earlier > 2 * SHAKE_MS for earlier, later in pairwise(ends))


def test_a_thread_joins_with_everything_and_then_says_what_is_new() -> None:
    thread = StreamsClient("m1", dict(THREAD))
    join = thread.heartbeat(thread.natural())
    assert (join["member_epoch"], join["topology"], join["process_id"], join["active"]) == (0, TOPOLOGY, "P1", {})
    thread.tells(join)
    given = {"active": {"0": [0, 1]}, "standby": {}, "warmup": {}}
    answer = {"error": "NONE", "member_epoch": 2, "endpoint_epoch": 1, **given}
    thread.answered("streams_heartbeat", join, answer, {})
    says = thread.heartbeat(thread.natural())
    assert {kind: says[kind] for kind in given} == given
    assert (says["member_epoch"], says["endpoint_epoch"], says["topology"], says["process_id"]) == (2, 1, None, None)
    thread.tells(says)
    assert thread.heartbeat(thread.natural())["active"] is None
    assert thread.heartbeat({"tasks": "less"})["active"] == {"0": [1]}
    thread.answered("streams_heartbeat", says, {"error": "FENCED_MEMBER_EPOCH"}, {})
    assert thread.natural() == {"op": "streams_heartbeat", "epoch": 0, "full": True, "tasks": "empty"}


def test_a_member_of_a_share_group_joins_again_after_it_left() -> None:
    member = client("m1", {"kind": "share", "names": ["t1"], "rack": "ra"})
    recorded, sent = BUILD["share_heartbeat"](_asked(member), member.natural())
    assert recorded == {
        "member_id": "m1",
        "member_epoch": 0,
        "rack_id": "ra",
        "subscribed_topic_names": ["t1"],
    }
    assert sent["GroupId"] == READER.group
    for epoch, after in ((2, {"op": "share_heartbeat"}), (-1, {"op": "share_heartbeat", "epoch": 0, "full": True})):
        member.answered("share_heartbeat", recorded, {"error": "NONE", "member_epoch": epoch}, {})
        assert member.natural() == after
    member.answered("share_heartbeat", recorded | {"member_id": "m9"}, {"error": "NONE", "member_epoch": 7}, {})
    assert (member.epoch, member.previous) == (0, 2)


def test_a_heartbeat_is_sent_with_the_names_that_topics_have_on_the_broker() -> None:
    thread = StreamsClient("m1", dict(THREAD))
    _, sent = BUILD["streams_heartbeat"](_asked(thread), thread.natural())
    first, second = sent["Topology"]["Subtopologies"]
    assert (first["SourceTopics"], first["RepartitionSinkTopics"]) == (["q7_a"], ["q7_rep"])
    assert second["StateChangelogTopics"][0] == {
        "Name": "q7_log",
        "Partitions": 0,
        "ReplicationFactor": 0,
        "TopicConfigs": [],
    }
    assert sent["UserEndpoint"] == {"Host": "h1", "Port": 7001}
    assert sent["ClientTags"] == [{"Key": "zone", "Value": "a"}]
    literal, sent = BUILD["streams_heartbeat"](
        _asked(thread), {"request": thread.heartbeat({}) | {"offsets": {"0": {"1": 5}}}}
    )
    assert literal["offsets"] == {"0": {"1": 5}}
    assert sent["TaskOffsets"] == [{"SubtopologyId": "0", "Partition": 1, "Offset": 5}]
    assert sent["ActiveTasks"] is None


def test_what_a_broker_says_is_the_same_in_every_play() -> None:
    said = {
        "Source topics q7_b, q7_a are missing.": "Source topics p_a, p_b are missing.",
        "Internal topics are missing: q7_rep, q7_log; Creation failed: q7_rep (no, not, now)": (
            "Internal topics are missing: p_log, p_rep; Creation failed: p_rep (no, not, now)"
        ),
        "tags: [zone, cluster].": "tags: [cluster, zone].",
        "Group R.static.3 not found.": "Group GROUP not found.",
    }
    assert {text: sentence(READER, text) for text in said} == said


def test_answers_to_streams_members_are_read() -> None:
    answer: dict[str, Any] = {
        "ErrorCode": 0,
        "ErrorMessage": "",
        "MemberId": "m1",
        "MemberEpoch": 2,
        "HeartbeatIntervalMs": 5_000,
        "TaskOffsetIntervalMs": 60_000,
        "Status": [{"StatusCode": 1, "StatusDetail": "Source topics q7_a are missing."}],
        "ActiveTasks": [{"SubtopologyId": "1", "Partitions": [2, 0]}, {"SubtopologyId": "0", "Partitions": []}],
        "StandbyTasks": None,
        "WarmupTasks": None,
        "EndpointInformationEpoch": 4,
        "PartitionsByUserEndpoint": [
            {
                "UserEndpoint": {"Host": host, "Port": 1},
                "ActivePartitions": [{"Topic": "q7_a", "Partitions": [1, 0]}],
                "StandbyPartitions": [],
            }
            for host in ("h2", "h1")
        ],
    }
    read = READERS["streams_heartbeat"](READER, answer)
    assert read["status"] == [["MISSING_SOURCE_TOPICS", "Source topics p_a are missing."]]
    assert (read["active"], read["standby"], read["acceptable_recovery_lag"]) == ({"1": [0, 2]}, None, 0)
    assert read["partitions_by_endpoint"] == [[[h, 1], {"p_a": [0, 1]}, {}] for h in ("h1", "h2")]
    assert "message" not in read
    refused = answer | {"ErrorCode": 130, "ErrorMessage": "No.", "Status": None, "AcceptableRecoveryLag": -1}
    read = READERS["streams_heartbeat"](READER, refused)
    assert [read[key] for key in ("error", "message", "status", "acceptable_recovery_lag")] == [
        "STREAMS_INVALID_TOPOLOGY",
        "No.",
        [],
        -1,
    ]


def test_answers_about_share_offsets_are_read() -> None:
    rows = [
        {"PartitionIndex": n, "ErrorCode": 0, "StartOffset": offset, "LeaderEpoch": 0, "Lag": -1}
        for n, offset in ((10, 3), (2, -1))
    ]
    group = {"ErrorCode": 0, "Topics": [{"TopicName": "q7_a", "Partitions": rows}]}
    assert READERS["share_offsets"](READER, {"Groups": [group]}) == {
        "error": "NONE",
        "topics": {"p_a": {"2": ["NONE", -1, 0, -1], "10": ["NONE", 3, 0, -1]}},
    }
    _, sent = BUILD["share_alter"](_asked(client("", dict(OTHERS["c2"]))), {"topics": {"p_a": {"0": 3}}})
    assert sent["Topics"] == [{"TopicName": "q7_a", "Partitions": [{"PartitionIndex": 0, "StartOffset": 3}]}]


def _script(assigned: list[int]) -> dict[str, Any]:
    thread = StreamsClient("m1", dict(THREAD))
    who = {"member_id": "m1", "epoch": 2, "group_instance_id": None}
    rows = [
        ("m1", "streams_heartbeat", 1, thread.heartbeat(thread.natural())),
        ("m2", "commit", 9, {**who, "topic": "t1", "partitions": [0], "offset": 101}),
        ("", "group_config", 1, {"configs": {"streams.num.standby.replicas": "1"}}),
        ("", "restart", 0, {}),
    ]
    steps = [
        {
            "i": i,
            "at": 100 * i,
            "as": label,
            "op": op,
            "v": v,
            "request": asked,
            "response": {"p": assigned},
            "after": i,
        }
        for i, (label, op, v, asked) in enumerate(rows)
    ]
    return {"name": "A.x", "family": "cases", "about": "", "config": "base", "end_ms": 400, "steps": steps}


def test_a_recorded_script_is_asked_again_as_it_was() -> None:
    script = _script([0])
    plan = again.plan_of(script)
    assert plan["members"]["m1"]["kind"] == "streams"
    for step, recorded in zip(plan["steps"], script["steps"], strict=True):
        if step["op"] in BUILD:
            asks = client(step["as"], plan["members"].get(step["as"], dict(OTHERS["c2"])))
            assert BUILD[step["op"]](_asked(asks, step["i"]), step)[0] == recorded["request"]


def test_a_script_is_equal_in_its_answers_or_but_for_choices() -> None:
    report = [next(again.report([_script([0])], [_script(p)])) for p in ([0], [1], [0, 1])]
    assert [line.split(";")[0] for line in report] == [
        f"{equal} of 1 scripts are equal, {more} more but for which partitions of equal ones members have"
        for equal, more in ((1, 0), (0, 1), (0, 0))
    ]


def test_choices_are_what_goes_by_ids_that_the_broker_draws() -> None:
    def played(kind: str, assigned: dict[str, list[int]]) -> str:
        row = {"member_id": "m1", "assignment": assigned}
        step = {"i": 0, "response": None, "seen": {"type": kind, "assignment_epoch": 2, "members": [row]}}
        return Played(BrokerPlay({}, "g", None, NAMES, {}, ()), [step]).choices  # type: ignore[arg-type]

    assert played("share", {"p_a": [0]}) == played("share", {"p_a": [0]}) != played("share", {"p_a": [1]})
    assert played("streams", {"0": [0]}) == played("streams", {"0": [1]})
