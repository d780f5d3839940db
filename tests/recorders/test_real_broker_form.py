"""A real broker's answers and log lines in the form of a recording."""

from __future__ import annotations

import pytest

from recorders.broker.connections import Pool
from recorders.scripts.classic import messages
from recorders.scripts.play_on_broker import BrokerPlay
from recorders.timelines import real_recording

ID = "m1-00000000-0000-4000-8000-00000000000"
LOG = f"""\
[2026-11-21 16:20:00,000] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=3] Dynamic member with unknown member id joins group a__r1 in Empty state. Created a new member id {ID}1 and requesting the member to rejoin with this id. (org.apache.kafka.coordinator.group.GroupMetadataManager)
[2026-11-21 16:20:00,004] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=3] Preparing to rebalance group a__r1 in state PreparingRebalance with old generation 4 (reason: Adding new member {ID}1 with group instance id null; client reason: not provided). (org.apache.kafka.coordinator.group.GroupMetadataManager)
[2026-11-21 16:20:00,005] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=3] Stabilized group a__r10 generation 7 with 3 members. (org.apache.kafka.coordinator.group.GroupMetadataManager)
[2026-11-21 16:20:01,017] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=3] Stabilized group a__r1 generation 5 with 3 members. (org.apache.kafka.coordinator.group.GroupMetadataManager)
[2026-11-21 16:20:01,020] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=3] Assignment received from leader {ID}1 for group a__r1 for generation 5. The group has 3 members, 0 of which are static. (org.apache.kafka.coordinator.group.GroupMetadataManager)
[2026-11-21 16:20:02,000] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=3] Member {ID}1 in group a__r1 has failed, removing it from the group. (org.apache.kafka.coordinator.group.GroupMetadataManager)
[2026-11-21 16:20:02,500] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=3] [Group a__r1 Member {ID}2 has left group through explicit `LeaveGroup` request; client reason: not provided (org.apache.kafka.coordinator.group.GroupMetadataManager)
[2026-11-21 16:20:03,000] INFO Something else of group a__r1 (kafka.server.BrokerServer)
"""  # noqa: E501
BEGAN_MS = 1_795_278_000_000  # 2026-11-21 16:20 UTC


def test_a_brokers_lines_about_one_group_become_rows_of_a_recording() -> None:
    assert real_recording.rows(LOG.splitlines(), "a__r1", BEGAN_MS) == [
        {"t_ms": 0, "kind": "member_id_issued", "state": "Empty", "member_id": f"{ID}1"},
        {
            "t_ms": 4,
            "kind": "rebalance_started",
            "state": "PreparingRebalance",
            "generation": 4,
            "reason": f"Adding new member {ID}1 with group instance id null; client reason: not provided",
        },
        {"t_ms": 1017, "kind": "join_completed", "generation": 5, "n_members": 3},
        {"t_ms": 1020, "kind": "assignment_received", "member_id": f"{ID}1", "generation": 5, "n_members": 3},
        {"t_ms": 2000, "kind": "session_expired", "member_id": f"{ID}1"},
        {"t_ms": 2500, "kind": "member_left", "member_id": f"{ID}2"},
    ]


def test_ids_are_labelled_in_the_order_in_which_they_were_given() -> None:
    play = BrokerPlay({}, "g", Pool(0), [])
    ids = play.ids
    ids.given(0, "m1", f"{ID}1")
    ids.settle()
    ids.given(2, "m1", f"{ID}3")
    ids.given(1, "m1", f"{ID}2")
    ids.settle()
    assert [play.label(f"{ID}{n}") for n in (1, 2, 3)] == ["m1#1", "m1#2", "m1#3"]
    assert ids.resolve("m1#2") == f"{ID}2"
    assert [ids.resolve(label) for label in ("m1#4", "bogus", "")] == ["m1#4", "bogus", ""]
    assert play.label(f"{ID}9") == "?m1"
    assert play.label(None) == ""


@pytest.mark.parametrize(("error", "given"), [(79, True), (0, True), (82, False)])
def test_a_fenced_member_is_not_given_the_id_in_its_answer(error: int, given: bool) -> None:
    answer = {"error": error, "member_id": f"{ID}9"}
    assert messages.member_given({"op": "join"}, answer) == (f"{ID}9" if given else None)


def test_tags_come_out_of_metadata_and_assignments() -> None:
    assert messages.tag_of(b"\0\0\0\0\0\x01\0\x01t\0\0\0\x02r1") == "r1"
    assert messages.tag_of(b"s3/m1#1") == "s3/m1#1"
    assert messages.tag_of(None) == ""


def test_a_join_answer_has_the_recordings_fields() -> None:
    answer = {
        "error": 0,
        "generation": 2,
        "protocol": "range",
        "leader": f"{ID}1",
        "member_id": f"{ID}1",
        "members": [
            {"member_id": f"{ID}2", "group_instance_id": "i2", "metadata": b"b"},
            {"member_id": f"{ID}1", "group_instance_id": None, "metadata": b"a"},
        ],
    }
    labels = {f"{ID}1": "m1#1", f"{ID}2": "m1#2"}
    response = messages.response({"op": "join"}, answer, lambda member: labels[member or ""])
    assert response["leader"] == response["member_id"] == "m1#1"
    assert [(m["member_id"], m["metadata"]) for m in response["members"]] == [("m1#1", "a"), ("m1#2", "b")]
    assert response["error"] == "NONE"
    assert messages.error_name(12345) == "ERROR_12345"
