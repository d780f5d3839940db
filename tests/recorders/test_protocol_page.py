"""docs/protocol.md is what the machine says today."""

from __future__ import annotations

from recorders.page import member_states, share_states, streams_states
from recorders.page.protocol_page import PAGE, REQUESTS, STATES, ask, cell, page


def test_the_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m recorders.page.protocol_page"


def test_the_columns_are_the_states_they_are_called() -> None:
    for name, build in STATES.items():
        group = build()
        expected = "Empty" if name == "no group" else name.removesuffix(", initial")
        assert group.phase.value == expected
        assert group.exists == (name != "no group")


def test_a_member_of_a_consumer_group_is_in_the_state_of_its_column() -> None:
    members = {name: build().member for name, build in member_states.COLUMNS.items()}
    states = {name: (m.state.value, m.epoch) for name, m in members.items() if m is not None}
    assert states == {
        "STABLE": ("stable", 3),
        "Behind": ("stable", 2),
        "UNREVOKED": ("unrevoked-partitions", 2),
        "UNRELEASED": ("unreleased-partitions", 3),
        "Away": ("stable", -2),
    }


def test_cells_of_members_say_what_the_broker_says() -> None:
    """Each is in a recorded script of Kafka 4.4 (A.ack-none-left, A.leaver-frees, A.static-rejoin-same-id-living)."""
    assert member_states.cell("UNREVOKED", "heartbeat that owns what it may use") == "stable 3, 2; Reconciling"
    assert member_states.cell("STABLE", "leave (epoch −1)") == "gone; Assigning 4"
    assert member_states.cell("STABLE", "join (epoch 0) with its id") == "UNRELEASED_INSTANCE_ID"
    assert member_states.cell("Away", "join (epoch 0) with its id") == "stable 3, 2; Stable"


def test_cells_say_what_the_broker_says() -> None:
    assert cell(*ask("CompletingRebalance", "SyncGroup, leader")) == "ok: assignment → Stable"
    assert cell(*ask("Stable", "JoinGroup, static member restarted")) == "ok: generation"
    assert cell(*ask("PreparingRebalance, initial", "JoinGroup, static member restarted")) == "park"
    assert len({cell(*ask(state, request)) for state in STATES for request in REQUESTS}) > 10


def test_cells_of_share_groups_say_what_the_broker_says() -> None:
    """Each is in a recorded script of Kafka 4.4 (A.join-first, A.leave, A.alter-fresh, A.share-at-simple)."""
    assert streams_states.cell("UNREVOKED", "heartbeat with the tasks that it runs") == "stable 3, 2; Reconciling"
    assert streams_states.cell("Away", "join (epoch 0) with its id") == "stable 2, 4; Stable"
    assert streams_states.cell("STABLE", "join with another topology") == "INVALID_REQUEST"
    assert share_states.cell("no group", "join (epoch 0)") == "2, 0; Stable 2"
    assert share_states.cell("Stable", "leave (epoch −1)") == "no `m1`; Stable 5"
    assert share_states.cell("no group", "AlterShareGroupOffsets") == "no `m1`; Empty 1"
    assert share_states.cell("Empty", "DeleteGroups") == "no group"
    assert share_states.meets("ShareGroupHeartbeat", "offsets only") == "GROUP_ID_NOT_FOUND"
    assert share_states.meets("JoinGroup", "ShareGroupHeartbeat, empty") == "INCONSISTENT_GROUP_PROTOCOL"
