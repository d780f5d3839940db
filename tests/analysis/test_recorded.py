"""Recorded runs, in which much is not reported: what is concluded, what is UNKNOWN, and what is never guessed."""

from __future__ import annotations

import pytest

from groupsim.analysis.availability.labels import SubLabel
from groupsim.analysis.tables.summary import unavailable
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.group import GroupEmptied
from groupsim.events.world import GroupDeclared, TopicCreated
from tests.analysis.log import GROUP, TOPIC, Log, tps

Labels = list[tuple[str, str | None, int, int]]


def recorded(partitions: int = 2) -> Log:
    log = Log(source="x.log:1")
    log.world(0, TopicCreated(topic=TOPIC, partitions=partitions))
    return log.world(0, GroupDeclared(group=GROUP, protocol="classic", topics=(TOPIC,)))


def labels_of(log: Log, number: int) -> Labels:
    return [(i.label, i.sub_label, i.from_ms, i.to_ms) for i in log.intervals(number)]


def generation(log: Log, at_ms: int, number: int, *members: str, size: int | None = None) -> Log:
    """A rebalance as a broker's log has it: no assignment."""
    log.group(at_ms, c.RebalanceStarted(generation=number - 1, cause="member-joined", reason=""))
    ids = tuple(f"{m}-id" for m in members) or None
    log.group(at_ms + 10, c.JoinPhaseCompleted(generation=number, members=ids, size=size or len(members)))
    return log.group(at_ms + 20, c.AssignmentStored(generation=number))


def test_where_only_the_broker_speaks_rebalances_are_unknown_and_a_stable_group_is_taken_as_serving() -> None:
    log = generation(recorded(), 100, 7, size=3)
    log.group(200, c.MemberRemoved(member="m", cause="left"), GroupEmptied(generation=8)).end(300)
    assert labels_of(log, 0) == [
        ("UNKNOWN", SubLabel.NOTHING_YET, 0, 100),
        ("UNKNOWN", "only the broker speaks", 100, 120),
        ("OK", SubLabel.COORDINATOR_ONLY, 120, 200),
        ("UNOWNED", None, 200, 300),
    ]
    figures = unavailable(log.intervals())
    assert (figures["partition_ms"], figures["unknown_ms"]) == (200, 240)


def test_where_only_clients_speak_an_orderly_release_is_withheld_and_the_rest_unknown() -> None:
    log = Log(source="a.log:1").start(0, "a").shows(0, "a", 0, 1).fetches(0, "a", 0, 1)
    log.client(10, p.CallbackStart(process="a", kind="revoked", partitions=tps(0, 1)))
    log.client(12, p.CallbackEnd(process="a", kind="revoked")).shows(12, "a").asks(12, "a")
    log.client(20, p.SyncOk(process="a", member="a-id", generation=2, assignment=tps(0)))
    log.shows(25, "a", 0).fetches(27, "a", 0).end(40)
    assert labels_of(log, 0) == [
        ("OK", SubLabel.CLIENT_ONLY, 0, 10),
        ("PAUSED_CALLBACK", None, 10, 12),
        ("WITHHELD", SubLabel.CLIENT_ONLY, 12, 20),
        ("GRANT_IN_FLIGHT", SubLabel.CLIENT_ONLY, 20, 25),
        ("RESTORING", "position", 25, 27),
        ("OK", SubLabel.CLIENT_ONLY, 27, 40),
    ]
    assert labels_of(log, 1)[-1] == ("UNKNOWN", "only clients speak", 20, 40)


@pytest.mark.parametrize("shown_first", [True, False])
def test_what_a_client_lost_may_be_anywhere(shown_first: bool) -> None:
    log = Log(source="a.log:1").start(0, "a").shows(0, "a", 0).fetches(0, "a", 0)
    log.client(10, p.CallbackStart(process="a", kind="lost", partitions=tps(0)))
    end = p.CallbackEnd(process="a", kind="lost")
    (log.shows(11, "a").client(11, end) if shown_first else log.client(11, end).shows(11, "a")).end(20)
    assert labels_of(log, 0)[-1] == ("UNKNOWN", "only clients speak", 11, 20)


def test_what_was_regained_and_then_lost_is_not_counted_as_given_up() -> None:
    log = Log(source="a.log:1").start(0, "a").shows(0, "a", 0).shows(5, "a").shows(7, "a", 0)
    log.client(10, p.CallbackStart(process="a", kind="lost", partitions=tps(0))).shows(11, "a").end(20)
    assert [(label, at) for label, _, at, _ in labels_of(log, 0)[1:]] == [("WITHHELD", 5), ("OK", 7), ("UNKNOWN", 11)]


