"""Programs of members: poll gaps from late reactions, the way they commit, and what a what-if plays."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from msgspec import structs

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Event, Recorded, group_stream, process_stream
from groupsim.events.types import RejoinCause, TopicPartition
from groupsim.replay.even_sequences import EvenDraws
from groupsim.replay.member_program import application, settings
from groupsim.replay.reconstruct.applications.callbacks import Callback, Listener, listener, listeners
from groupsim.replay.reconstruct.applications.commit_style import UNKNOWN, commits_itself
from groupsim.replay.reconstruct.applications.poll_gap import Gaps, poll_gaps
from groupsim.replay.reconstruct.applications.polls import Polls, PollWait, polls_of
from groupsim.replay.reconstruct.applications.program import Program
from groupsim.replay.reconstruct.applications.programs import drawn_programs, program_notes, waits_for_slowest
from groupsim.replay.reconstruct.incarnation import Incarnation, Stall, StallKind
from groupsim.replay.reconstruct.incident import reconstruct
from groupsim.replay.reconstruct.inferred_settings.append_linger import writes_ms
from groupsim.replay.reconstruct.members import Member
from groupsim.replay.reconstruct.rebalances import Generation
from groupsim.simulation.clients.config import Application, CallbackTime
from groupsim.simulation.clients.process import Script
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore
from tests.incidents.inferred_programs import compared

GROUP, PROCESS = "billing", "m1.0"
OWNED = (TopicPartition("orders", 0),)
AT_ONCE = PollWait(0, 20_000, 20_003)


def wait(since_ms: int, wait_ms: int) -> PollWait:
    """A rebalance that was noticed so long after a poll, and so long after it could have been."""
    return PollWait(100_000, 100_000 + since_ms - wait_ms, 100_000 + since_ms)


def gaps_of(*waits: PollWait, others: Sequence[Sequence[PollWait]] = ()) -> Gaps:
    return poll_gaps(dict(enumerate([waits, *others])))[0]


def test_drawn_programs_are_read_from_written_logs() -> None:
    found = list(compared(range(60)))
    busy = [each for each in found if each.busy and each.shown]
    assert len(busy) >= 40
    assert sum(each.inside for each in busy) >= 0.9 * len(busy)  # of 152 members of 150 groups, 148
    quick = [each for each in found if not each.busy]
    assert sum(each.program.gap_ms == 0 for each in quick) >= 0.9 * len(quick)


def test_a_program_that_always_notices_at_once_is_seldom_busy() -> None:
    assert set(gaps_of(*[wait(9_000, ms) for ms in (0, 4, 12, 30)])) == {0}
    assert set(gaps_of()) == {0}


def test_whole_numbers_of_gaps_show_the_gap_to_a_percent() -> None:
    gaps = gaps_of(wait(9_080, 15), wait(12_130, 1_960), wait(6_050, 2_600))
    assert gaps[2] == pytest.approx(3_010, rel=0.02)
    assert gaps[-3] == pytest.approx(3_010, rel=0.02)


def test_a_single_late_reaction_among_many_is_a_single_slow_batch() -> None:
    assert gaps_of(*[wait(9_000 + 37 * n, n) for n in range(8)], wait(8_000, 2_500))[20] == 0


def test_waits_bound_the_gap_of_a_program_whose_batches_differ() -> None:
    rng = Random(1)
    gaps = gaps_of(*[wait(rng.randrange(20_000, 90_000), rng.randrange(800)) for _ in range(12)])
    assert 600 <= gaps[0] <= 800
    assert gaps[-1] <= 1_500


def test_a_cooperative_member_that_commits_first_may_be_two_gaps_late() -> None:
    late = [wait(9_000 + 1_337 * n, ms) for n, ms in enumerate((1_900, 2_300, 2_800, 1_700, 2_600))]
    commits = gaps_of(*[each._replace(commits=True) for each in late])
    assert commits[0] <= 1_500 <= commits[-1]
    assert sum(gap <= 2_000 for gap in commits) > 2 * sum(gap <= 2_000 for gap in gaps_of(*late))


def test_members_that_are_alike_show_the_gap_together() -> None:
    alike = [wait(7_000 + 131 * ms, ms) for ms in (310, 140, 280, 60, 220, 330)]
    alone = gaps_of(alike[0])
    together = gaps_of(alike[0], others=[[each] for each in alike[1:]])
    assert together[-1] / max(1, together[0]) < alone[-1] / max(1, alone[0])
    assert together[20] == pytest.approx(350, rel=0.25)


def recorded(*events: tuple[int, Event]) -> list[Recorded]:
    """Facts of the only process and of the group."""
    own, group = process_stream(GROUP, PROCESS), group_stream(GROUP)
    return [
        Recorded("run", n, at, own if isinstance(event, p.ClientEvent) else group, n, event)
        for n, (at, event) in enumerate(events)
    ]


def unlogged(name: str, **more: object) -> Member:
    return Member(name, (Incarnation(name, name, logged=False, **more),))  # type: ignore[arg-type]


def phase(started_ms: int, join_ms: int) -> Generation:
    return Generation(number=1, cause="member-joined", size=2, joined_ms=started_ms + join_ms, started_ms=started_ms)


def test_join_phases_that_outlast_heartbeats_waited_for_a_member_that_was_always_there() -> None:
    members = [unlogged("m0", starts_ms=150_000), unlogged("m1"), unlogged("m2", ends_ms=90_000)]
    phases = [phase(100_000, 41_000), phase(200_000, 2_000), phase(300_000, 18_000), phase(400_000, 33_000)]
    slowest = waits_for_slowest(members, phases, 3_000)
    assert slowest is not None
    number, waits = slowest
    assert (number, len(waits)) == (1, 4)
    gaps = poll_gaps({number: waits})[number]
    assert gaps[0] >= 20_000
    assert 38_000 <= gaps[len(gaps) // 2] <= 60_000
    assert gaps[-1] < 150_000


def test_join_phases_within_two_heartbeats_or_members_with_logs_show_no_slow_member() -> None:
    quick = [phase(100_000 * n, 2_900) for n in range(1, 4)]
    assert waits_for_slowest([unlogged("m1")], quick, 3_000) is None
    assert waits_for_slowest([member(Program())], [phase(100_000, 41_000)], 3_000) is None


def polls(*events: tuple[int, Event]) -> Polls:
    """What these facts show of the only process."""
    return polls_of(recorded(*events), GROUP)[PROCESS]


ASSIGNED = [
    (0, p.ProcessStarted(process=PROCESS, client_id="m1", instance_id=None, topics=("orders",), config={})),
    (100, p.ViewChanged(process=PROCESS, partitions=OWNED)),
    (100, p.CallbackStart(process=PROCESS, kind="assigned", partitions=OWNED, generation=1)),
    (100, p.CallbackEnd(process=PROCESS, kind="assigned")),
]
HEARD = p.RejoinRequested(
    process=PROCESS, reason="group is already rebalancing", cause=RejoinCause.GROUP_REBALANCING, topics=None
)
REVOKED = p.CallbackStart(process=PROCESS, kind="revoked", partitions=OWNED, generation=2)
JOINS = p.JoinSent(process=PROCESS, member="m1-a", owned=OWNED)


def test_a_member_that_works_on_joins_and_reads_the_answer_at_later_polls() -> None:
    answer = p.JoinOk(process=PROCESS, member="m1-a", generation=2, protocol="cooperative-sticky", leader=False)
    completed = c.JoinPhaseCompleted(generation=2, protocol="cooperative-sticky", leader=None, members=(), size=2)
    found = polls(*ASSIGNED, (5_000, HEARD), (6_000, HEARD), (6_120, JOINS), (6_200, completed), (9_130, answer))
    assert found.waits == (PollWait(100, 5_000, 6_120, commits=True), PollWait(6_120, 6_200, 9_130, answered=True))


def test_a_cooperative_member_of_librdkafka_takes_part_without_a_poll() -> None:
    """What it was assigned in the next rebalance is no late reaction to this one, in which it kept what it had."""
    (_, started), *assigned = ASSIGNED
    by_library = (0, structs.replace(started, library="librdkafka"))
    assert polls(by_library, *assigned, (5_000, HEARD), (5_000, JOINS), (15_000, HEARD), (15_002, REVOKED)).waits == (
        PollWait(100, 15_000, 15_002),
    )


def test_what_is_heard_in_a_callback_is_noticed_in_the_same_poll() -> None:
    assigned = [*ASSIGNED[:-1], (2_100, ASSIGNED[-1][1])]
    assert polls(*assigned, (1_000, HEARD), (2_120, JOINS)).waits == ()


STEPS = [
    (10_000, p.StateChanged(process=PROCESS, state=p.MemberPhase.RECONCILING)),
    (14_600, p.TargetReceived(process=PROCESS, member="u", epoch=4, partitions=())),
    (17_611, p.CallbackStart(process=PROCESS, kind="revoked", partitions=OWNED, generation=4)),
]


def test_with_the_consumer_protocol_each_step_of_a_reconciliation_waits_for_a_poll() -> None:
    found = polls(*ASSIGNED, *STEPS)
    assert found.waits == (
        PollWait(100, 10_000, 14_600, heard_within_ms=500, commits=True),
        PollWait(14_600, 14_600, 17_611, heard_within_ms=500),
    )
    gaps = sorted(poll_gaps({0: found.waits})[0])
    assert 2_800 < gaps[len(gaps) // 2] < 3_400


def test_with_the_consumer_protocol_a_step_that_a_poll_delays_shows_no_busy_program() -> None:
    """It knows, begins and calls within half a second: the library's threads, and a poll that waits for records."""
    steps = [(at, event) for at, (_, event) in zip((10_000, 10_330, 10_720), STEPS, strict=True)]
    assert poll_gaps({0: polls(*ASSIGNED, *steps).waits})[0] == (0,)


