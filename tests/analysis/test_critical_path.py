"""The critical path of a rebalance, on logs written by hand and on a simulated one."""

from __future__ import annotations

import itertools

from groupsim.analysis.blame.critical_path import critical_paths
from groupsim.analysis.blame.steps import STEPS, Step
from groupsim.events import classic as c
from groupsim.events import client as p
from tests.analysis.log import Log, serving_pair, tps
from tests.analysis.stories import again, cooperative, crash
from tests.analysis.test_blame import slow_batch


def paths(log: Log, generation: int) -> list[Step]:
    return [step for step in critical_paths(log.facts, log.facts[-1].at_ms) if step.generation == generation]


def critical(log: Log, generation: int) -> list[tuple[str | None, str, int, int, int | None]]:
    """The steps that the rebalance waited for, by time."""
    found = [step for step in paths(log, generation) if step.critical]
    return [(s.member, s.step, s.from_ms, s.to_ms, s.saved_ms) for s in sorted(found, key=lambda s: s.from_ms)]


def test_the_last_to_join_and_then_the_leader_are_what_a_rebalance_waits_for() -> None:
    assert critical(slow_batch(), 2) == [
        ("a", "commit", 100, 900, None),
        ("a", "callback", 900, 930, None),
        ("a", "join", 930, 932, 832),
        ("a", "answered", 932, 934, None),
        ("a", "assign", 934, 954, None),
        ("a", "sync", 954, 960, None),
    ]


def test_whoever_has_joined_waits_for_the_others() -> None:
    log = slow_batch()
    assert next((s.step, s.from_ms, s.to_ms) for s in paths(log, 2) if s.member == "b") == ("starting", 100, 932)
    log = serving_pair().client(
        190, p.RejoinRequested(process="a", reason=""), p.RejoinRequested(process="b", reason="")
    )
    log.asks(200, "a").group(201, again("a")).preparing(201, 1, "member-rejoined", "a").asks(300, "b")
    log.group(301, again("b")).completing(301, 2, "a", "b").end(310)
    steps = [(s.member, s.step, s.from_ms, s.to_ms, s.critical) for s in paths(log, 2)]
    assert ("a", "wait", 201, 301, False) in steps
    assert ("b", "poll", 201, 300, True) in steps


def test_saved_is_what_the_second_slowest_leaves() -> None:
    log = serving_pair().preparing(200, 1)
    for at, name in ((250, "a"), (700, "b")):
        log.asks(at - 1, name).group(at, again(name))
    log.completing(700, 2, "a", "b").stored(710, 2, a=tps(0), b=tps(1)).end(720)
    assert critical(log, 2)[1] == ("b", "join", 699, 700, 450)


def test_a_member_removed_while_all_wait_is_critical_to_its_end() -> None:
    log = serving_pair().preparing(200, 1).client(210, p.Crashed(process="b")).asks(220, "a").group(221, again("a"))
    log.group(900, c.MemberRemoved(member="b-id", cause="session-expired")).completing(900, 2, "a")
    log.stored(905, 2, a=tps(0, 1)).end(910)
    assert critical(log, 2)[:2] == [("b", "awaiting-heartbeat", 200, 210, None), ("b", "dead", 210, 900, 679)]


def test_a_brokers_log_names_the_unlogged_member_that_a_rebalance_waited_for() -> None:
    log = Log(source="server.log:1").group(0, c.RebalanceStarted(generation=208, cause="member-joined", reason=""))
    log.added(1, "a", host=False).group(10_020, c.MemberRemoved(member="unlogged", cause="session-expired"))
    log.group(10_030, c.JoinPhaseCompleted(generation=209, size=1)).group(10_040, c.AssignmentStored(generation=209))
    assert critical(log.end(10_050), 209)[0] == ("unlogged", "unknown", 0, 10_030, 10_029)


def test_an_initial_delay_is_a_step_of_nobody_and_saves_all_after_the_last_join() -> None:
    log = Log().start(0, "a").asks(9, "a").added(10, "a")
    log.group(10, c.RebalanceStarted(generation=0, cause="member-joined", reason="", initial=True, member="a-id"))
    log.completing(3010, 1, "a").stored(3020, 1, a=tps(0, 1)).end(3030)
    assert critical(log, 1)[0] == (None, "delay", 10, 3010, 3000)


def test_a_rebalance_that_still_runs_is_open_to_the_end() -> None:
    log = serving_pair().preparing(200, 1).end(500)
    steps = [s for s in critical_paths(log.facts, 500) if s.round == 1]
    assert {s.to_ms for s in steps} == {500}
    assert all(s.generation is None and not s.critical for s in steps)


def test_steps_of_a_member_follow_each_other_without_gaps_and_have_a_meaning() -> None:
    for log in (slow_batch(), cooperative(), crash()):
        lanes: dict[tuple[int, str | None], list[Step]] = {}
        for step in critical_paths(log.facts, log.facts[-1].at_ms):
            assert step.step in STEPS
            lanes.setdefault((step.round, step.member), []).append(step)
        for lane in lanes.values():
            assert all(one.to_ms == two.from_ms for one, two in itertools.pairwise(lane))
