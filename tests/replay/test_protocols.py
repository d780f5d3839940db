"""What-ifs across group protocols (KIP-848), and the roll from one to the other, on recorded incidents."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from groupsim.coordinator.config import BadSetting
from groupsim.events import classic, consumer
from groupsim.events.base import Event
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.migration import ROLLING, STOP_ALL, migrate
from groupsim.replay.migration_answer import migration_answer
from groupsim.replay.migration_checks import checks, impossible
from groupsim.replay.protocols import broker_bounds, check, group_settings, member_config, run_settings
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, KAFKA_PYTHON, LIBRDKAFKA
from groupsim.storage.memory import MemoryStore

EXAMPLES = Path(__file__).parents[2] / "examples"
KILLED, ROLLED = (
    EXAMPLES / "consumer-groups" / "kill9-uniform",
    EXAMPLES / "consumer-groups" / "rolled-range-to-consumer",
)
TO_CONSUMER, TO_CLASSIC = Choice(name="new", protocol=CONSUMER), Choice(name="old", protocol=CLASSIC)
SEEDS = range(4)


@cache
def replayable(folder: Path) -> ReplayableRun:
    store = MemoryStore()
    known = {"session.timeout.ms": 6_000}
    run = import_run(read_files(sorted(folder.glob("*.log.gz"))), store, name=None, topics={}).run
    return replayable_run(store, run, given=known, choices=[TO_CONSUMER, TO_CLASSIC])


def incident(folder: Path) -> Incident:
    found = replayable(folder).incident
    assert found is not None
    return found


def kinds(run: ReplayableRun, choice: Choice) -> set[type[Event]]:
    return {type(fact.event) for fact in run.replay(choice, 0).facts}


@pytest.mark.parametrize("folder", [EXAMPLES / "incidents" / "kill9-range", KILLED, ROLLED], ids=lambda f: f.name)
def test_every_incident_is_replayed_with_either_protocol(folder: Path) -> None:
    run = replayable(folder)
    new, old = kinds(run, TO_CONSUMER), kinds(run, TO_CLASSIC)
    assert consumer.TargetComputed in new
    assert classic.AssignmentStored not in new
    assert classic.AssignmentStored in old
    assert consumer.TargetComputed not in old


def test_a_recorded_migration_is_replayed_as_one() -> None:
    seen = kinds(replayable(ROLLED), AS_RECORDED)
    assert {classic.AssignmentStored, consumer.GroupUpgraded, consumer.TargetComputed} <= seen


@pytest.mark.parametrize(("folder", "share"), [(KILLED, 0.1), (ROLLED, 0.25)], ids=["killed", "rolled"])
def test_the_exact_replay_of_a_consumer_group_costs_what_is_recorded(folder: Path, share: float) -> None:
    run = replayable(folder)
    replayed = median(run.measure(run.replay_exactly(seed)).unavailable_partition_ms for seed in SEEDS)
    assert abs(replayed - run.cost.unavailable_partition_ms) <= share * run.cost.unavailable_partition_ms


def test_epochs_are_the_generations_of_a_consumer_group() -> None:
    run = replayable(KILLED)
    assert [(g.number, g.cause, g.size) for g in run.generations] == [
        (2, "member-joined", 1),
        (4, "member-joined", 3),
        (5, "session-expired", 2),
    ]
    assert all(g.synced_ms is not None for g in run.generations[-2:])


def test_session_and_heartbeat_are_the_groups_and_the_brokers_bounds_allow_them() -> None:
    found = incident(EXAMPLES / "incidents" / "kill9-range")
    group = group_settings(found, TO_CONSUMER)
    assert group == {"consumer.session.timeout.ms": 6_000, "consumer.heartbeat.interval.ms": 1_000}
    assert broker_bounds(group, {}) == {
        "group.consumer.min.session.timeout.ms": 6_000,
        "group.consumer.min.heartbeat.interval.ms": 1_000,
    }
    assert not {"session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy"} & set(
        run_settings(found, TO_CONSUMER)
    )
    chosen = Choice(name="c", protocol=CONSUMER, settings={"group.consumer.session.timeout.ms": "45000"})
    assert group_settings(found, chosen)["consumer.session.timeout.ms"] == 45_000


def test_a_member_that_goes_back_to_classic_has_its_times_and_an_assignor_of_its_own() -> None:
    found = incident(KILLED)
    config = member_config(found, TO_CLASSIC, found.incarnations[0])
    assert config == {"group.protocol": "classic", "partition.assignment.strategy": ("range",)}
    assert run_settings(found, TO_CLASSIC)["heartbeat.interval.ms"] == 1_000


def test_settings_that_the_protocol_excludes_are_refused_in_the_clients_words() -> None:
    choice = Choice(name="c", protocol=CONSUMER, settings={"session.timeout.ms": "9000"})
    with pytest.raises(BadSetting, match=r"session\.timeout\.ms cannot be set when group.protocol=CONSUMER"):
        check(incident(KILLED), choice)
    with pytest.raises(BadSetting, match=r"group\.remote\.assignor cannot be set when group.protocol=CLASSIC"):
        check(incident(KILLED), Choice(name="c", protocol=CLASSIC, settings={"group.remote.assignor": "range"}))


def test_a_roll_costs_what_a_recorded_one_did_and_more_than_a_restart_of_eager_members() -> None:
    """From the logs of a plain restart, on another Kafka: a prediction of the recorded migration."""
    found = migrate(incident(EXAMPLES / "incidents" / "rolling-restart-range"), TO_CONSUMER, SEEDS)
    assert found.failures == ()
    assert found.recorded
    truth = json.loads((ROLLED / "recording.json").read_text(encoding="utf-8"))["summary"]["unavailable_partition_ms"]
    roll = median(cost.unavailable_partition_ms for cost in found.costs)
    assert abs(roll - truth) <= 0.3 * truth
    assert roll > median(cost.unavailable_partition_ms for cost in found.plain)
    assert max(cost.max_partitions for cost in found.costs) == 12


def test_groups_that_can_not_be_rolled_online_are_named_with_the_reason() -> None:
    found = incident(EXAMPLES / "incidents" / "rolling-restart-cooperative")
    assert impossible(found, CONSUMER) is None
    of_librdkafka = replace(found, client=LIBRDKAFKA)
    assert "GROUP_ID_NOT_FOUND" in (impossible(of_librdkafka, CONSUMER) or "")
    assert impossible(of_librdkafka, CLASSIC) is None
    assert "to range, because librdkafka takes no list of" in (impossible(of_librdkafka, CONSUMER) or "")
    assert impossible(of_librdkafka, CONSUMER, STOP_ALL) is None
    of_python = replace(found, client=KAFKA_PYTHON)
    assert "kafka-python" in (impossible(of_python, CONSUMER) or "")


@pytest.mark.parametrize("client", [LIBRDKAFKA, KAFKA_PYTHON])
def test_a_group_that_can_not_be_rolled_gets_the_cost_of_stopping_all_and_what_to_do_instead(client: str) -> None:
    found = replace(incident(EXAMPLES / "incidents" / "rolling-restart-cooperative"), client=client)
    answer = migration_answer(found, TO_CONSUMER, ROLLING, range(2))
    refused, cost, assumes = answer.sentences
    assert "can't be done online" in refused
    assert "stop all members together" in refused
    assert cost.startswith("A stop of all members together, and a start with the consumer protocol ")
    assert answer.migration is not None
    away_ms = answer.migration.downtime_ms
    assert min(each.unavailable_partition_ms for each in answer.migration.costs) > 12 * away_ms
    assert ("confluent-kafka" in answer.checks[0]) is (client == KAFKA_PYTHON)
    assert ("simulated with librdkafka" in assumes) is (client == KAFKA_PYTHON)
    assert "SubscriptionPattern" not in "".join(answer.checks)


def test_static_members_of_a_group_that_is_not_converted_stay_away_until_their_session_has_passed() -> None:
    """They came back to a group that still had them, and ended with GROUP_ID_NOT_FOUND: 228 partition-seconds."""
    found = replace(incident(EXAMPLES / "incidents" / "rolling-restart-cooperative"), client=LIBRDKAFKA)
    to = replace(TO_CONSUMER, static=True)
    answer = migration_answer(found, to, STOP_ALL, range(2))
    assert answer.migration is not None
    assert answer.migration.downtime_ms > found.settings["session.timeout.ms"]
    assert answer.migration.failures == ()
    assert any("until their session has passed" in each for each in answer.checks)
    early = migration_answer(found, replace(to, restart_ms=1_500), STOP_ALL, range(2))
    assert early.migration is not None
    assert early.migration.failures  # nobody is left, which the amount does not show


def test_a_group_of_streams_can_not_be_changed_in_any_form() -> None:
    found = incident(EXAMPLES / "incidents" / "kill9-range")
    streams = replace(found, generations=tuple(replace(each, protocol="stream") for each in found.generations))
    for form in (ROLLING, STOP_ALL):
        answer = migration_answer(streams, TO_CONSUMER, form, range(1))
        assert "Kafka Streams" in (answer.impossible or "")
        assert answer.migration is None


def test_a_roll_waits_for_the_heartbeats_of_the_choice() -> None:
    """Each member closes when the group has settled; heartbeats of 5 s take longer than the recorded ones."""
    slow = replace(TO_CONSUMER, settings={"group.consumer.heartbeat.interval.ms": "5000"})
    found = incident(EXAMPLES / "incidents" / "rolling-restart-range")
    assert migrate(found, slow, range(1)).step_ms - migrate(found, TO_CONSUMER, range(1)).step_ms == 12_000


def test_the_list_names_what_members_have_to_change() -> None:
    eager = "\n".join(checks(incident(EXAMPLES / "incidents" / "kill9-range"), TO_CONSUMER, [{"client.rack": "a"}]))
    for part in ("session.timeout.ms", "consumer.session.timeout.ms=6000", "RE2/J", "members are in a", "assigned has"):
        assert part in eager
    cooperative = "\n".join(checks(incident(EXAMPLES / "incidents" / "rolling-restart-cooperative"), TO_CONSUMER))
    assert "assigned has the new partitions alone" not in cooperative
    static = "\n".join(checks(incident(EXAMPLES / "incidents" / "static-restart-range"), TO_CONSUMER))
    assert "UNRELEASED_INSTANCE_ID" in static
    back = "\n".join(checks(incident(KILLED), TO_CLASSIC))
    assert "all members rebalance together" in back
