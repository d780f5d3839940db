"""How slow hosts are and how long the coordinator writes: simulated with drawn values, read from the written logs."""

from __future__ import annotations

from functools import cache
from math import exp, log
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.reconstruct.host_speed import LEAST_START_MS, Host, host_of, led_steps, starts
from groupsim.replay.reconstruct.incarnation import Incarnation
from groupsim.replay.reconstruct.incident import Incident, reconstruct
from groupsim.replay.reconstruct.inferred_settings.append_linger import append_linger
from groupsim.replay.reconstruct.inferred_settings.evidence import APPEND_LINGER
from groupsim.replay.reconstruct.members import Member
from groupsim.replay.reconstruct.rebalances import Generation
from groupsim.simulation.clients.config import JAVA, LIBRDKAFKA
from groupsim.simulation.clients.process import Script
from groupsim.simulation.host_speed import Step, on_host
from groupsim.simulation.latencies import LATENCIES
from groupsim.simulation.message_delays import Delays
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore
from tests.incidents.written_logs import write_logs

GROUP = "billing"
MEMBERS = 4


@cache
def incident(seed: int, factor: float, linger_ms: int, broker_log: bool = True) -> Incident:
    """What the logs tell of a group whose members restart in turn, on hosts that are slower by a factor."""
    latencies = on_host(LATENCIES[JAVA], factor)

    def story(world: World) -> Script:
        world.configure_broker({"group.initial.rebalance.delay.ms": 0, APPEND_LINGER: linger_ms})
        world.host("ideal")  # what is slow is said here
        draw = lambda distribution, what: distribution.draw(world.rng.stream(what))  # noqa: E731
        world.network.add_rule(Delays(lambda _: latencies, draw, world.broker.address, lambda: world.now))
        topic = world.topic("orders", 8, rate=1)
        own = world.group(GROUP)
        members = [own.join(f"m{n}", topics=[topic], after=None)[0] for n in range(MEMBERS)]
        for member in members:
            yield member.start()
            yield world.sleep(2_000)
        for member in [*members, *members]:
            member.close()
            yield member.gone
            yield world.sleep(4_000)
            yield member.start()
            yield world.sleep(4_000)

    store = MemoryStore()
    result = run(Scenario(name="restarts", story=story, seed=seed, lasts_ms=120_000), store, record="facts")
    facts = store.read(result.info.id)
    with TemporaryDirectory() as folder:
        logs = write_logs(facts, GROUP, Path(folder))
        kept = [path for path in logs if broker_log or path.stem != "broker"]
        imported = import_run(read_files(kept), store, name=None, topics={})
    return reconstruct(list(store.read(imported.run.id)), GROUP)


@pytest.mark.parametrize("linger_ms", [2, 5, 10, 30])
@pytest.mark.parametrize("factor", [0.5, 3.0])
def test_the_time_that_the_coordinator_takes_to_write_is_read_whatever_the_host(linger_ms: int, factor: float) -> None:
    read = incident(0, factor, linger_ms).settings[APPEND_LINGER]
    assert linger_ms - 1 <= read <= linger_ms + 2.5 * factor, "beyond it there is only the host"


@pytest.mark.parametrize("factor", [0.5, 2.0, 4.0])
def test_the_host_is_read_from_the_time_that_leaders_take(factor: float) -> None:
    hosts = [incident(seed, factor, 5).host for seed in range(4)]
    usual = [incident(seed, 1.0, 5).host for seed in range(4)]
    ratios = [host.again / same.again for host, same in zip(hosts, usual, strict=True)]
    assert typical(host.again for host in usual) == pytest.approx(1.0, rel=0.3)
    shrunk = factor ** (2 / 3), factor
    assert min(shrunk) * 0.8 <= typical(ratios) <= max(shrunk) * 1.25, "of few steps, nearer to the usual host"


def typical(values: object) -> float:
    logs = [log(value) for value in values]  # type: ignore[attr-defined]
    return exp(sum(logs) / len(logs))


def test_without_a_broker_log_hosts_are_usual_and_the_linger_is_said_to_be_assumed() -> None:
    found = incident(0, 3.0, 30, broker_log=False)
    assert found.host.again == 1.0
    assert found.settings[APPEND_LINGER] == 10
    assert any(APPEND_LINGER in note and "no log shows" in note for note in found.notes)
    assert any(note.startswith("hosts are assumed to be as fast as usual") for note in found.notes)
    assert not any("hosts are assumed" in note for note in incident(0, 3.0, 30).notes)


def generation(number: int, sync_ms: int, leader: str | None = "m1-a") -> Generation:
    return Generation(
        number=number, cause="left", size=2, joined_ms=9_000 * number, synced_ms=9_000 * number + sync_ms, leader=leader
    )


def member(*first_lines: int, topics: tuple[str, ...] = ("orders",)) -> Member:
    processes = [
        Incarnation(f"m1.{n}", "m1", logged=True, starts_ms=10_000, line_times=[at], topics=topics, member_ids=["m1-a"])
        for n, at in enumerate(first_lines)
    ]
    return Member("m1", tuple(processes))


def test_what_waits_for_something_else_is_no_step() -> None:
    found = list(led_steps([member(9_900)], [generation(1, 30), generation(2, 9), generation(3, 1_500)]))
    assert found == [(Step.FIRST_LED, 30), (Step.LED, 9)]
    assert not list(led_steps([member(9_900)], [generation(1, 0), generation(2, 1_000)])), "whole seconds"
    assert not list(led_steps([member(9_900), member(9_900, topics=("views",))], [generation(1, 400)]))
    assert not list(led_steps([member(9_900)], [generation(1, 30, leader=None)]))


def test_a_log_that_begins_with_the_first_join_does_not_show_the_start() -> None:
    assert list(starts([member(9_950, 10_000 - LEAST_START_MS + 1, 2_000)])) == [(Step.SUBSCRIBED, 50)]


def test_a_process_whose_classes_are_loaded_is_fast_the_first_time() -> None:
    warm = host_of(JAVA, [member(*[9_980] * 5)], [])
    assert warm.again == 1.0
    assert warm.first < 0.5
    latencies = warm.latencies(JAVA)
    assert latencies.first_joined.quantiles_ms[4] < 0.5 * LATENCIES[JAVA].first_joined.quantiles_ms[4]
    assert latencies.joined == LATENCIES[JAVA].joined
    assert host_of(LIBRDKAFKA, [member(*[9_980] * 5)], []) == Host()


def test_slow_writes_are_not_the_lingers() -> None:
    assert append_linger([11, 11, 12, 13, 25, 40]).value_ms == 10
    assert append_linger([1, 2, 3, 30]).value_ms == 1
