"""Rebalances read from the log, on logs written by hand."""

from __future__ import annotations

from groupsim.analysis.timelines.builder import rebalances
from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.group import CoordinatorLoaded, GroupEmptied
from tests.analysis.log import GROUP, Log, serving_pair, tps
from tests.analysis.stories import alone, cooperative, crash, eager


def rows(log: Log) -> list[Rebalance]:
    return rebalances(log.facts)


def columns(row: Rebalance) -> tuple[object, ...]:
    """A row of the table, but for its duration."""
    times = (row.started_ms, row.ended_ms)
    return (
        row.group,
        row.generation,
        row.cause,
        *times,
        row.members,
        row.moved,
        row.revoked,
        row.rounds,
        row.slowest_member,
    )


def test_a_rebalance_is_a_list_of_named_phases_with_the_member_that_each_waited_for() -> None:
    first, second = rows(eager())
    assert [(p.name, p.from_ms, p.to_ms, p.ended_by, p.waited_for) for p in second.phases] == [
        ("joining", 100, 120, "join", "a"),
        ("completing", 120, 130, "stored", "a"),
    ]
    given_up, _ = rows(alone(0).preparing(100, 1).preparing(150, 1))[1:]
    assert [(p.name, p.to_ms, p.ended_by, p.waited_for) for p in given_up.phases] == [("joining", 150, None, None)]
    assert first.phases[0].ended_by == "join"


def test_an_eager_rebalance_moves_and_revokes_at_once() -> None:
    first, second = rows(eager())
    assert first.generation == 1
    assert columns(second) == (GROUP, 2, "member-joined", 100, 130, 2, 1, 1, 1, "a")
    assert second.duration_ms == 30


def test_a_cooperative_rebalance_revokes_in_round_one_and_moves_in_round_two() -> None:
    _, one, two = rows(cooperative())
    assert (one.generation, one.moved, one.revoked, one.rounds) == (2, 0, 2, 1)
    assert (two.generation, two.moved, two.revoked, two.rounds) == (3, 2, 0, 2)
    assert (two.cause, two.slowest_member) == ("member-rejoined", "b")


def test_a_rejoin_of_somebody_who_lost_nothing_is_no_follow_up() -> None:
    assert rows(eager().preparing(300, 2, "member-rejoined", "b"))[-1].rounds == 1
    assert rows(eager().preparing(300, 2, "member-rejoined"))[-1].rounds == 1


def test_partitions_of_the_dead_are_revoked_and_moved() -> None:
    row = rows(crash())[-1]
    assert (row.cause, row.members, row.moved, row.revoked) == ("session-expired", 1, 1, 1)


def test_a_slow_leader_is_the_slowest_where_the_sync_phase_was_longer() -> None:
    log = alone(0).start(90, "b").added(100, "b").preparing(100, 1, "member-joined", "b")
    log.completing(110, 2, "a", "b").stored(900, 2, a=tps(0), b=())
    assert rows(log)[-1].slowest_member == "a"


def test_whoever_was_dropped_is_the_slowest() -> None:
    log = serving_pair().preparing(200, 1)
    done = c.JoinPhaseCompleted(generation=2, members=("a-id",), size=1, dropped=("b-id",), leader="a-id")
    log.group(300, done).stored(301, 2, a=tps(0, 1))
    assert rows(log)[-1].slowest_member == "b"


def test_a_superseded_rebalance_ends_where_the_next_begins_and_moves_nothing() -> None:
    log = alone(0).preparing(100, 1).completing(110, 2, "a").preparing(150, 2, "member-joined")
    _, superseded, running = rows(log)
    assert (superseded.generation, superseded.ended_ms, superseded.moved) == (2, 150, 0)
    assert (running.generation, running.ended_ms, running.duration_ms) == (None, None, None)


def test_a_failover_forgets_a_running_rebalance() -> None:
    log = alone(0).preparing(100, 1).completing(110, 2, "a").group(150, CoordinatorLoaded())
    row = rows(log)[-1]
    assert (row.generation, row.ended_ms, row.moved) == (None, 150, 0)


