"""Re-enact a recorded run: the same members, settings and actions in the simulator, in the form of a recording."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any

import simpy

from groupsim.conformance.timelines.harness import Harness
from groupsim.conformance.timelines.observer import RunObserver
from groupsim.conformance.timelines.ownership import ObservedRun, all_owned_after_ms, summary
from groupsim.conformance.timelines.progress import first_record_median_ms
from groupsim.conformance.timelines.recording import (
    ADD_PARTITIONS,
    CREATE_TOPIC,
    BadRecording,
    Recording,
    check_actions,
    parse,
)
from groupsim.events.errors import GroupsimError
from groupsim.events.types import TopicPartition
from groupsim.simulation.host_speed import HOSTS, IDEAL
from groupsim.simulation.message_delays import Delays
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore

FAULT_WITHIN_MS = 60
"""A window that opens this close to an action opens because of it; else it opens at the first full ownership."""


def reenact(recording: dict[str, Any], seed: int, recorded_times: bool = False) -> dict[str, Any]:
    """A recorded run (a `recording.json`), played in the simulator, in the form of a recording.

    Only `config`, `members`, `actions`, `run_end_ms` and `summary.window_ms` are read (and
    `assignor` or `id` for the strategy), and how fast the host was, from the steps that `recorded_times` reads, if the
    file has any. `seed` decides what real runs leave to chance: start-up, latencies, and with them the phase of the
    heartbeats. With `recorded_times` programs start and close at the recorded times, where the
    file has the first JoinGroup (in the broker's log) and the close(). Raises BadRecording.
    """
    recorded = parse(recording)
    return _recording(recorded, seed, _play(recorded, seed, recorded_times))


def reenact_on_hosts(recording: dict[str, Any], seed: int, hosts: Mapping[int, str]) -> dict[str, Any]:
    """The same with `recorded_times`, on hosts of `host_speed.HOSTS` instead of the recording's own.

    `hosts`: by the time from which it is so (ms); the first is 0. `heartbeats` are there too: by process, when it sent
    each. Raises BadRecording.
    """
    recorded = replace(parse(recording), hosts=tuple((since, HOSTS[name]) for since, name in sorted(hosts.items())))
    observed = _play(recorded, seed, recorded_times=True)
    return _recording(recorded, seed, observed) | {"heartbeats": observed.heartbeats}


def _play(recorded: Recording, seed: int, recorded_times: bool) -> RunObserver:
    try:
        check_actions(recorded)
        return _observed(recorded, seed, recorded_times)
    except BadRecording:
        raise
    except GroupsimError as error:
        raise BadRecording(f"recording {recorded.id}: {error}") from error


def _observed(recorded: Recording, seed: int, recorded_times: bool) -> RunObserver:
    observed = RunObserver()
    observed.use(recorded.libraries)
    observed.progress.auto_commit = recorded.auto_commit
    store = MemoryStore()

    def run_actions(world: World) -> Generator[simpy.Event, Any, None]:
        world.network.latency_ms = (0, 1)
        world.host(IDEAL)  # what is slow is the recording's
        observed.progress.arrival = lambda t, p, offset: world.topics.arrival_ms(TopicPartition(t, p), offset)
        harness = Harness(world, recorded, observed, recorded_times)
        rule = Delays(harness.latencies, harness.draw, world.broker.address, lambda: world.now)
        world.network.add_rule(rule)
        world.heartbeat_timers.late, world.heartbeat_timers.nap_late = rule.heartbeat_late_ms, rule.nap_late_ms
        return harness.run()

    scenario = Scenario(name="reenact", story=run_actions, seed=seed, lasts_ms=recorded.end_ms)
    result = run(scenario, store).unless_interrupted()
    if result.failure is not None and result.info.status != "finished":
        raise BadRecording(f"recording {recorded.id}: {result.failure}")
    observed.fold(store.read(result.info.id))
    observed.progress.finish(recorded.end_ms)
    return observed


def _recording(recorded: Recording, seed: int, observed: RunObserver) -> dict[str, Any]:
    """The observed rows and all figures that follow from them."""
    seen = observed_run(recorded, observed)
    derived = summary(seen, opens_at=recorded.window_from_ms if opens_with_an_action(recorded) else None)
    derived["summary"]["records_read_twice"] = observed.read_twice
    if any(since for since in seen.existing.values()):
        derived["summary"]["new_partitions_all_owned_after_ms"] = all_owned_after_ms(seen, derived["ownership"])
    derived["summary"]["first_record_after_assigned_ms_median"] = first_record_median_ms(seen.events)
    return {
        "id": recorded.id,
        "seed": seed,
        "member_ids": observed.broker_log.member_ids,
        "events": seen.events,
        "broker": seen.broker,
        "client_log": observed.client_log.rows,
        **derived,
    }


def observed_run(recorded: Recording, observed: RunObserver) -> ObservedRun:
    """Events of one instant keep the order in which they happened."""
    frozen = {p: [[a, b if b > a else recorded.end_ms] for a, b in frozen] for p, frozen in observed.frozen.items()}
    return ObservedRun(
        events=sorted(observed.events, key=lambda e: e["t_ms"]),
        broker=observed.broker_log.rows,
        actions=[{**a.what, "t_ms": a.at_ms} for a in recorded.actions],
        frozen=frozen,
        existing=existing(recorded),
        end_ms=recorded.end_ms,
    )


def existing(recorded: Recording) -> dict[str, int]:
    """Every partition, and the time (ms) from which it exists."""
    since = {f"{topic}-{p}": 0 for topic, count in recorded.topics.items() for p in range(count)}
    for action in recorded.actions:
        if action.kind in (ADD_PARTITIONS, CREATE_TOPIC):
            topic = action.what["topic"]
            added = {f"{topic}-{p}": done_ms(action.what) for p in range(action.what["partitions"])}
            since = {**added, **since}
    return since


def done_ms(action: dict[str, Any]) -> int:
    """When an action had its effect, where the recording has that time, too."""
    return int(action.get("t_done_ms", action["t_ms"]))


def opens_with_an_action(recorded: Recording) -> bool:
    """Whether the window opens with an action; else it opens with the first full ownership of the run itself."""
    return any(abs(a.at_ms - recorded.window_from_ms) <= FAULT_WITHIN_MS for a in recorded.actions)
