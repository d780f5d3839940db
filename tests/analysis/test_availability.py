"""Labels (docs/model/availability.md) on hand-written logs: one process's troubles, and the order of the rules."""

from __future__ import annotations

import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.group import GroupEmptied
from groupsim.events.network import LinkCut, LinkHealed
from groupsim.events.world import PartitionsAdded
from tests.analysis.log import Log, serving_pair, tps
from tests.analysis.stories import crash


def test_an_empty_run_has_no_intervals() -> None:
    assert Log(partitions=0).end(10).intervals() == []


def test_a_first_assignment_is_unowned_then_withheld_then_in_flight_then_looked_up() -> None:
    log = serving_pair().end(200)
    assert log.labels(0) == [
        ("UNOWNED", 0, 10),
        ("WITHHELD", 10, 30),
        ("GRANT_IN_FLIGHT", 30, 50),
        ("RESTORING", 50, 100),
        ("OK", 100, 200),
    ]
    assert {i.cause for i in log.intervals(0) if i.unavailable} == {"start"}
    looked_up = log.intervals(0)[3]
    assert (looked_up.sub_label, looked_up.member) == ("position", "a")


def test_a_crashed_owner_is_dead_until_the_session_expires_and_named_as_cause() -> None:
    log = crash()
    assert log.labels(1)[4:] == [
        ("OK", 100, 200),
        ("OWNER_DEAD", 200, 500),
        ("WITHHELD", 500, 520),
        ("GRANT_IN_FLIGHT", 520, 530),
        ("OK", 530, 600),
    ]
    by_label = {i.label: i for i in log.intervals(1)[5:]}
    assert by_label["OWNER_DEAD"].cause == "crash b"
    assert by_label["OWNER_DEAD"].member == "b"
    assert by_label["WITHHELD"].cause == "crash b > session-expired"
    assert log.labels(0)[-1] == ("OK", 100, 600)


def test_a_frozen_owner_is_stalled_and_serves_again_when_thawed() -> None:
    log = serving_pair().client(200, p.Frozen(process="b")).client(300, p.Thawed(process="b")).end(400)
    assert log.labels(1)[4:] == [("OK", 100, 200), ("OWNER_STALLED", 200, 300), ("OK", 300, 400)]


def test_a_callback_pauses_every_partition_of_its_process() -> None:
    log = Log(partitions=2).start(0, "a").added(0, "a").preparing(0, 0).completing(0, 1, "a")
    log.stored(0, 1, a=tps(0, 1)).syncs(0, 1, "a").shows(0, "a", 0, 1).fetches(0, "a", 0, 1)
    log.client(10, p.CallbackStart(process="a", kind="revoked", partitions=tps(1)))
    log.client(30, p.CallbackEnd(process="a", kind="revoked")).end(50)
    for number in (0, 1):
        assert log.labels(number) == [("OK", 0, 10), ("PAUSED_CALLBACK", 10, 30), ("OK", 30, 50)]


def test_partitions_pending_revocation_are_paused_until_the_view_drops_them() -> None:
    log = serving_pair().client(200, p.RevocationPending(process="a", partitions=tps(0)))
    log.shows(250, "a").end(300)
    assert log.labels(0)[4:] == [
        ("OK", 100, 200),
        ("PAUSED_CALLBACK", 200, 250),
        ("WITHHELD", 250, 300),
    ]


def test_restoring_state_and_missing_position_differ_in_the_sub_label() -> None:
    log = serving_pair().client(200, p.RestoreStart(process="a", partitions=tps(0)))
    log.client(260, p.RestoreEnd(process="a", partitions=tps(0))).end(300)
    restoring = [i for i in log.intervals(0) if i.label == "RESTORING"]
    assert [(i.sub_label, i.from_ms, i.to_ms) for i in restoring] == [
        ("position", 50, 100),
        (None, 200, 260),
    ]


def test_a_paused_partition_is_the_applications_doing() -> None:
    log = serving_pair().client(200, p.Paused(process="a", partitions=tps(0)))
    log.client(220, p.Resumed(process="a", partitions=tps(0))).end(300)
    assert log.labels(0)[4:] == [("OK", 100, 200), ("PAUSED_APP", 200, 220), ("OK", 220, 300)]


@pytest.mark.parametrize(
    ("worse", "label"),
    [
        ((p.CallbackStart(process="a", kind="assigned", partitions=()),), "PAUSED_CALLBACK"),
        ((p.RestoreStart(process="a", partitions=tps(0)),), "OWNER_STALLED"),
        ((p.Paused(process="a", partitions=tps(0)),), "PAUSED_APP"),
        ((p.Crashed(process="a"),), "OWNER_DEAD"),
    ],
)
def test_of_two_troubles_of_a_frozen_owner_the_first_label_in_order_wins(
    worse: tuple[p.ClientEvent, ...], label: str
) -> None:
    log = serving_pair().client(200, p.Frozen(process="a"), *worse).end(300)
    assert log.labels(0)[-1] == (label, 200, 300)


