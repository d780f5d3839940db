"""Eager and cooperative rebalances, static members and failover, as sequences of facts."""

from __future__ import annotations

import pytest

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded
from groupsim.events.network import LinkCut, LinkHealed
from groupsim.events.types import Protocol, Subscription
from tests.analysis.log import Log, serving_pair, tps
from tests.analysis.stories import alone, cooperative, eager


def test_an_eager_rebalance_stops_every_partition_from_the_revocation_to_the_position() -> None:
    log = eager()
    assert log.labels(0) == [
        ("OK", 0, 110),
        ("PAUSED_CALLBACK", 110, 115),
        ("WITHHELD", 115, 130),
        ("GRANT_IN_FLIGHT", 130, 140),
        ("RESTORING", 140, 150),
        ("OK", 150, 200),
    ]
    assert {i.cause for i in log.intervals() if i.unavailable} == {"member-joined"}


def test_a_cooperative_rebalance_leaves_kept_partitions_alone_but_for_callbacks() -> None:
    assert cooperative().labels(0) == [("OK", 0, 114), ("PAUSED_CALLBACK", 114, 120), ("OK", 120, 1200)]


def test_a_cooperative_move_is_withheld_from_the_revocation_to_the_second_round() -> None:
    log = cooperative()
    assert log.labels(3) == [
        ("OK", 0, 113),
        ("ZOMBIE_ONLY", 113, 114),
        ("PAUSED_CALLBACK", 114, 120),
        ("WITHHELD", 120, 1123),
        ("GRANT_IN_FLIGHT", 1123, 1124),
        ("RESTORING", 1124, 1126),
        ("OK", 1126, 1200),
    ]
    assert {i.cause for i in log.intervals(3) if i.unavailable} == {"member-joined"}


def test_a_partition_left_out_in_a_settled_group_is_unowned() -> None:
    log = alone(0).shows(10, "a").stored(10, 1, a=()).end(20)
    assert log.labels(0) == [("OK", 0, 10), ("UNOWNED", 10, 20)]


def test_a_partition_of_a_topic_nobody_subscribes_is_unowned_even_while_rebalancing() -> None:
    log = Log(partitions=1).start(0, "a")
    elsewhere = (Protocol("range", Subscription(topics=("payments",))),)
    log.group(0, c.MemberAdded(member="a-id", client_host="a", protocols=elsewhere)).preparing(0, 0).end(5)
    assert log.labels(0) == [("UNOWNED", 0, 5)]


def test_a_kept_partition_stays_available_while_the_group_completes() -> None:
    log = serving_pair().preparing(200, 1).completing(300, 2, "a", "b").end(400)
    assert log.labels(0)[-1] == ("OK", 100, 400)


def test_who_missed_the_join_phase_works_in_vain() -> None:
    log = serving_pair().preparing(200, 1)
    log.group(300, c.JoinPhaseCompleted(generation=2, members=("a-id",), size=1, dropped=("b-id",)))
    log.end(400)
    assert log.labels(1)[-2:] == [("OK", 100, 300), ("ZOMBIE_ONLY", 300, 400)]


@pytest.mark.parametrize(("absent", "label"), [((), "OK"), (("b",), "ZOMBIE_ONLY")])
def test_an_absent_static_member_is_not_in_the_generation(absent: tuple[str, ...], label: str) -> None:
    log = serving_pair().preparing(200, 1).completing(300, 2, "a", "b", absent=absent).end(400)
    assert log.labels(1)[-1][0] == label


def test_a_static_member_takes_over_the_partitions_of_its_dead_self() -> None:
    log = serving_pair().client(200, p.Crashed(process="b")).start(300, "b.1")
    swap = c.MemberReplaced(instance_id="b", old="b-id", member="b.1-id", client_host="b.1")
    log.group(310, swap).client(320, p.SyncOk(process="b.1", member="b.1-id", generation=1))
    log.shows(320, "b.1", 1).fetches(330, "b.1", 1).end(400)
    assert log.labels(1)[4:] == [
        ("OK", 100, 200),
        ("OWNER_DEAD", 200, 310),
        ("GRANT_IN_FLIGHT", 310, 320),
        ("RESTORING", 320, 330),
        ("OK", 330, 400),
    ]


def test_an_unapplied_grant_in_a_stable_group_stays_in_flight_for_ever() -> None:
    log = Log().start(0, "a", "b").added(10, "a", "b").preparing(10, 0).completing(20, 1, "a", "b")
    log.stored(30, 1, a=tps(0), b=tps(1)).syncs(40, 1, "a", "b").shows(50, "a", 0).end(9000)
    assert log.labels(1)[-1] == ("GRANT_IN_FLIGHT", 30, 9000)


