"""`--record facts` leaves noise out and nothing else; a run always has its last fact."""

from __future__ import annotations

import pytest
import simpy

from groupsim.events.classic import HeartbeatReceived
from groupsim.events.group import CommitAccepted
from groupsim.events.network import MessageDelivered
from groupsim.events.world import CheckMade, RunEnded
from groupsim.scenarios.catalogue import find
from groupsim.scenarios.dsl import World, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario, ScenarioRaised
from groupsim.simulation.log import Log
from groupsim.simulation.run import Scenario, run
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RecordMode, RunInfo, RunSource, RunStatus
from tests.simulation.finished_run import play


def test_facts_alone_are_all_facts_without_the_noise() -> None:
    story = find("zombie_member").story
    everything, facts = play(story, seconds(180)), play(story, seconds(180), record="facts")
    kept = [(f.at_ms, f.stream, f.event) for f in everything.log if not f.event.noise]
    assert [(f.at_ms, f.stream, f.event) for f in facts.log] == kept
    assert len(everything.log) > len(kept)
    assert {type(f.event) for f in everything.log if f.event.noise} >= {HeartbeatReceived, MessageDelivered}
    assert facts.info.record == "facts"
    assert [f.seq for f in facts.log] == list(range(len(kept)))


def test_versions_count_each_stream_from_0_either_way() -> None:
    for record in ("all", "facts"):
        finished = play(find("steady_state").story, seconds(300), record=record)
        streams: dict[str, int] = {}
        for fact in finished.log:
            assert fact.version == streams.get(fact.stream, 0)
            streams[fact.stream] = fact.version + 1


def _fails(world: World) -> Script:
    yield world.sleep(500)
    world.check(1 + 1 == 3, "one and one is three")


def test_a_claim_that_does_not_hold_fails_the_run_with_a_sentence() -> None:
    finished = play(_fails, 10_000, green=False)
    assert finished.result.failure == "at 500 ms: not true that one and one is three"
    assert not finished.result.ok
    assert finished.info.status == "failed"
    assert finished.each(CheckMade) == [(500, CheckMade(claim="one and one is three", ok=False))]
    assert finished.log[-1].event == RunEnded(status="failed")
    assert finished.info.simulated_ms == 500


def test_a_wait_that_takes_too_long_says_how_far_the_group_came() -> None:
    def story(world: World) -> Script:
        group = world.group("billing")
        group.join(1, topics=[world.topic("orders", partitions=1)])
        yield group.stable(members=2, within=seconds(7))

    failure = play(story, 60_000, green=False).result.failure
    assert failure == (
        "at 7,000 ms: group 'billing' was not stable with 2 members within 7,000 ms; it is Stable with 1"
    )


def test_a_story_that_is_not_over_in_time_says_how_to_give_it_more() -> None:
    def story(world: World) -> Script:
        yield world.sleep(10_001)

    failure = play(story, 10_000, green=False).result.failure
    assert failure == "the story was not over after 10,000 ms; give it more with --set duration.ms=…"
    assert play(story, 10_000, duration_ms=10_002).info.simulated_ms == 10_002


def test_a_story_without_waits_is_a_story_too() -> None:
    def story(world: World) -> None:
        world.topic("orders", partitions=1)

    assert play(story, 1_000).info.status == "finished"


def _raising(error: BaseException) -> Scenario:
    def story(world: World) -> Script:
        yield world.sleep(100)
        raise error

    return Scenario("s", story, 1, 1_000)


@pytest.mark.parametrize(
    ("error", "raised"), [(RuntimeError("boom"), ScenarioRaised), (BadScenario("no such thing"), BadScenario)]
)
def test_whatever_is_raised_the_run_gets_its_last_fact(error: Exception, raised: type[Exception]) -> None:
    store = MemoryStore()
    with pytest.raises(raised, match=str(error)):
        run(_raising(error), store)
    (info,) = store.runs()
    assert (info.status, bool(info.digest)) == ("failed", True)
    assert [f.event for f in store.read(info.id)][-1] == RunEnded(status="failed")


def test_a_run_that_is_interrupted_is_kept_as_far_as_it_came() -> None:
    store = MemoryStore()
    result = run(_raising(KeyboardInterrupt()), store)
    assert (result.info.status, result.info.simulated_ms) == ("interrupted", 100)
    assert [f.event for f in store.read(result.info.id)][-1] == RunEnded(status="interrupted")


def test_progress_goes_from_nothing_to_one() -> None:
    seen: list[float] = []
    run(find("steady_state"), MemoryStore(), progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_commits_are_kept_whatever_is_recorded() -> None:
    story = find("steady_state").story
    assert play(story, 300_000).each(CommitAccepted) == play(story, 300_000, record="facts").each(CommitAccepted)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"duration.ms": "soon"}, "parameter duration.ms must be int, not 'soon'"),
        ({"members": 2.7}, "parameter members must be int, not 2.7"),
        ({"members": "many"}, "parameter members must be int, not 'many'"),
    ],
)
def test_a_parameter_of_the_wrong_kind_is_refused_before_anything_runs(
    settings: dict[str, int | float | str | bool], sentence: str
) -> None:
    store = MemoryStore()
    with pytest.raises(BadScenario, match=sentence):
        run(find("steady_state"), store, settings=settings)
    assert store.runs() == []


def test_noise_among_facts_of_one_append_is_left_out_too() -> None:
    beat, refused = HeartbeatReceived(member="a", generation=1, error="NONE"), RunEnded(status="finished")
    for record, kept in (("all", [beat, refused, beat]), ("facts", [refused])):
        store = MemoryStore()
        writer = store.begin(RunInfo(id="r", name="r", source=RunSource.SIMULATED, record=RecordMode(record)))
        log = Log(simpy.Environment(), writer)
        log.append("group:g", [beat, refused, beat])
        writer.finish(RunStatus.FINISHED, 0)
        assert [f.event for f in store.read("r")] == kept
        assert log.facts == len(kept)
