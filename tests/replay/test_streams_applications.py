"""What-ifs of recorded applications of Kafka Streams, from their logs alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import median

import pytest

from groupsim.conformance.predictions.families import read_record
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.reconstruct.streams_program import StreamsProgram
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.storage.memory import MemoryStore

RECORDINGS = Path(__file__).parents[1] / "golden" / "recordings-streams"
SEEDS = 4
STATIC = Choice(name="membership=static", static=True)
STREAMS = Choice(name="group.protocol=streams", protocol="streams")


@cache
def imported(name: str) -> ReplayableRun:
    (folder,) = RECORDINGS.glob(f"{name}*")
    store = MemoryStore()
    topics = read_record(folder)["config"]["partitions"]
    run = import_run(read_files(sorted((folder / "logs").glob("*.gz"))), store, name=None, topics=topics).run
    return replayable_run(store, run, choices=[STATIC, STREAMS])


def cost_ms(of: ReplayableRun, choice: Choice) -> float:
    return median(of.measure(of.replay(choice, seed)).unavailable_partition_ms for seed in range(SEEDS))


def test_an_instance_that_comes_back_with_its_process_id_is_the_same_one() -> None:
    recorded = imported("K04").incident
    assert recorded is not None
    assert recorded.streams is not None
    assert recorded.streams.protocol == "classic"
    assert recorded.streams.persistent
    assert [len(member.incarnations) for member in recorded.members] == [2, 2, 2]


def test_a_rolling_restart_costs_what_it_cost_and_less_with_static_members_or_the_streams_protocol() -> None:
    """Recorded: 78 to 81 partition-seconds; static 33 and 39; streams 29; static and streams 32 and 40."""
    of = imported("K04")
    assert cost_ms(of, AS_RECORDED) == pytest.approx(of.cost.unavailable_partition_ms, rel=0.1)
    assert 25_000 < cost_ms(of, STATIC) < 45_000
    assert 25_000 < cost_ms(of, STREAMS) < 45_000


def test_a_slow_restore_is_read_from_the_tasks_that_an_instance_had_not_had_before() -> None:
    recorded = imported("K06").incident
    assert recorded is not None
    assert recorded.streams is not None
    assert recorded.streams.protocol == "streams"
    assert 200 < recorded.streams.restore_ms < 3_500  # three tasks took 3 s each, the others hardly any time


@pytest.mark.parametrize(
    ("name", "choice", "why"),
    [
        ("K04", Choice(name="c", protocol="consumer"), "instances of Kafka Streams, which speak the classic or"),
        ("K04", Choice(name="a", settings={"partition.assignment.strategy": "range"}), "an assignor of its own"),
        ("K06", Choice(name="p", settings={"acceptable.recovery.lag": "1"}), "no warm-ups in the streams protocol"),
    ],
)
def test_what_is_no_choice_for_kafka_streams_is_refused(name: str, choice: Choice, why: str) -> None:
    refused = imported(name).refusal(choice)
    assert refused is not None
    assert why in refused


@pytest.mark.parametrize("restore_ms", [0, 2_000, 25_000, 1_200_000])
def test_a_state_that_restores_for_minutes_is_simulated_with_as_few_records_as_one_of_seconds(restore_ms: int) -> None:
    program = StreamsProgram(protocol="classic", restore_ms=restore_ms, persistent=True)
    assert program.records <= 500_000
    assert 1_000 * program.records / program.store.restore == pytest.approx(restore_ms, abs=1)