def test_the_last_one_out_leaves_an_empty_group() -> None:
    log = alone(0).group(50, c.MemberRemoved(member="a-id", cause="left")).preparing(50, 1, "member-left", "a")
    row = rows(log.group(50, GroupEmptied(generation=2)))[-1]
    assert (row.generation, row.members, row.revoked, row.duration_ms) == (2, 0, 1, 0)


def test_a_static_swap_moves_nothing() -> None:
    swap = c.MemberReplaced(instance_id="b", old="b-id", member="b2-id")
    log = serving_pair().group(200, swap).preparing(300, 1, "member-joined")
    log.group(310, c.AssignmentStored(generation=2, assignment={"a-id": tps(0), "b2-id": tps(1)}))
    assert (rows(log)[-1].moved, rows(log)[-1].revoked) == (0, 0)


def test_a_brokers_log_tells_no_moves() -> None:
    log = Log(source="server.log:1")
    log.group(5, c.RebalanceStarted(generation=12, cause="unknown", reason="?"))
    log.group(25, c.JoinPhaseCompleted(generation=13, size=5)).group(30, c.AssignmentStored(generation=13))
    assert [columns(row) for row in rows(log)] == [(GROUP, 13, "unknown", 5, 30, 5, None, None, 1, None)]


def test_moves_are_unknown_where_the_assignment_before_is() -> None:
    log = Log(source="a.log:1").group(0, c.RebalanceStarted(generation=4, cause="unknown", reason=""))
    log.stored(5, 5, a=tps(0)).preparing(7, 5).stored(9, 6, a=(), b=tps(0))
    assert [(r.moved, r.revoked) for r in rows(log)] == [(None, None), (1, 1)]


def test_clients_alone_tell_when_they_asked_and_when_they_synced() -> None:
    log = Log(source="c.log:1").asks(10, "a").syncs(14, 2, "a")
    log.client(20, p.JoinSent(process="a", member="a-id"), p.JoinOk(process="a", member="a-id", generation=3))
    assert [(r.generation, r.started_ms, r.ended_ms) for r in rows(log)] == [(2, 10, 14), (3, 20, None)]


def test_a_size_that_no_log_tells_is_missing_and_not_nought() -> None:
    log = Log(source="c.log:1").group(5, c.RebalanceStarted(generation=1, cause="unknown", reason=""))
    log.group(9, c.JoinPhaseCompleted(generation=2, size=0)).group(10, c.AssignmentStored(generation=2)).end(20)
    assert rows(log)[0].members is None


def joined_by_three(*, logs: tuple[str, ...]) -> Log:
    """c joins a and b; its MemberAdded is all the broker's log has; b's own log says that it came last."""
    log = Log(source="x.log:1").added(0, "a", "b").preparing(0, 0).completing(1, 1, "a", "b").stored(2, 1, a=tps(0))
    log.start(2, *logs).syncs(3, 1, *[x for x in logs if x != "c"]).asks(100, "c").added(101, "c")
    log.preparing(101, 1, "member-joined", "c").asks(150, "a").asks(900, *[x for x in ("b",) if x in logs])
    return log.completing(901, 2, "a", "b", "c").stored(905, 2, a=tps(0)).end(910)


def test_a_recorded_rebalances_slowest_member_is_the_last_to_ask_by_the_clients_logs() -> None:
    assert rows(joined_by_three(logs=("a", "b", "c")))[-1].slowest_member == "b"


def test_the_slowest_member_is_unknown_where_a_members_log_is_missing() -> None:
    assert rows(joined_by_three(logs=("a", "c")))[-1].slowest_member is None


def test_an_absent_static_member_is_the_slowest() -> None:
    log = serving_pair().preparing(200, 1).completing(900, 2, "a", absent=("b",)).stored(901, 2, a=tps(0), b=tps(1))
    assert rows(log.end(910))[-1].slowest_member == "b"
