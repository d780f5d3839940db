"""What the console consumer printed: lines of real formatters (3.7.1 and 4.3.0) that were given records of 4.4.0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groupsim.incidents.offsets_topic.reader import Form, TopicReader, form_of, sort_out
from groupsim.incidents.offsets_topic.record import GroupRecord

GROUP = "s04-kill9.range.d0.r1.a50"
COMMIT = (
    f'{{"key":{{"type":1,"data":{{"group":"{GROUP}","topic":"orders","partition":8}}}},"value":{{"version":4,"data":'
    '{"offset":11,"leaderEpoch":0,"metadata":"","commitTimestamp":1795329492738,"topicId":"U7DOCrLQRVuPVQec0OUCqA"}}}'
)
DELETED = f'{{"key":{{"type":1,"data":{{"group":"{GROUP}","topic":"orders","partition":8}}}},"value":null}}'
GENERATION = (
    f'{{"key":{{"type":2,"data":{{"group":"{GROUP}"}}}},"value":{{"version":3,"data":{{"protocolType":"consumer",'
    '"generation":1,"protocol":"range","leader":"m1-916152c8","currentStateTimestamp":1795329491708,"members":'
    '[{"memberId":"m1-916152c8","groupInstanceId":null,"clientId":"m1","clientHost":"/127.0.0.1",'
    '"rebalanceTimeout":10000,"sessionTimeout":6000,"subscription":"AAMAAAABAAZvcmRlcnP/////AAAAAP///////w==",'
    '"assignment":"AAMAAAABAAZvcmRlcnMAAAAMAAAAAAAAAAEAAAACAAAAAwAAAAQAAAAFAAAABgAAAAcAAAAIAAAACQAAAAoAAAAL/////w=="'
    "}]}}}"
)
OLD_COMMIT = (
    f"[{GROUP},orders,7]::OffsetAndMetadata(offset=11, leaderEpoch=Optional[0], metadata=a, b,"
    " commitTimestamp=1795329492738, expireTimestamp=None)"
)
OLDEST_COMMIT = "[a,b,orders,7]::[OffsetMetadata[10,NO_METADATA],CommitTime 1500000000000,ExpirationTime 1600000000000]"
OLD_GENERATION = (
    f"{GROUP}::GroupMetadata(groupId={GROUP}, generation=1, protocolType=Some(consumer), currentState=Stable, "
    "members=HashMap(m1-916152c8 -> MemberMetadata(memberId=m1-916152c8, groupInstanceId=None, clientId=m1, "
    "clientHost=/127.0.0.1, sessionTimeoutMs=6000, rebalanceTimeoutMs=10000, supportedProtocols=List(range))))"
)

NAMES = st.sampled_from(["protocolType", "members", "subscription", "currentStateTimestamp", "memberId"])


def _read(tmp_path: Path, *texts: str) -> tuple[list[GroupRecord], TopicReader]:
    paths = []
    for number, text in enumerate(texts):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_text(text)
        assert form_of(paths[-1]) is Form.FORMATTED
    reader = TopicReader(sort_out(paths).topic)
    return list(reader), reader


def test_json_is_read_that_has_no_line_ends(tmp_path: Path) -> None:
    found, reader = _read(tmp_path, COMMIT + DELETED)
    assert [(record.kind, record.at_ms, record.offset) for record in found] == [
        ("OffsetCommit", 1795329492738, 0),
        ("OffsetCommit", 1795329492738, 1),
    ]
    assert found[0].value is not None
    assert found[0].value["offset"] == 11
    assert found[1].value is None
    assert (found[1].place, reader.notes(), reader.damage) == (f"{tmp_path}/0.txt:{len(COMMIT)}", [], [])


def test_json_on_lines_among_other_lines_is_read(tmp_path: Path) -> None:
    found, reader = _read(tmp_path, f"{COMMIT}\nProcessed a total of 1 messages\n{COMMIT}\n{{not json\n")
    assert len(found) == 2
    assert reader.notes() == []


def test_subscription_and_assignment_in_the_json_are_opened(tmp_path: Path) -> None:
    found, _ = _read(tmp_path, GENERATION)
    value: Any = found[0].value
    (member,) = value["members"]
    assert member["assignment"]["assignedPartitions"] == [{"topic": "orders", "partitions": list(range(12))}]
    assert member["subscription"]["topics"] == ["orders"]


def test_files_of_both_formatters_are_put_in_the_order_of_time(tmp_path: Path) -> None:
    found, _ = _read(tmp_path, COMMIT + DELETED, GENERATION)
    assert [record.kind for record in found] == ["GroupMetadata", "OffsetCommit", "OffsetCommit"]


def test_old_lines_are_read(tmp_path: Path) -> None:
    found, reader = _read(tmp_path, f"{OLD_COMMIT}\n[{GROUP},orders,7]::NULL\n{OLDEST_COMMIT}\n")
    assert [record.key for record in found] == [
        {"group": GROUP, "topic": "orders", "partition": 7},
        {"group": GROUP, "topic": "orders", "partition": 7},
        {"group": "a,b", "topic": "orders", "partition": 7},
    ]
    assert [record.value for record in found] == [
        {"offset": 11, "leaderEpoch": 0, "metadata": "a, b", "commitTimestamp": 1795329492738},
        None,
        {"offset": 10, "leaderEpoch": -1, "metadata": "", "commitTimestamp": 1500000000000},
    ]
    assert reader.notes() == []


def test_old_generations_have_no_time_and_are_counted(tmp_path: Path) -> None:
    found, reader = _read(tmp_path, f"{OLD_COMMIT}\n{OLD_GENERATION}\n{GROUP}::NULL\n")
    assert [(record.kind, record.at_ms) for record in found] == [
        ("OffsetCommit", 1795329492738),
        ("GroupMetadata", 1795329492738),
    ]
    assert "1 × a generation as Kafka printed it before 3.9" in reader.notes()[0]


def test_what_the_formatter_did_not_know_is_counted(tmp_path: Path) -> None:
    unknown = '{"key":{"type":77,"data":"unknown"},"value":{"version":0,"data":"unknown"}}'
    later = GENERATION.replace('"version":3', '"version":9')
    strange = '{"key":{"type":2,"data":{"group":"g"}},"value":{"version":9,"data":"unknown"}}'
    found, reader = _read(tmp_path, COMMIT + unknown + later + strange)
    assert len(found) == 1
    assert reader.unknown == {
        "record type 77": 1,
        "version 9 of the value of type 2": 1,
        "a value of type 2 that the formatter did not know": 1,
    }


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_mutated_text_is_read_without_a_crash(tmp_path: Path, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([COMMIT, DELETED, GENERATION, OLD_COMMIT, OLDEST_COMMIT, OLD_GENERATION]))
    for _ in range(data.draw(st.integers(0, 4))):
        a, b = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
        piece = data.draw(st.sampled_from(["", "{", "}", "[1]", "null", "-1", '"', ",", "\n", "::", text[a:b] * 2]))
        text = text[:a] + piece + text[b:]
    path = tmp_path / "text.txt"
    path.write_text(f"{COMMIT}\n{text}\n{COMMIT}\n")
    reader = TopicReader([(path, Form.FORMATTED)])
    found = list(reader)
    assert len(found) + reader.unknown.total() >= 1


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda x: st.lists(x) | st.dictionaries(NAMES, x)))
def test_json_of_any_shape_is_read_without_a_crash(tmp_path: Path, value: object) -> None:
    path = tmp_path / "text.txt"
    key = {"type": 2, "data": {"group": "g"}}
    path.write_text(COMMIT + json.dumps({"key": key, "value": {"version": 3, "data": value}}, separators=(",", ":")))
    reader = TopicReader([(path, Form.FORMATTED)])
    assert len(list(reader)) + reader.unknown.total() == 2