def test_a_member_of_the_consumer_protocol_without_partitions_works_on_nothing() -> None:
    assert polls(ASSIGNED[0], *STEPS).waits == ()


def test_an_answer_that_is_read_with_a_commit_shows_that_the_program_commits_itself() -> None:
    late = p.JoinOk(process=PROCESS, member="m1-a", generation=2, protocol="range", leader=False)
    completed = c.JoinPhaseCompleted(generation=2, protocol="range", leader=None, members=(), size=2)
    revoked = p.CallbackStart(process=PROCESS, kind="revoked", partitions=OWNED, generation=2)
    before = [*ASSIGNED, (5_000, JOINS), (5_010, completed), (8_000, late)]
    assert polls(*before, (8_020, revoked)).commits_sync is True
    assert polls(*before, (10_990, revoked)).commits_sync is False
    assert polls(*ASSIGNED).commits_sync is None


@pytest.mark.parametrize(("waits", "likely"), [([0, 1, 2, 4], True), ([13, 15, 18, 22, 14, 12], False)])
def test_who_takes_part_faster_than_the_coordinator_writes_has_not_committed(waits: list[int], likely: bool) -> None:
    polls = [Polls(tuple(PollWait(0, 9_000, 9_000 + ms) for ms in waits))]
    assert (commits_itself(polls, 12) > 0.9) is likely
    assert (commits_itself(polls, 12) < 0.1) is not likely
    assert commits_itself(polls, 2) == commits_itself(polls, None) == UNKNOWN


