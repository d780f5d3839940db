"""Why a partition was unavailable, on logs written by hand: phase, member waited for, what decides the length."""

from __future__ import annotations

import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.blame.blame import Blame, blame
from groupsim.analysis.blame.phases import PHASES
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupEmptied
from groupsim.events.network import LinkCut, LinkHealed
from tests.analysis.log import GROUP, Log, serving_pair, tps
from tests.analysis.stories import again, alone, cooperative, crash

Reasons = list[tuple[str, str | None, str | None, int, int]]


def pieces(log: Log, number: int, since: int = 0) -> list[Blame]:
    """The pieces of one partition."""
    found = blame(log.facts, intervals(log.facts))
    return [piece for piece in found if piece.partition == number and piece.from_ms >= since]


def reasons(log: Log, number: int, since: int = 0) -> Reasons:
    """Phase, member, configuration, from, to."""
    return [(x.phase, x.member, x.configuration, x.from_ms, x.to_ms) for x in pieces(log, number, since)]


def slow_batch() -> Log:
    """b joins at 100; a learns of it at 150, polls at 900 only, runs a callback of 30 ms; all of it stops."""
    log = alone(0, 1).start(90, "b").added(100, "b").preparing(100, 1, "member-joined", "b")
    log.client(100, p.RevocationPending(process="a", partitions=tps(0, 1)))
    log.client(150, p.RejoinRequested(process="a", reason="group is already rebalancing"))
    log.client(900, p.CallbackStart(process="a", kind="revoked", partitions=tps(0, 1)))
    log.client(930, p.CallbackEnd(process="a", kind="revoked")).shows(930, "a").asks(930, "a")
    log.group(932, again("a")).completing(932, 2, "a", "b")
    log.client(934, p.JoinOk(process="a", member="a-id", generation=2, leader=True))
    log.client(954, p.AssignorRan(process="a", generation=2, duration_ms=20))
    log.client(954, p.SyncSent(process="a", member="a-id", generation=2))
    log.stored(960, 2, a=tps(0), b=tps(1)).client(962, p.SyncOk(process="a", member="a-id", generation=2))
    log.client(980, p.CallbackStart(process="a", kind="assigned", partitions=tps(0))).shows(980, "a", 0)
    return log.client(985, p.CallbackEnd(process="a", kind="assigned")).fetches(990, "a", 0).end(1000)


def test_a_slow_members_time_is_split_by_what_it_did() -> None:
    assert reasons(slow_batch(), 0, since=100) == [
        ("revoking", "a", "commit", 100, 900),
        ("revoking", "a", "callback", 900, 930),
        ("joining", "a", "network", 930, 932),
        ("assigning", "a", "network", 932, 934),
        ("assigning", "a", "assignor", 934, 954),
        ("syncing", "a", "network", 954, 960),
        ("granting", "a", "network", 960, 962),
        ("granting", "a", "poll gap", 962, 980),
        ("accepting", "a", "callback", 980, 985),
        ("positioning", "a", "network", 985, 990),
    ]


def test_a_chain_goes_from_the_cause_over_the_rebalance_to_whoever_is_waited_for() -> None:
    chains = [piece.chain for piece in pieces(slow_batch(), 0, since=930)]
    assert chains[0] == "member-joined > rebalance 2 > network of a > joining"
    assert chains[2] == "member-joined > rebalance 2 > assignor of a > assigning"
    assert {piece.rebalance for piece in pieces(slow_batch(), 0, since=100)} == {2}


def test_a_dead_owner_waits_for_its_session_and_the_time_counts_with_the_rebalance_it_led_to() -> None:
    dead, *rest = pieces(crash(), 1, since=200)
    assert (dead.phase, dead.member, dead.configuration, dead.rebalance) == ("detecting", "b", "session.timeout.ms", 2)
    assert dead.chain == "crash b > session.timeout.ms of b > detecting"
    assert rest[0].chain.startswith("crash b > session-expired > rebalance 2 > ")


def test_a_static_member_that_comes_back_in_time_was_away() -> None:
    log = serving_pair().client(200, p.Crashed(process="b")).start(400, "b2")
    swap = c.MemberReplaced(instance_id="b", old="b-id", member="b2-id", client_host="b2")
    assert reasons(log.group(450, swap).end(500), 1, since=200)[0] == ("away", "b", "group.instance.id", 200, 450)


def test_an_initial_delay_is_nobodys_doing() -> None:
    log = Log().start(0, "a").added(10, "a")
    log.group(10, c.RebalanceStarted(generation=0, cause="member-joined", reason="", initial=True, member="a-id"))
    log.completing(3010, 1, "a").stored(3020, 1, a=tps(0, 1)).end(3030)
    assert reasons(log, 0)[:2] == [
        ("empty", None, None, 0, 10),
        ("joining", None, "group.initial.rebalance.delay.ms", 10, 3010),
    ]


def test_whoever_is_dropped_cost_the_whole_rebalance_timeout() -> None:
    log = serving_pair().preparing(200, 1).client(210, p.ViewChanged(process="a", partitions=())).asks(210, "a")
    log.group(211, again("a"))
    done = c.JoinPhaseCompleted(generation=2, members=("a-id",), size=1, dropped=("b-id",), leader="a-id")
    log.group(800, c.MemberRemoved(member="b-id", cause="join-timeout"), done).stored(801, 2, a=tps(0, 1)).end(900)
    assert ("joining", "b", "max.poll.interval.ms", 210, 800) in reasons(log, 0, since=200)