def test_a_restoring_partition_that_is_paused_too_is_not_only_restoring() -> None:
    both = (p.RestoreStart(process="a", partitions=tps(0)), p.Paused(process="a", partitions=tps(0)))
    assert serving_pair().client(200, *both).end(300).labels(0)[-1] == ("PAUSED_APP", 200, 300)


def test_a_cut_from_the_coordinator_stops_nothing_and_a_cut_from_the_data_does() -> None:
    log = serving_pair().network(200, LinkCut(a="a", b="broker"), LinkCut(a="data", b="b"))
    log.network(300, LinkHealed(a="data", b="b")).end(400)
    assert log.labels(0)[-1] == ("OK", 100, 400)
    stalled = log.intervals(1)[-2]
    assert (stalled.label, stalled.sub_label, stalled.from_ms, stalled.to_ms) == (
        "OWNER_STALLED",
        "data-cut",
        200,
        300,
    )


def test_a_zombie_serves_alone_then_beside_the_new_owner() -> None:
    log = serving_pair().network(200, LinkCut(a="b", b="broker"))
    log.group(300, c.MemberRemoved(member="b-id", cause="session-expired"))
    log.preparing(300, 1, "session-expired").completing(310, 2, "a").stored(320, 2, a=tps(0, 1))
    log.shows(330, "a", 0, 1).fetches(340, "a", 0, 1)
    log.network(400, LinkHealed(a="b", b="broker"))
    log.client(410, p.GenerationReset(process="b", reason="UNKNOWN_MEMBER_ID", member_id_too=True))
    log.shows(420, "b").end(500)
    assert log.labels(1)[4:] == [
        ("OK", 100, 300),
        ("ZOMBIE_ONLY", 300, 340),
        ("DOUBLE", 340, 420),
        ("OK", 420, 500),
    ]
    zombie, double = [i for i in log.intervals(1) if i.label in ("ZOMBIE_ONLY", "DOUBLE")]
    assert (zombie.member, zombie.cause) == ("b", "cut b")
    assert (double.sub_label, double.member, double.cause) == ("zombie+owner", "a", "cut b")
    assert double.available
    assert not zombie.available


def test_two_claimants_that_may_both_commit_are_called_so() -> None:
    log = serving_pair().stored(200, 1, a=tps(0, 1), b=tps(1)).shows(200, "a", 0, 1)
    log.fetches(200, "a", 1).end(300)
    last = log.intervals(1)[-1]
    assert (last.label, last.sub_label, last.available) == ("DOUBLE", "both-entitled", True)


def test_two_claimants_without_a_right_are_double_and_unavailable() -> None:
    log = serving_pair().shows(200, "a", 0, 1).fetches(200, "a", 0, 1)
    log.group(210, c.MemberRemoved(member="b-id", cause="left")).end(300)
    last = log.intervals(1)[-1]
    assert (last.label, last.sub_label, last.unavailable) == ("DOUBLE", "none-entitled", True)


def test_a_process_past_its_poll_interval_works_in_vain_even_while_the_coordinator_keeps_it() -> None:
    log = serving_pair().client(200, p.PollExpired(process="b")).end(300)
    assert log.labels(1)[-1] == ("ZOMBIE_ONLY", 200, 300)
    assert log.intervals(1)[-1].cause == "poll-expired b"


def test_a_group_without_members_owns_nothing() -> None:
    log = serving_pair().client(200, p.CloseStarted(process="a"), p.CloseStarted(process="b"))
    log.shows(200, "a").shows(200, "b")
    log.group(
        201,
        c.MemberRemoved(member="a-id", cause="left"),
        c.MemberRemoved(member="b-id", cause="left"),
        c.RebalanceStarted(generation=1, cause="member-left", reason="", member="b-id"),
        GroupEmptied(generation=2),
    ).end(300)
    assert log.labels(0)[4:] == [("OK", 100, 200), ("WITHHELD", 200, 201), ("UNOWNED", 201, 300)]
    assert log.intervals(0)[-1].cause == "close b > member-left"


def test_new_partitions_count_from_their_birth_and_are_unowned_until_a_rebalance() -> None:
    log = serving_pair().world(200, PartitionsAdded(topic="orders", partitions=3)).preparing(300, 1).end(400)
    assert log.labels(2) == [("UNOWNED", 200, 300), ("WITHHELD", 300, 400)]


def test_until_ms_ends_the_story_earlier() -> None:
    log = serving_pair().client(200, p.Crashed(process="b")).end(300)
    early = [i for i in intervals(log.facts, until_ms=250) if i.partition == 1]
    assert [(i.label, i.from_ms, i.to_ms) for i in early[-2:]] == [("OK", 100, 200), ("OWNER_DEAD", 200, 250)]
    assert intervals(log.facts, until_ms=900) == log.intervals()
