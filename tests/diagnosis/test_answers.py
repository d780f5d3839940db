"""First sentences that name what lasts, and what has a remedy."""

from __future__ import annotations

import gzip
import re
from pathlib import Path, PurePath

import pytest

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.explain import explain_reading, explain_run
from groupsim.diagnosis.times import share
from groupsim.diagnosis.to_text import as_text
from groupsim.events.base import Recorded, group_stream
from groupsim.events.classic import MemberAdded, MemberRemoved
from groupsim.incidents.logs.reading import read_files
from tests.diagnosis.small_logs import explained

WORKER = "[Worker clientId=worker-a, groupId=connect-x] "
LOST = "Group coordinator broker1:9092 (id: 2147483647 rack: null) is unavailable or invalid, will attempt rediscovery"
REVOKED = "Broker coordinator was unreachable for 3000ms. Revoking previous assignment Assignment{error=0}"
ASSIGNED = "Joined group at generation {} with protocol version 2 and got assignment: Assignment{{error=0, leader='l',"
PARTS = (
    " leaderUrl='u', offset=3, connectorIds=[{}], taskIds=[{}], revokedConnectorIds=[], revokedTaskIds=[], delay={}}}"
)


def assigned(generation: int, connectors: str, tasks: str, delay: int) -> str:
    """A Connect worker's line about its assignment."""
    return WORKER + ASSIGNED.format(generation) + PARTS.format(connectors, tasks, delay)


def test_a_connector_that_stays_down_stands_beside_the_outage_it_follows_from(tmp_path: Path) -> None:
    lines = [
        "[2026-03-01 10:00:00,000] INFO " + assigned(4, "files", "files-0", 0),
        "[2026-03-01 10:01:00,000] INFO " + WORKER + LOST,
        "[2026-03-01 10:01:03,000] INFO " + WORKER + REVOKED,
        "[2026-03-01 10:01:10,000] INFO " + assigned(5, "", "", 300_000),
    ]
    back = "[2026-03-01 10:06:10,000] INFO " + assigned(6, "files", "files-0", 0)
    answer = explained(tmp_path, *lines, back).answer
    assert "worker-a lost its coordinator broker1:9092, and connector files stayed unassigned for 5m00s" in answer
    assert answer.endswith("lower scheduled.rebalance.max.delay.ms.")
    ends = "[2026-03-01 10:03:10,000] INFO " + WORKER + "Rebalance started"
    assert "stayed unassigned for at least 2m00s" in explained(tmp_path, *lines, ends).answer


@pytest.mark.parametrize(
    ("stopped_ms", "said"),
    [
        ((170, 170), "less than 1 %"),
        ((3, 97_000), "at most 9.7 %"),
        ((0, 97_000), "9.7 %"),
        ((130_000, 260_000), "13 to 26 %"),
        ((170, None), None),
        ((0, 0), None),
    ],
)
def test_a_share_below_one_percent_has_no_figure(stopped_ms: tuple[int, int | None], said: str | None) -> None:
    assert share(stopped_ms, 1_000_000) == said


def test_the_evidence_of_a_run_is_said_in_words() -> None:
    events = [
        MemberAdded(member="m1", client_id="app"),
        MemberRemoved(member="m1", cause="session-expired"),
    ]
    facts = [Recorded("r", 7 + n, 41_204 * n, group_stream("orders"), n, event) for n, event in enumerate(events)]
    found = explain_run(facts)
    assert found is not None
    assert "    run:8  41,204 ms: member failed, m1: the member session expired." in list(as_text(found))


STARTS = "[2026-03-01 09:59:50,000] INFO [KafkaRaftServer nodeId=1] Kafka Server started (kafka.server.KafkaRaftServer)"


@pytest.mark.parametrize(("generation", "moved"), [(0, False), (7, True)])
def test_a_broker_that_starts_before_a_group_was_there_moves_nothing(
    tmp_path: Path, generation: int, moved: bool
) -> None:
    begins = (
        "[2026-03-01 10:00:00,000] INFO [GroupCoordinator id=1] Preparing to rebalance group orders in state"
        f" PreparingRebalance with old generation {generation} (reason: Adding new member app-1-x"
        ") (kafka.coordinator.group.GroupCoordinator)"
    )
    codes = {finding.code for finding in explained(tmp_path, STARTS, begins).groups[0].findings}
    assert ("coordinator-moved" in codes) == moved


EXAMPLES = Path(__file__).parents[2] / "examples" / "incidents"


def with_one_client_id(folder: Path, *logs: str) -> list[Path]:
    """Logs of an example in which every client has the id `app`."""
    paths = []
    for log in logs:
        text = gzip.decompress((EXAMPLES / log).read_bytes()).decode()
        text = re.sub(r"clientId=m\d", "clientId=app", re.sub(r"\bm\d-(?=[0-9a-f]{8}-)", "app-", text))
        paths.append(folder / PurePath(log).name.removesuffix(".gz"))
        paths[-1].write_text(text, encoding="utf-8")
    return paths


@pytest.mark.parametrize(
    ("logs", "said"),
    [
        (["kill9-range/broker.log.gz"], "app-abda73aa sent no heartbeats"),
        (["rolling-restart-range/broker.log.gz"], "3 members were closed and came back one after the other"),
        ([f"max-poll-range/m{n}.0.log.gz" for n in (1, 2, 3)], "app in m2.0.log took longer between two polls"),
    ],
)
def test_members_of_one_client_id_have_names_of_their_own(tmp_path: Path, logs: list[str], said: str) -> None:
    found = explain_reading(read_files(with_one_client_id(tmp_path, *logs)))
    assert found is not None
    assert found.answer.startswith(said)
    assert "3 members started" in {finding.code: finding.what for finding in found.groups[0].findings}[Code.START_UP]


@pytest.mark.parametrize("left", [True, False], ids=["the member had left", "the group had a member"])
def test_a_broker_that_is_shut_down_takes_nothing_from_a_group_without_members(left: bool, tmp_path: Path) -> None:
    broker = "[2026-03-01 10:0{}:00,000] INFO [GroupCoordinator 1]: {} (kafka.coordinator.group.GroupCoordinator)"
    preparing = "Preparing to rebalance group billing in state PreparingRebalance with old generation {} (reason: {})"
    goes = [
        broker.format(1, preparing.format(7, "Removing member app-1f on LeaveGroup; client reason: it was closed")),
        broker.format(1, "Group billing with generation 8 is now empty (__consumer_offsets-3)"),
    ]
    joins = "Dynamic member with unknown member id joins group billing in Empty state. Created a new member id app-2e"
    lines = [
        broker.format(0, "Stabilized group billing generation 7 (__consumer_offsets-3) with 1 members"),
        *(goes if left else ()),
        broker.format(2, "Shutting down."),
        broker.format(2, "Shutdown complete."),
        broker.format(5, "Starting up."),
        broker.format(6, f"{joins} and request the member to rejoin with this id."),
        broker.format(6, preparing.format(8, "Adding new member app-2e with group instance id None")),
        broker.format(6, "Stabilized group billing generation 9 (__consumer_offsets-3) with 1 members"),
    ]
    first = explained(tmp_path, *lines).groups[0].findings[0]
    assert (first.code is Code.COORDINATOR_MOVED) != left
