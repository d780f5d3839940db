"""A coordinator that was lost: the screen says whether it is back, with the line that shows it, and what waits."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.to_text import as_text
from tests.diagnosis.small_logs import explained
from tests.diagnosis.test_answers import LOST, REVOKED, WORKER, assigned

_FOUND = "Discovered group coordinator broker1:9092 (id: 2147483647 rack: null)"


def worker(second: int, said: str) -> str:
    """A line of a Connect worker."""
    return f"[2026-03-01 10:{second // 60:02d}:{second % 60:02d},000] INFO {said}"


def outage(*back: str) -> list[str]:
    """A worker with work loses its coordinator."""
    return [
        worker(0, assigned(4, "files", "files-0", 0)),
        worker(60, WORKER + LOST),
        worker(63, WORKER + REVOKED),
        *back,
    ]


BACK = [
    worker(70, WORKER + _FOUND),
    worker(70, WORKER + "Rebalance started"),
    worker(71, assigned(5, "", "", 300_000)),
]


def screen(folder: Path, *lines: str) -> list[str]:
    return list(as_text(explained(folder, *lines)))


def test_the_line_with_which_a_coordinator_is_back_is_shown(tmp_path: Path) -> None:
    shown = screen(tmp_path, *outage(*BACK))
    head = next(line for line in shown if line.startswith("coordinator-moved"))
    assert head.endswith(
        "worker-a lost its coordinator broker1:9092 for 10.0 s: its broker was stopped, restarted or could not be"
        " reached; then it was found again"
    )
    assert "  when: 2026-03-01 10:01:00 to 10:01:10" in shown
    lines = shown[shown.index("  lines:") + 1 :]
    assert [line.split()[0] for line in lines[:2]] == ["some.log:2", "some.log:4"]


def test_that_a_coordinator_is_not_back_is_said(tmp_path: Path) -> None:
    finding = explained(tmp_path, *outage()).groups[0].findings[0]
    assert finding.code is Code.COORDINATOR_MOVED
    assert finding.what.endswith("could not be reached; it is not back in these lines")


@pytest.mark.parametrize(("seconds", "still"), [(0, False), (40, True)])
def test_a_coordinator_lost_in_the_last_line_is_not_said_to_stay_away(
    tmp_path: Path, seconds: int, still: bool
) -> None:
    late = worker(30, WORKER + "worker poll timeout has expired.")
    lost = [worker(at, WORKER + LOST) for at in dict.fromkeys((60, 60 + seconds))]
    found = explained(tmp_path, worker(0, assigned(4, "files", "files-0", 0)), late, *lost)
    assert found.groups[0].findings[0].code is Code.POLL_TIMEOUT
    assert ("still gone" in found.answer) is still


@pytest.mark.parametrize(
    ("cause", "why"),
    [
        ("coordinator unavailable. isDisconnected: false", "was stopped, restarted or could not be reached"),
        ("coordinator unavailable. isDisconnected: true", "was stopped, restarted or could not be reached"),
        ("error response NOT_COORDINATOR. isDisconnected: false", "was not the coordinator any more"),
    ],
)
def test_a_client_that_finds_and_loses_its_coordinator_again_and_again_does_not_only_start(
    tmp_path: Path, cause: str, why: str
) -> None:
    gone = f"Group coordinator broker1:9092 (id: 2147483647 rack: null) is unavailable or invalid due to cause: {cause}"
    lines = [worker(n, WORKER + said) for n, said in enumerate([_FOUND, f"{gone}. Rediscovery will be attempted."] * 4)]
    client = [line.replace("Worker", "Consumer") for line in lines]
    start = worker(0, WORKER.replace("Worker", "Consumer") + "Subscribed to topic(s): orders")
    found = explained(tmp_path, start, *client)
    assert found.groups[0].findings[0].code is Code.COORDINATOR_MOVED
    assert found.answer.startswith("worker-a lost its coordinator broker1:9092 4 times")
    assert why in found.answer


def test_work_that_waits_for_its_worker_has_a_block_of_its_own(tmp_path: Path) -> None:
    shown = screen(tmp_path, *outage(*BACK, worker(200, WORKER + "Member w-1 sending LeaveGroup request")))
    heads = [line for line in shown if line.startswith(("coordinator-moved", "connect-delay", "  which led to: c"))]
    assert heads[1].startswith("connect-delay (shown, because of coordinator-moved): connector files stayed unassigned")
    assert "  do: lower scheduled.rebalance.max.delay.ms: to 0, so that other workers" in "\n".join(shown)
    assert not [line for line in shown if "the last rebalance ended" in line]  # only a broker's log shows that


@pytest.mark.parametrize("moves", [False, True])
def test_a_broker_that_was_shut_down_is_shown_to_be_back(tmp_path: Path, moves: bool) -> None:
    broker = "[2026-03-01 10:0{}:00,000] INFO [GroupCoordinator 1]: {} (kafka.coordinator.group.GroupCoordinator)"
    begins = "Preparing to rebalance group billing in state PreparingRebalance with old generation 7 (reason: {})"
    lines = [
        broker.format(0, "Stabilized group billing generation 7 (__consumer_offsets-3) with 1 members"),
        broker.format(2, "Shutting down."),
        broker.format(2, "Shutdown complete."),
        broker.format(5, "Starting up."),
        *[broker.format(6, begins.format("Adding new member app-2e with group instance id None"))] * moves,
        broker.format(7, "Stabilized group billing generation 8 (__consumer_offsets-3) with 1 members"),
    ]
    shown = screen(tmp_path, *lines)
    evidence = shown.index("  lines:") + 1
    places = [line.split()[0] for line in shown[evidence : evidence + 2]]
    assert places == ["some.log:2", f"some.log:{len(lines)}"]
    assert "  when: 2026-03-01 10:02:00 to 10:07:00" in shown
