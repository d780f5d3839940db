"""Recordings of old groups: their plan, the heartbeats in each library's log, and those that are kept here."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import pytest

from groupsim.conformance.timelines.recorded_form import libraries
from groupsim.conformance.timelines.recording import check_actions, parse
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON, LIBRDKAFKA
from recorders.families.old_groups import STORIES, sent_ms
from tests.conformance.old_groups import Recorded

ROOT = Path(__file__).parents[1] / "golden" / "old-groups"
KEPT = sorted(path.parent for path in ROOT.glob("*/heartbeats.json.gz"))
NOON_MS = 1_795_953_600_000
"""2026-11-29 12:00:00 UTC."""
LOGGED: dict[str, list[str]] = {
    JAVA: [
        "[2026-11-29 12:00:00,118] INFO [Consumer clientId=m1, groupId=g] Successfully synced group (o.K)",
        "[2026-11-29 12:00:03,121] DEBUG [Consumer clientId=m1, groupId=g] Sending Heartbeat request with generation 2"
        " and member id m1-7 to coordinator 127.0.0.1:9092 (id: +1 rack: null) (o.K)",
        "[2026-11-29 12:00:03,122] DEBUG [Consumer clientId=m1, groupId=g] Received successful Heartbeat (o.K)",
    ],
    LIBRDKAFKA: [
        '%7|1795953600.118|CGRPJOINSTATE|m5#consumer-1| [thrd:main]: Group "g" changed join state',
        '%7|1795953603.121|HEARTBEAT|m5#consumer-1| [thrd:main]: GroupCoordinator/1: Heartbeat for group "g"'
        " generation id 2",
    ],
    KAFKA_PYTHON: [
        "[2026-11-29 12:00:00,118] DEBUG Waiting 3.0 secs to send next heartbeat (kafka.coordinator.heartbeat)",
        "[2026-11-29 12:00:03,121] DEBUG Sending heartbeat for group g <Generation 2 (member_id: m6-7)> (kafka.c)",
        "[2026-11-29 12:00:03,123] DEBUG Received heartbeat response for group g: HeartbeatResponse() (kafka.c)",
    ],
}


@pytest.mark.parametrize("library", LOGGED)
def test_a_log_of_each_library_shows_when_a_heartbeat_was_sent(library: str) -> None:
    assert list(sent_ms(LOGGED[library], library)) == [NOON_MS + 3_121]


@pytest.mark.parametrize("name", STORIES)
def test_the_plan_of_a_story_can_be_played(name: str) -> None:
    run = STORIES[name]
    starts: dict[str, int] = {}
    actions = []
    for at_ms, action, member, more in run.actions:
        starts[member] = starts.get(member, -1) + (action == "start")
        actions.append({"action": action, "member": member, "t_ms": at_ms, "incarnation": starts[member], **more})
    head = {**run.head(), "actions": actions}
    check_actions(parse(head))
    assert max(action["t_ms"] for action in actions) < run.end_ms
    assert run.group not in {other.group for key, other in STORIES.items() if key != name}
    for member, library in run.libraries.items():
        assert libraries(head["config"], actions).of(f"{member}.1") == library


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_recorded_members_send_a_heartbeat_each_interval_of_the_quiet_time(folder: Path) -> None:
    recorded = Recorded.read(folder)
    since, until = recorded.quiet
    inside = recorded.in_quiet(recorded.heartbeats)
    assert sorted(inside) == [f"m{n}.0" for n in range(1, 7)]
    expected = (until - since) / recorded.interval_ms
    assert all(expected - 4 <= len(sent) <= expected for sent in inside.values())


def test_members_at_work_are_as_late_as_their_naps_not_as_half_a_batch() -> None:
    late = {folder.name.split("__")[0]: mean(Recorded.read(folder).lateness_of_all) for folder in KEPT}
    assert 1 < late["old-group"] < 2
    assert 9 < late["old-group-at-work"] < 12
    assert 9 < late["old-group-heavy"] < 12, "a batch takes 100 ms, and there is always one"
