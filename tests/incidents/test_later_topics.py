"""A topic that is created later and matches an expression: two recorded groups on Kafka 4.4, and drawn sentences."""

from __future__ import annotations

import gzip
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from groupsim.events.base import Recorded
from groupsim.events.client import RejoinRequested, ViewChanged
from groupsim.events.consumer import BumpCause, GroupEpochBumped
from groupsim.events.world import GroupDeclared, TopicCreated
from groupsim.incidents.facts.causes import subscription_before
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.actions import ActionKind, actions_of
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.migration_checks import checks
from groupsim.replay.player import replay_incident
from groupsim.replay.protocols import in_own_time, metadata_age_ms, notes
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.simulation.clients.config import CLASSIC, CONSUMER
from groupsim.storage.memory import MemoryStore

DATA = Path(__file__).parent / "data"
CREATED_MS = {"kip848-uniform": 7_960, "range": 7_960}
"""When the topic was really created, ms of the import: 8,002 after the start of the run."""
OLD, NEW = Choice(name="old", protocol=CLASSIC), Choice(name="new", protocol=CONSUMER)
GROUPS = tuple(CREATED_MS)


@cache
def imported(name: str) -> tuple[list[Recorded], ReplayableRun]:
    store = MemoryStore()
    logs = sorted((DATA / f"topic-later-{name}").glob("*.log.gz"))
    run = import_run(read_files(logs), store, name=None, topics={}).run
    known = {"session.timeout.ms": 6_000, "metadata.max.age.ms": 2_000}
    return list(store.read(run.id)), replayable_run(store, run, given=known, choices=[OLD, NEW])


@pytest.mark.parametrize("name", GROUPS)
def test_the_topic_is_not_there_at_first_and_the_group_reads_it_from_its_creation_on(name: str) -> None:
    facts, _ = imported(name)
    created = [(f.at_ms, f.event) for f in facts if isinstance(f.event, TopicCreated)]
    assert [(e.topic[-2:], e.partitions) for _, e in created] == [("-a", 12), ("-b", 6)]
    assert created[0][0] == 0 < created[1][0] <= CREATED_MS[name]
    declared = [(f.at_ms, [t[-2:] for t in f.event.topics]) for f in facts if isinstance(f.event, GroupDeclared)]
    assert declared == [(0, ["-a"]), (created[1][0], ["-a", "-b"])]


def test_the_broker_that_looks_for_topics_says_why_the_epoch_grew() -> None:
    facts, _ = imported("kip848-uniform")
    bumps = [f.event for f in facts if isinstance(f.event, GroupEpochBumped)]
    assert [(bump.epoch, bump.cause) for bump in bumps[-2:]] == [
        (4, BumpCause.SUBSCRIPTION_CHANGED),
        (5, BumpCause.EXPRESSION_RESOLVED),
    ]


@pytest.mark.parametrize("name", GROUPS)
def test_the_creation_is_an_action_of_the_incident_and_lies_in_the_time_that_the_logs_leave(name: str) -> None:
    found = imported(name)[1].incident
    assert found is not None
    assert [topic[-2:] for topic in found.topics] == ["-a"]
    (growth,) = found.growths
    assert growth.created
    assert growth.by_coordinator == (name != "range")
    assert growth.happened.since_ms <= CREATED_MS[name] <= growth.happened.until_ms
    (grow,) = [action for action in actions_of(found, None, None) if action.kind is ActionKind.GROW]
    assert (grow.partitions, grow.topics[0][-2:]) == (6, "-b")
    assert not [action for action in actions_of(found, None, None) if action.kind is ActionKind.SUBSCRIBE]


@pytest.mark.parametrize("name", GROUPS)
def test_replays_of_either_protocol_create_the_topic_and_members_take_it_over(name: str) -> None:
    run = imported(name)[1]
    for choice in (AS_RECORDED, OLD, NEW):
        replayed = run.replay(choice, 2)
        assert replayed.failure is None
        (late,) = [f for f in replayed.facts if isinstance(f.event, TopicCreated) and f.at_ms > replayed.from_ms]
        taken = [f.at_ms for f in replayed.facts if isinstance(f.event, ViewChanged) and "-b" in topics_of(f.event)]
        assert taken
        assert min(taken) > late.at_ms


def topics_of(view: ViewChanged) -> set[str]:
    return {partition.topic[-2:] for partition in view.partitions}