def two_clients(second: bool = True) -> Log:
    """Broker and clients; a rebalance in which partition 1 goes from a to b, whose log may be missing."""
    log = recorded().start(0, "a").shows(0, "a", 0, 1).fetches(0, "a", 0, 1)
    generation(log, 10, 1, "a").syncs(31, 1, "a").shows(31, "a", 0, 1)
    log.group(100, c.RebalanceStarted(generation=1, cause="member-joined", reason="", member="b-id"))
    log.added(100, "b", host=False)
    log.client(105, p.CallbackStart(process="a", kind="revoked", partitions=tps(0, 1))).shows(106, "a")
    log.client(106, p.CallbackEnd(process="a", kind="revoked")).asks(106, "a")
    log.group(110, c.JoinPhaseCompleted(generation=2, members=("a-id", "b-id"), size=2))
    log.group(120, c.AssignmentStored(generation=2)).syncs(121, 2, "a").shows(121, "a", 0).fetches(121, "a", 0)
    if second:
        log.start(121, "b").syncs(122, 2, "b").shows(125, "b", 1).fetches(125, "b", 1)
    return log.end(200)


def test_what_a_member_gave_up_may_be_anywhere_after_an_assignment_without_it() -> None:
    log = recorded(1).start(0, "a").shows(0, "a", 0).fetches(0, "a", 0)
    generation(log, 10, 1, "a").syncs(31, 1, "a").shows(31, "a", 0)
    log.group(100, c.RebalanceStarted(generation=1, cause="member-joined", reason="", member="b-id"))
    log.added(100, "b", host=False)
    log.client(105, p.CallbackStart(process="a", kind="revoked", partitions=tps(0))).shows(106, "a")
    log.client(106, p.CallbackEnd(process="a", kind="revoked")).asks(106, "a")
    log.group(110, c.MemberRemoved(member="a-id", cause="session-expired"))
    log.group(110, c.JoinPhaseCompleted(generation=2, members=("b-id",), size=1), c.AssignmentStored(generation=2))
    log.group(150, c.RebalanceStarted(generation=2, cause="member-joined", reason="", member="c-id")).end(200)
    assert labels_of(log, 0)[-3:] == [
        ("WITHHELD", None, 106, 110),
        ("OK", SubLabel.COORDINATOR_ONLY, 110, 150),
        ("UNKNOWN", SubLabel.NO_LOG, 150, 200),
    ]


def test_where_every_member_has_a_log_labels_are_those_of_a_simulated_run() -> None:
    assert labels_of(two_clients(), 1)[-4:] == [
        ("PAUSED_CALLBACK", None, 105, 106),
        ("WITHHELD", None, 106, 120),
        ("GRANT_IN_FLIGHT", SubLabel.CLIENT_ONLY, 120, 125),
        ("OK", None, 125, 200),
    ]


def test_a_member_without_a_log_is_taken_as_serving_while_its_group_is_stable() -> None:
    assert labels_of(two_clients(second=False), 1)[-2:] == [
        ("WITHHELD", None, 106, 120),
        ("OK", SubLabel.COORDINATOR_ONLY, 120, 200),
    ]


def test_a_log_that_never_tells_positions_or_callback_ends_is_not_held_against_its_client() -> None:
    log = recorded(1).start(0, "a").shows(0, "a", 0)
    log.client(5, p.CallbackStart(process="a", kind="assigned", partitions=tps(0))).end(10)
    assert labels_of(log, 0) == [("OK", SubLabel.CLIENT_ONLY, 0, 10)]


def test_the_coordinator_can_remove_a_client_that_does_not_know_it() -> None:
    log = two_clients()
    log.facts.pop()
    log.group(150, c.MemberRemoved(member="b-id", cause="session-expired")).end(200)
    assert labels_of(log, 1)[-1] == ("ZOMBIE_ONLY", None, 150, 200)


def test_a_dead_client_is_dead_by_what_it_had_shown() -> None:
    log = two_clients()
    log.facts.pop()
    log.client(150, p.Crashed(process="b")).end(200)
    assert labels_of(log, 1)[-1] == ("OWNER_DEAD", None, 150, 200)


def test_a_group_never_declared_counts_what_it_was_seen_with_from_its_first_fact() -> None:
    log = Log(source="a.log:1").start(7, "a").shows(9, "a", 3).end(20)
    assert [(i.partition, i.from_ms) for i in log.intervals()] == [(3, 7), (3, 9)]