def test_a_write_of_the_coordinator_is_what_the_leader_waits_for() -> None:
    stored = c.AssignmentStored(
        generation=1, leader="m1-a", protocol_type=None, protocol="range", assignment=None, members=()
    )
    synced = p.SyncOk(process=PROCESS, member="m1-a", generation=1, assignment=OWNED)
    facts = recorded((100, stored), (112, synced))
    assert writes_ms(facts, GROUP) == [12]
    assert writes_ms(facts[:1], GROUP) == []


def member(program: Program) -> Member:
    late = Stall(StallKind.BUSY, 10_000, 12_500)
    expired = Stall(StallKind.BUSY, None, 90_000, expired_ms=80_000)
    return Member("m1", (Incarnation(PROCESS, "m1", logged=True, stalls=[late, expired]),), program)


def test_a_busy_program_explains_the_recorded_slow_batches_but_no_expiry() -> None:
    (busy,) = drawn_programs([member(Program((3_000,), 1.0))], lambda: 0.5, heartbeat_ms=1_000)
    assert [stall.expired_ms for stall in busy.incarnations[0].stalls] == [80_000]
    simulated = application(busy, exact=False)
    assert (simulated.process_ms, simulated.commit_sync) == (3_000, True)
    assert settings(simulated) == {"enable.auto.commit": False}
    assert application(busy, exact=True).process_ms == 0