def test_a_migration_names_the_topics_that_came_later() -> None:
    eager = imported("range")[1].incident
    assert eager is not None
    (sentence,) = [each for each in checks(eager, NEW) if each.startswith("expressions")]
    assert sentence.startswith(f"expressions (members subscribe by one: {eager.growths[0].topic} came later)")
    assert any(f"--entity-name {eager.group} --add-config" in each for each in checks(eager, NEW))


def test_classic_members_look_for_topics_themselves_where_the_coordinator_did_it() -> None:
    uniform, eager = (imported(name)[1].incident for name in GROUPS)
    assert uniform is not None
    assert eager is not None
    assert [in_own_time(uniform, each) for each in (AS_RECORDED, OLD, NEW)] == [False, True, False]
    assert [in_own_time(eager, each) for each in (AS_RECORDED, OLD, NEW)] == [False, False, False]
    assert any("metadata.max.age.ms=2000; the coordinator did it" in note for note in notes(uniform, [OLD]))


@pytest.mark.parametrize(("printed", "age_ms"), [(2_000, 2_000), (None, 300_000)])
def test_the_age_of_metadata_is_what_members_print_else_the_default_and_said_to_be_assumed(
    tmp_path: Path, printed: int | None, age_ms: int
) -> None:
    for log in (DATA / "topic-later-kip848-uniform").glob("*.log.gz"):
        lines = gzip.decompress(log.read_bytes()).decode()
        if log.name.startswith("m") and printed is not None:
            lines = f"{config_block(lines, printed)}{lines}"
        (tmp_path / log.stem).write_text(lines)
    store = MemoryStore()
    run = import_run(read_files(sorted(tmp_path.glob("*.log"))), store, name=None, topics={}).run
    replayable = replayable_run(store, run, given={}, choices=[OLD])
    assert replayable.incident is not None
    assert metadata_age_ms(replayable.incident, OLD) == age_ms
    (note,) = [each for each in notes(replayable.incident, [OLD]) if "look for new topics" in each]
    assert f"metadata.max.age.ms={age_ms}" in note
    assert ("no log shows it, and a shorter one costs less" in note) is (printed is None)


def config_block(lines: str, age_ms: int) -> str:
    """What a Java consumer prints before its first line in `lines`."""
    stamp = lines[: lines.index("]") + 1]
    group = lines.split("groupId=")[1].split("]")[0]
    client = lines.split("clientId=")[1].split(",")[0]
    return (
        f"{stamp} INFO ConsumerConfig values: \n\tclient.id = {client}\n\tgroup.id = {group}\n"
        f"\tmetadata.max.age.ms = {age_ms}\n (org.apache.kafka.clients.consumer.ConsumerConfig)\n"
    )


def test_members_from_before_the_record_look_at_some_time_within_the_age_of_their_metadata() -> None:
    """The record begins when they have settled, so that no log shows when they looked last."""
    run = imported("kip848-uniform")[1]
    assert run.incident is not None
    for incarnation in run.incident.incarnations:
        assert incarnation.starts_ms is not None
    before = replace(
        run.incident,
        members=tuple(
            replace(member, incarnations=tuple(replace(each, starts_ms=None) for each in member.incarnations))
            for member in run.incident.members
        ),
    )
    asked: dict[str, set[int]] = {"before": set(), "as recorded": set()}
    choice = replace(OLD, settings={"metadata.max.age.ms": "9000"})
    for seed in range(5):
        for name, incident in (("before", before), ("as recorded", run.incident)):
            replayed = replay_incident(incident, choice, seed)
            created = next(
                f.at_ms for f in replayed.facts if isinstance(f.event, TopicCreated) and f.at_ms > replayed.from_ms
            )
            noticed = [f.at_ms for f in replayed.facts if isinstance(f.event, RejoinRequested) and f.at_ms > created]
            asked[name].add(min(noticed) % 9_000)
    assert max(asked["before"]) - min(asked["before"]) > 1_000
    assert max(asked["as recorded"]) - min(asked["as recorded"]) <= 1_000


@pytest.mark.parametrize(
    ("reason", "before"),
    [
        ("subscription has changed from [a, c] at the beginning of the rebalance to [b, a]", ("a", "c")),
        ("subscription has changed from [] at the beginning of the rebalance to [b]", ()),
        ("group is already rebalancing", None),
    ],
)
def test_what_a_member_subscribed_to_before(reason: str, before: tuple[str, ...] | None) -> None:
    assert subscription_before(reason) == before
