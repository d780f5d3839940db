"""Recording scripts of the consumer protocol: plans, messages, what a fake client asks, and which plays are kept."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import read
from recorders.broker.definitions import Definitions, carries
from recorders.page import consumer_section, known_differences
from recorders.scripts.consumer import random_plans
from recorders.scripts.consumer.client import ConsumerClient
from recorders.scripts.consumer.subscriptions import subscription
from recorders.scripts.plans import record
from recorders.scripts.plans.administrator import coordinator_of
from recorders.scripts.plans.broker_play import SEEN_BEFORE_MS, BrokerPlay
from recorders.scripts.plans.names import Names
from recorders.scripts.plans.record import Cleaner, Played, agreed

NATIVE = {"kind": "consumer", "names": ["t1"], "protocols": ["range"], "instance": None}
GIVEN = "c1-00000000-0000-4000-8000-000000000000"
BASE64 = "AAAAAAAAAAAAAAAAAAAAAA"
TOPIC = "00000000-0000-0000-0000-00000000000a"


def test_recorded_scripts_are_played_as_kafka_answered() -> None:
    """Every 40th; all of them are played when the page is written."""
    scripts, found = read(consumer_section.SCRIPTS), consumer_section.found()
    assert len(scripts) == sum(found["scripts"].values()) >= 1_000
    sample = scripts[::40]
    assert {script["name"]: consumer_section.difference(script) for script in sample} == {
        script["name"]: found["different"].get(script["name"]) for script in sample
    }


def test_every_difference_has_a_reason() -> None:
    assert set(consumer_section.found()["different"]) == set(known_differences.CONSUMER)
    assert set(consumer_section.found()["scripts"]) == set(consumer_section.KINDS) == set(random_plans.COUNTS)


def test_a_plan_is_the_same_for_the_same_seed_and_no_timer_ends_at_a_step() -> None:
    assert random_plans.draw(1, "mixed", 2) == random_plans.draw(1, "mixed", 2) != random_plans.draw(2, "mixed", 2)
    timers = random_plans.KINDS["timers"]
    ends = [timeout % timers.grid_ms for timeout in (1_500, timers.sessions_ms, timers.rebalance_ms)]
    assert sorted(ends) == [120, 210, 300]
    chained = [(one + other) % timers.grid_ms for one in ends for other in ends if one != other]
    assert min(chained) > 50
    assert max(chained) <= timers.grid_ms - SEEN_BEFORE_MS - 50
    assert 1_000 % random_plans.KINDS["interval"].grid_ms == 100
    for number in range(30):
        plan = random_plans.draw(1, "expressions", number)
        early = [step["at"] for step in plan["steps"] if step["at"] < 11_000]
        assert max(early) < 9_500  # topics are looked for again after ten seconds: no step may be near


def test_messages_follow_the_definitions_of_a_jar(tmp_path: Path) -> None:
    rows = [
        {"name": "Name", "type": "string", "versions": "0+"},
        {"name": "Numbers", "type": "[]int32", "versions": "0+", "nullableVersions": "0+"},
        {"name": "Since", "type": "int64", "versions": "1+"},
        {
            "name": "Inner",
            "type": "Pair",
            "versions": "1+",
            "fields": [{"name": "Id", "type": "uuid", "versions": "0+"}],
        },
        {"name": "Extra", "type": "int16", "versions": "1+", "taggedVersions": "1+", "tag": 0, "default": "-1"},
    ]
    request = {"apiKey": 7, "type": "request", "name": "PingRequest", "flexibleVersions": "1+", "fields": rows}
    response = request | {"type": "response", "name": "PingResponse"}
    with zipfile.ZipFile(tmp_path / "a.jar", "w") as jar:
        for message in (request, response):
            text = f'// a "comment"\n{json.dumps(message)}'
            jar.writestr(f"common/message/{message['name']}.json", text)
    definitions = Definitions([tmp_path / "a.jar"])
    body = {"Name": "x", "Numbers": None, "Since": 5, "Inner": {"Id": TOPIC}}
    for version, content in ((0, {"Name": "x", "Numbers": None}), (1, body | {"Extra": -1})):
        frame = definitions.request("Ping", version, "c", body)
        assert struct.unpack_from(">ihhi", frame) == (len(frame) - 4, 7, version, 0)
        header = 4 + 8 + 2 + 1
        assert definitions.answer("Ping", version, bytes(4) + frame[header:]) == content
    with pytest.raises(ValueError, match="cut short"):
        definitions.answer("Ping", 0, bytes(5))
    assert [carries("2-4", 3), carries("2-4", 5), carries("2+", 9), carries("none", 0), carries("3", 3)] == [
        True,
        False,
        True,
        False,
        True,
    ]


def test_labels_stand_for_ids_that_the_broker_draws() -> None:
    names = Names("q7", {"t1": TOPIC})
    assert [names.label(each) for each in (GIVEN, BASE64, "m1", None)] == ["?c1", "?", "m1", None]
    names.given("c1", GIVEN)
    names.given("c1", BASE64)
    names.given("m1", "m1")
    assert [names.label(each) for each in (GIVEN, BASE64, "m1")] == ["c1#1", "c1#2", "m1"]
    assert names.member("c1#2") == BASE64
    assert names.member("m1") == "m1"
    names.created("p_a", "first")
    names.created("p_a", "second")
    assert names.listed([{"TopicId": "second", "Partitions": [1, 0]}, {"TopicId": TOPIC, "Partitions": []}]) == {
        "p_a#2": [0, 1]
    }
    assert names.rows({"p_a": [3]}) == [{"TopicId": "first", "Partitions": [3]}]
    assert (names.on_broker("p_[ab]"), names.in_script("q7_a")) == ("q7_[ab]", "p_a")


def test_a_client_says_what_it_owns_after_a_new_assignment() -> None:
    client = ConsumerClient("m1", dict(NATIVE))
    asked = {"member_id": "m1", "member_epoch": 0}
    assert client.natural()["epoch"] == 0
    answer = {"error": "NONE", "member_epoch": 2, "assignment": {"t1": [0]}}
    client.tells({})
    client.heartbeat_answered(asked, answer, {})
    assert client.natural() == {"op": "consumer_heartbeat", "parts": "assigned"}
    client.tells(client.partitions_of("assigned"))
    assert client.natural() == {"op": "consumer_heartbeat"}
    assert client.partitions_of("less") == {}
    assert [client.epoch_of(word) for word in ("cur", "prev", "next", 7)] == [2, 0, 3, 7]
    client.heartbeat_answered(asked, {"error": "FENCED_MEMBER_EPOCH"}, {})
    assert client.natural()["full"] is True


def test_a_classic_client_joins_syncs_and_joins_again() -> None:
    client = ConsumerClient("c1", NATIVE | {"kind": "classic"})
    assert client.natural() == {"op": "join", "id": "", "owned": {}}
    client.classic_answered("join", {"error": "MEMBER_ID_REQUIRED"}, {"MemberId": GIVEN})
    assert client.natural() == {"op": "join"}
    client.classic_answered("join", {"error": "NONE", "generation": 3}, {"MemberId": GIVEN})
    assert client.natural() == {"op": "sync"}
    client.classic_answered("sync", {"error": "NONE", "assignment": {"t1": [1]}}, {})
    assert client.natural() == {"op": "heartbeat"}
    client.classic_answered("heartbeat", {"error": "REBALANCE_IN_PROGRESS"}, {})
    assert client.natural() == {"op": "join"}
    client.removed()
    assert client.natural()["id"] == ""


def test_a_subscription_has_what_its_version_carries() -> None:
    content = [subscription(version, ["a"], {"a": [0]}, 4, "r") for version in range(4)]
    assert [(each["owned"], each["generation"], each["rack"]) for each in content] == [
        ({}, -1, None),
        ({"a": [0]}, -1, None),
        ({"a": [0]}, 4, None),
        ({"a": [0]}, 4, "r"),
    ]


def _played(answer: str, target: str) -> Played:
    group = {"type": "consumer", "assignment_epoch": 2, "members": [{"member_id": "m1", "target": target}]}
    step = {"i": 0, "response": {"error": answer}, "seen": group, "t": 5}
    return Played(BrokerPlay({}, "g", None, Names("q", {}), {}, ()), [step])  # type: ignore[arg-type]


def test_plays_agree_if_those_with_the_same_choices_do() -> None:
    one, same, other = _played("NONE", "a"), _played("NONE", "a"), _played("NONE", "b")
    assert agreed([one, other, same]) == [one, same]
    assert agreed([one, other]) is None
    assert agreed([one, same, _played("STALE_MEMBER_EPOCH", "a")]) is None


def test_records_of_a_log_are_read_batch_by_batch() -> None:
    def varint(value: int) -> bytes:
        zigzag, out = value * 2 if value >= 0 else -2 * value - 1, bytearray()
        while zigzag > 0x7F:
            out.append(zigzag & 0x7F | 0x80)
            zigzag >>= 7
        return bytes([*out, zigzag])

    def entry(delta_ms: int, key: bytes, value: bytes | None) -> bytes:
        body = b"\0" + varint(delta_ms) + varint(0) + varint(len(key)) + key
        body += varint(-1) if value is None else varint(len(value)) + value
        body += varint(0)
        return varint(len(body)) + body

    def batch(*entries: bytes, attributes: int = 0) -> bytes:
        head = struct.pack(">ibihiqqqhii", 0, 2, 0, attributes, 0, 1_000, 0, 0, 0, 0, len(entries))
        rest = head + b"".join(entries)
        return struct.pack(">qi", 0, len(rest)) + rest

    long = bytes(100)
    raw = batch(entry(1, b"k", b"v"), entry(2, long, None)) + batch(entry(0, b"m", b""), attributes=0x20)
    assert list(record._records(raw + batch(entry(7, b"z", b"y")))) == [
        (1_001, b"k", b"v"),
        (1_002, long, None),
        (1_007, b"z", b"y"),
    ]


def test_what_differs_from_play_to_play_is_left_out_of_records() -> None:
    names = Names("q7", {"t1": TOPIC})
    names.given("c1", GIVEN)
    cleaner = Cleaner(names, None)  # type: ignore[arg-type]
    key: dict[str, Any] = {"GroupId": "g", "MemberId": GIVEN}
    value = {"MetadataHash": 99, "ClientHost": "/1", "SubscribedTopicNames": ["q7_a"], "AssignmentTimestamp": 5}
    content = {"MetadataHash": 1, "SubscribedTopicNames": ["p_a"], "AssignmentTimestamp": 1}
    assert cleaner.record("X", key, value) == ["X", {"MemberId": "c1#1"}, content]
    assert cleaner.record("X", {"MemberId": BASE64}, {"MetadataHash": 99, "TopicId": TOPIC}) == [
        "X",
        {"MemberId": "?"},
        {"MetadataHash": 1, "TopicId": "t1"},
    ]
    assert cleaner.record("X", {}, None) == ["X", {}, None]


def test_a_group_belongs_to_the_offsets_partition_of_its_hash() -> None:
    assert [coordinator_of(group) for group in ("g", "w0", "polygenelubricants")] == [3, 1, 0]


def _beat(at_ms: int, member: str, epoch: int) -> dict[str, Any]:
    full = epoch == 0
    asked = {
        "member_id": member,
        "member_epoch": epoch,
        "instance_id": None,
        "rack_id": None,
        "rebalance_timeout_ms": 45_000 if full else -1,
        "subscribed_topic_names": ["t1"] if full else None,
        "subscribed_topic_regex": None,
        "server_assignor": None,
        "topic_partitions": {} if full else None,
    }
    return {"at": at_ms, "as": member, "op": "consumer_heartbeat", "v": 1, "request": asked}


def test_a_timer_outlives_a_downgrade_and_fences_when_there_is_a_consumer_group_again() -> None:
    """As Kafka 4.4 was seen to do: the classic member never sent its SyncGroup."""
    content = subscription(3, ["t1"], {}, -1, None)
    join = {
        "session_timeout_ms": 45_000,
        "rebalance_timeout_ms": 1_000,
        "member_id": "c1",
        "group_instance_id": None,
        "protocol_type": "consumer",
        "protocols": [["range", content]],
    }
    steps = [
        _beat(0, "m1", 0),
        {"at": 100, "as": "c1", "op": "join", "v": 3, "request": join},
        _beat(300, "m1", -1),
        _beat(500, "m2", 0),
        _beat(900, "m2", 3),
        _beat(1_300, "m2", 3),
    ]
    numbered = [{"i": i, "response": None, "after": None, "seen": None, **step} for i, step in enumerate(steps)]
    script = {"name": "outlives", "config": "base", "end_ms": 1_400, "steps": numbered}
    seen = [step.get("seen", {}) for step in play(script)["steps"]]
    assert [group.get("type") for group in seen[:4]] == ["consumer", "consumer", "classic", "consumer"]
    assert [row["member_id"] for row in seen[3]["members"]] == ["c1", "m2"]
    assert [row["member_id"] for row in seen[4]["members"]] == ["m2"]  # the sync timer of 100 ms ended at 1,100 ms