def test_what_is_left_out_of_round_one_waits_for_the_follow_up_and_then_for_the_last_to_join() -> None:
    found = pieces(cooperative(), 2, since=100)
    withheld = [x for x in found if x.label == "WITHHELD"]
    assert [(x.phase, x.member, x.rebalance, x.from_ms, x.to_ms) for x in withheld] == [
        ("withheld", "a", 2, 120, 121),
        ("joining", "b", 3, 121, 1121),
        ("assigning", "a", 3, 1121, 1123),
    ]
    assert withheld[1].chain == "member-joined > rebalance 2 > follow-up rebalance 3 > poll gap of b > joining"


def test_a_frozen_owner_stalls_unless_its_session_ends_it() -> None:
    thaws = serving_pair().client(200, p.Frozen(process="b")).client(300, p.Thawed(process="b")).end(400)
    assert reasons(thaws, 1, since=200) == [("stalled", "b", "freeze", 200, 300)]
    expires = serving_pair().client(200, p.Frozen(process="b"))
    expires.group(300, c.MemberRemoved(member="b-id", cause="session-expired")).preparing(
        300, 1, "session-expired", "b"
    )
    assert reasons(expires.end(400), 1, since=200)[0] == ("detecting", "b", "session.timeout.ms", 200, 300)


def test_a_cut_from_the_data_is_the_networks() -> None:
    log = serving_pair().network(200, LinkCut(a="b", b="data")).network(300, LinkHealed(a="b", b="data")).end(400)
    assert reasons(log, 1, since=200) == [("stalled", "b", "network", 200, 300)]


def test_without_a_coordinator_nothing_goes_on() -> None:
    log = alone(0).preparing(100, 1).shows(105, "a").asks(105, "a").group(110, CoordinatorUnloaded())
    log.group(150, CoordinatorLoaded()).end(200)
    assert ("failover", None, None, 110, 150) in reasons(log, 0, since=100)


def test_an_empty_group_and_a_topic_nobody_wants_are_nobodys_doing() -> None:
    log = alone(0).client(50, p.Closed(process="a")).group(50, c.MemberRemoved(member="a-id", cause="left"))
    log.preparing(50, 1, "member-left", "a").group(50, GroupEmptied(generation=2)).end(90)
    assert reasons(log, 0, since=50) == [("empty", None, None, 50, 90)]
    orphaned = alone(0).shows(40, "a").stored(40, 1, a=()).end(60)
    assert reasons(orphaned, 0, since=40) == [("unassigned", None, None, 40, 60)]


def test_a_member_without_a_log_is_named_and_its_activity_is_unknown() -> None:
    log = Log(source="x.log:1").start(0, "a").shows(0, "a", 0).fetches(0, "a", 0)
    log.group(10, c.RebalanceStarted(generation=1, cause="member-joined", reason="")).added(10, "b", host=False)
    log.client(12, p.CallbackStart(process="a", kind="revoked", partitions=tps(0))).shows(14, "a")
    log.client(14, p.CallbackEnd(process="a", kind="revoked")).end(50)
    (waits,) = [x for x in pieces(log, 0) if x.phase == "joining"]
    assert (waits.member, waits.configuration, waits.label) == (None, None, "WITHHELD")
    assert waits.group == GROUP


def test_a_recorded_member_that_never_tells_when_it_heard_is_not_said_to_wait_for_a_heartbeat() -> None:
    log = Log(source="x.log:1").start(0, "a", "b").added(0, "a", "b").asks(0, "a", "b").preparing(0, 0)
    log.completing(1, 1, "a", "b").stored(2, 1, a=tps(0), b=tps(1)).syncs(3, 1, "a", "b").shows(3, "a", 0)
    log.shows(3, "b", 1).preparing(100, 1).shows(101, "a").asks(101, "a").asks(150, "b")
    log.completing(151, 2, "a", "b").stored(152, 2, a=tps(0), b=tps(1)).end(160)
    waits = [x for x in pieces(log, 0, since=100) if x.phase == "joining"]
    assert [(x.member, x.configuration, x.from_ms, x.to_ms) for x in waits] == [
        ("b", None, 101, 150),
        ("b", "network", 150, 151),
    ]


def test_where_only_clients_speak_the_phase_is_what_the_giver_is_doing_and_nobody_is_named() -> None:
    log = Log(source="a.log:1").start(0, "a").shows(0, "a", 0).fetches(0, "a", 0).shows(10, "a").asks(20, "a")
    log.client(30, p.JoinOk(process="a", member="a-id", generation=2))
    log.client(40, p.SyncSent(process="a", member="a-id", generation=2))
    log.client(50, p.SyncOk(process="a", member="a-id", generation=2, assignment=())).end(60)
    assert reasons(log, 0) == [
        ("unknown", None, None, 10, 20),
        ("joining", None, None, 20, 30),
        ("assigning", None, None, 30, 40),
        ("syncing", None, None, 40, 50),
    ]


def test_an_empty_group_whose_member_has_not_polled_waits_for_its_poll() -> None:
    log = alone(0).client(50, p.PollExpired(process="a")).group(51, c.MemberRemoved(member="a-id", cause="left"))
    log.preparing(51, 1, "member-left", "a").group(51, GroupEmptied(generation=2)).end(90)
    assert reasons(log, 0, since=51) == [("empty", "a", "poll gap", 51, 90)]


@pytest.mark.parametrize("log", [crash(), cooperative(), slow_batch(), serving_pair().end(200)])
def test_every_piece_has_a_phase_with_a_meaning_and_the_last_link_of_the_chain_is_it(log: Log) -> None:
    for piece in blame(log.facts, intervals(log.facts)):
        assert piece.phase in PHASES
        assert piece.chain.split(" > ")[-1] == piece.phase
