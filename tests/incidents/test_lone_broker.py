"""A broker that restarts and is the cluster's only one: a recorded consumer group on Kafka 4.4."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from groupsim.analysis import load
from groupsim.analysis.availability.labels import SubLabel
from groupsim.diagnosis.explain import explain_reading
from groupsim.events.classic import RebalanceStarted
from groupsim.events.client import RequestFailed
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.rows import Reading
from groupsim.replay.choice import Choice
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.simulation.clients.config import CLASSIC
from groupsim.storage.memory import MemoryStore

DATA = Path(__file__).parents[2] / "examples/only-broker-down"
RANGE = Choice(name="range", settings={"partition.assignment.strategy": "range"}, protocol=CLASSIC)
NO_BROKER = "] Bootstrap broker "


def copied(folder: Path, without: str | None) -> Reading:
    """The recorded logs, copied to `folder` and read; `without` the lines that have these words."""
    for log in DATA.glob("*.log.gz"):
        lines = gzip.decompress(log.read_bytes()).decode().splitlines(keepends=True)
        kept = [line for line in lines if without is None or without not in line]
        (folder / log.stem).write_text("".join(kept))
    return read_files(sorted(folder.glob("*.log")))


def replayable(folder: Path, *, without: str | None = None) -> ReplayableRun:
    """These logs, imported."""
    store = MemoryStore()
    run = import_run(copied(folder, without), store, name=None, topics={}).run
    return replayable_run(store, run, given={}, choices=[RANGE])


def test_members_that_ask_bootstrap_servers_again_show_that_no_other_broker_was_there(tmp_path: Path) -> None:
    run = replayable(tmp_path)
    assert run.incident is not None
    (failover,) = run.incident.failovers
    assert failover.alone
    asked = [each.brokers_lost for each in run.incident.incarnations]
    assert [len(times) for times in asked] == [1, 1, 1]
    assert all(failover.since_ms - 1_000 < times[0] < failover.until_ms for times in asked)


def test_without_such_lines_other_brokers_were_there(tmp_path: Path) -> None:
    run = replayable(tmp_path, without=NO_BROKER)
    assert run.incident is not None
    (failover,) = run.incident.failovers
    assert not failover.alone


@pytest.mark.parametrize(("without", "least", "most"), [(None, 5_000, 7_000), (NO_BROKER, 0, 0)])
def test_while_clients_reach_no_broker_their_partitions_are_unavailable(
    tmp_path: Path, without: str | None, least: int, most: int
) -> None:
    store, reading = MemoryStore(), copied(tmp_path, without)
    imported = import_run(reading, store, name=None, topics={}).run
    stalled = [i for i in load(store, imported.id).intervals if i.sub_label == SubLabel.NO_BROKER]
    assert len({i.partition for i in stalled}) == (12 if most else 0)
    assert all(i.unavailable and least <= i.duration_ms <= most for i in stalled)
    explanation = explain_reading(reading)
    assert explanation is not None
    nobody = explanation.groups[0].stopped_ms
    assert nobody is not None
    assert nobody[1] is not None
    assert least <= nobody[1] <= most + 500, "nobody could read, at most"


@pytest.mark.parametrize(("without", "rebalances"), [(None, True), (NO_BROKER, False)])
def test_the_leader_of_a_classic_group_has_forgotten_its_metadata_and_joins_again(
    tmp_path: Path, without: str | None, rebalances: bool
) -> None:
    """Recorded with `range` beside this group: the leader joined again, and it cost 5.8 partition-seconds."""
    run = replayable(tmp_path, without=without)
    assert run.incident is not None
    back_ms = run.incident.failovers[0].until_ms
    found = []
    for seed in range(4):
        replayed = run.replay(RANGE, seed)
        started = [f.at_ms - replayed.from_ms for f in replayed.facts if isinstance(f.event, RebalanceStarted)]
        found.append(any(at >= back_ms - 300 for at in started))
    assert any(found) is rebalances


def test_a_broker_that_fences_a_member_shows_its_max_poll_interval(tmp_path: Path) -> None:
    assert replayable(tmp_path).incident.settings["max.poll.interval.ms"] == 300_000  # type: ignore[union-attr]
    broker = tmp_path / "broker.log"
    head = "[2026-11-22 06:07:29,900] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=0] [GroupId "
    group = broker.read_text().split("[GroupId ")[1].split("]")[0]
    why = "fenced from the group because it failed to transition from epoch 4 within 12000ms."
    broker.write_text(f"{broker.read_text()}{head}{group}] Member TqKsqF5eR8ut_lNQ4m4rwA {why} (x.Y)\n")
    store = MemoryStore()
    run = import_run(read_files(sorted(tmp_path.glob("*.log"))), store, name=None, topics={}).run
    incident = replayable_run(store, run, given={}, choices=[]).incident
    assert incident is not None
    assert incident.settings["max.poll.interval.ms"] == 12_000


def test_a_client_that_finds_no_broker_when_it_starts_shows_nothing_of_the_cluster(tmp_path: Path) -> None:
    log = tmp_path / "m1.log"
    who = "[Consumer clientId=m1, groupId=g] "
    log.write_text(
        f"[2026-11-22 06:00:00,000] WARN {who}Bootstrap broker b:1 (id: -1 rack: null) disconnected (x.Y)\n"
        f"[2026-11-22 06:00:01,000] WARN {who}Bootstrap broker b:1 (id: -1 rack: null) disconnected (x.Y)\n"
        "[2026-11-22 06:00:01,500] WARN [Producer clientId=p] Bootstrap broker b:1 (id: -1) disconnected (x.Y)\n"
        f"[2026-11-22 06:00:02,000] INFO {who}Discovered group coordinator b:1 (id: 1 rack: null) (x.Y)\n"
        f"[2026-11-22 06:00:02,001] INFO {who}(Re-)joining group (x.Y)\n"
        f"[2026-11-22 06:00:03,000] INFO {who}Successfully joined group with generation Generation{{generationId=1,"
        " memberId='m1-1', protocol='range'} (x.Y)\n"
    )
    store = MemoryStore()
    imported = import_run(read_files([log]), store, name=None, topics={})
    facts = list(store.read(imported.run.id))
    assert [f.event.api for f in facts if isinstance(f.event, RequestFailed)] == ["Metadata"]
    (incarnation,) = replayable_run(store, imported.run, given={}, choices=[]).incident.incarnations  # type: ignore[union-attr]
    assert incarnation.brokers_lost == []