def test_a_program_that_is_seldom_busy_keeps_its_recorded_slow_batches() -> None:
    (idle,) = drawn_programs([member(Program())], lambda: 0.5, heartbeat_ms=1_000)
    assert len(idle.incarnations[0].stalls) == 2
    assert application(idle, exact=False).process_ms == 0


def test_each_seed_draws_one_of_the_programs_that_fit_and_always_the_same() -> None:
    open_ = member(Program((0, 0, 500, 3_000)))
    drawn = [drawn_programs([open_], EvenDraws(seed).next, 1_000)[0].program.gap_ms for seed in range(40)]
    assert {gap: round(drawn.count(gap), -1) for gap in set(drawn)} == {0: 20, 500: 10, 3_000: 10}
    assert drawn == [drawn_programs([open_], EvenDraws(seed).next, 1_000)[0].program.gap_ms for seed in range(40)]


def test_where_nothing_is_open_nothing_is_drawn() -> None:
    def refuse() -> float:
        raise AssertionError

    assert drawn_programs([member(Program()), member(Program((300,), 1.0))], refuse, 1_000)[1].program.gap_ms == 300


def test_the_notes_say_what_was_inferred_and_how_sure_it_is() -> None:
    assert program_notes([member(Program())]) == []
    (said,) = program_notes([member(Program((0, 500, 2_000, 3_000))), member(Program((300, 300)))])
    assert said == (
        "the time between two polls is inferred from how late rebalances were noticed: m1 (500 to 3,000 ms; or seldom"
        " busy, in 25% of the seeds), m1 (300 ms)"
    )


def test_callbacks_that_take_the_same_time_show_one_and_others_a_choice() -> None:
    assert listener([Callback(3, 1_500), Callback(5, 1_512), Callback(4, 1_490)]) == Listener(fixed_ms=(1_500,))
    assert listener([Callback(4, 700), Callback(4, 1_500)]) == Listener(fixed_ms=(700, 1_500))
    assert listener([Callback(4, 3), Callback(4, 1_500), Callback(5, 2)]) == Listener()


def test_callbacks_that_grow_with_their_partitions_show_the_time_for_each() -> None:
    found = listener([Callback(3, 301), Callback(6, 598), Callback(12, 1_205)])
    assert found == Listener(partition_ms=(100, 100, 100))


def test_a_callback_that_a_member_never_ran_takes_as_long_as_those_of_members_like_it() -> None:
    slow = {"assigned": [Callback(4, 2_000)], "revoked": [Callback(4, 1_500)]}
    quick = {"assigned": [Callback(4, 1)], "revoked": [Callback(4, 1)]}
    found = listeners([slow, quick, {"assigned": [Callback(3, 1_900)]}, {"assigned": [Callback(3, 2)]}])
    assert found[2]["revoked"] == Listener(fixed_ms=(1_500,))
    assert found[3]["revoked"] == Listener()
    assert listeners([{"assigned": [Callback(4, 2_000)]}]) == [{"assigned": Listener(fixed_ms=(2_000,))}]


def test_a_simulated_callback_takes_any_of_the_drawn_times_and_longer_for_more_partitions() -> None:
    draws = {"assigned": (CallbackTime(200, 0), CallbackTime(700, 0)), "revoked": (CallbackTime(0, 50),)}

    def story(world: World) -> Script:
        group = world.group(GROUP, assignor="range")
        topic = world.topic("orders", 6, rate=1)
        group.join(4, topics=[topic], spread=20_000, application=Application(callback_draws=draws, empty_ms=0))
        yield world.sleep(60_000)

    store = MemoryStore()
    result = run(Scenario(name="drawn", story=story, seed=3, lasts_ms=60_000), store)
    ran = [
        each
        for incarnation in reconstruct(list(store.read(result.info.id)), GROUP).incarnations
        for each in [(kind, found) for kind, every in incarnation.callbacks.items() for found in every]
    ]
    assert {found.lasts_ms for kind, found in ran if kind == "assigned"} == {200, 700}
    revoked = [found for kind, found in ran if kind == "revoked"]
    assert len({found.partitions for found in revoked}) > 1
    assert all(found.lasts_ms == 50 * found.partitions for found in revoked)