@pytest.mark.parametrize("quits", [(), (p.GenerationReset(process="b", reason="r", member_id_too=False),)])
def test_what_its_owner_gives_up_in_a_stable_group_is_withheld(quits: tuple[p.ClientEvent, ...]) -> None:
    """The owner has had this assignment, and takes it no second time; the callback of a loss makes no difference."""
    kind = "lost" if quits else "revoked"
    log = serving_pair().client(200, *quits, p.CallbackStart(process="b", kind=kind, partitions=tps(1)))
    log.shows(200, "b").client(200, p.CallbackEnd(process="b", kind=kind)).end(9000)
    assert log.labels(1)[-1] == ("WITHHELD", 200, 9000)


def test_a_static_member_that_is_parked_will_not_apply_what_its_old_self_was_given() -> None:
    log = serving_pair().client(200, p.Crashed(process="b")).preparing(250, 1).start(300, "b.1")
    swap = c.MemberReplaced(instance_id="b", old="b-id", member="b.1-id", client_host="b.1", request=7)
    log.client(300, p.JoinSent(process="b.1", member="")).group(310, swap).end(400)
    assert log.labels(1)[-1][:2] == ("WITHHELD", 310)


def test_a_failover_between_join_and_sync_takes_the_group_back_and_members_go_on() -> None:
    log = serving_pair().preparing(200, 1).added(200, "n").completing(210, 2, "a", "b", "n")
    log.group(220, CoordinatorUnloaded()).group(260, CoordinatorLoaded()).end(300)
    assert log.labels(0)[-1] == ("OK", 100, 300)


def test_a_coordinator_that_is_away_stops_nobody() -> None:
    log = serving_pair().group(200, CoordinatorUnloaded()).end(300)
    assert log.labels(1)[-1] == ("OK", 100, 300)


def test_a_grant_that_was_never_applied_is_void_once_the_next_generation_begins() -> None:
    log = alone(0).shows(5, "a").asks(5, "a").start(90, "b").added(100, "b").preparing(100, 1)
    log.completing(110, 2, "a", "b").stored(120, 2, a=(), b=tps(0)).preparing(150, 2)
    log.completing(200, 3, "a", "b", absent=("b",)).end(300)
    assert log.labels(0)[-2:] == [("GRANT_IN_FLIGHT", 120, 200), ("WITHHELD", 200, 300)]


def test_what_was_given_up_for_a_rebalance_is_withheld_even_before_the_rejoin_is_sent() -> None:
    log = alone(0).preparing(100, 1).shows(110, "a").asks(150, "a").end(200)
    assert log.labels(0) == [("OK", 0, 110), ("WITHHELD", 110, 200)]


def test_an_absent_static_member_may_commit_again_while_the_next_rebalance_prepares() -> None:
    log = serving_pair().preparing(200, 1).completing(300, 2, "a", "b", absent=("b",))
    log.stored(310, 2, a=tps(0), b=tps(1)).preparing(400, 2).end(500)
    assert log.labels(1)[-3:] == [("OK", 100, 300), ("ZOMBIE_ONLY", 300, 400), ("OK", 400, 500)]


def test_a_cut_that_healed_in_time_is_no_cause_of_what_comes_later() -> None:
    log = serving_pair().network(200, LinkCut(a="a", b="broker")).network(250, LinkHealed(a="a", b="broker"))
    log.preparing(300, 1, "leader-rejoined", "a").client(300, p.Paused(process="b", partitions=tps(1)))
    log.shows(310, "a").end(400)
    assert log.intervals(0)[-1].cause == "leader-rejoined"


def test_a_rebalance_that_names_nobody_is_led_by_the_member_removed_just_before() -> None:
    log = serving_pair().client(200, p.Crashed(process="b"))
    log.group(500, c.MemberRemoved(member="b-id", cause="session-expired")).preparing(500, 1, "session-expired")
    assert log.end(600).intervals(1)[-1].cause == "crash b > session-expired"


def test_the_next_assigned_callback_ends_a_pending_revocation() -> None:
    log = serving_pair().client(200, p.RevocationPending(process="a", partitions=tps(0)))
    log.client(220, p.CallbackStart(process="a", kind="assigned", partitions=()))
    log.client(230, p.CallbackEnd(process="a", kind="assigned")).end(300)
    assert log.labels(0)[-2:] == [("PAUSED_CALLBACK", 200, 230), ("OK", 230, 300)]


def test_a_position_of_something_not_in_the_view_counts_for_nothing() -> None:
    log = serving_pair().fetches(110, "a", 1).shows(120, "b").stored(130, 1, a=tps(0, 1), b=())
    assert log.shows(140, "a", 0, 1).end(200).labels(1)[-1] == ("RESTORING", 140, 200)
