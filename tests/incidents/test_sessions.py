"""Which session a dead member had: of the consumer protocol it is the group's, at least 45 seconds by default."""

from __future__ import annotations

from pathlib import Path

from groupsim.events.client import Crashed
from tests.incidents.imported import BROKER, C1, adding, import_logs, joined
from tests.incidents.lines import CLASS, stamped, write

_COORDINATOR = "[GroupCoordinator id=1 topic=__consumer_offsets partition=7] [GroupId billing] "
_MANAGER = " (org.apache.kafka.coordinator.group.GroupMetadataManager)"
_CONFIG = (
    "ConsumerConfig values: \n\tclient.id = c1\n\tgroup.id = billing\n\tgroup.protocol = consumer\n"
    "\tsession.timeout.ms = 45000\n\theartbeat.interval.ms = 3000"
)


def _states(*steps: tuple[float, str, str]) -> list[str]:
    text = "Member bmF0aXZl with epoch 2 transitioned from"
    return [stamped(second, f"{C1}{text} {before} to {after}.{CLASS}") for second, before, after in steps]


def _imported(folder: Path, fenced: float, last: float) -> tuple[str, float, list[tuple[float, float]]]:
    """The note on a member that fell silent, its death, and the bounds, seconds after its removal."""
    client = [
        stamped(0, _CONFIG),
        *_states((1, "UNSUBSCRIBED", "JOINING"), (1.1, "JOINING", "RECONCILING")),
        stamped(1.1, f"{C1}Member bmF0aXZl received heartbeat interval 5000ms from the group coordinator{CLASS}"),
        adding(1.2, "orders-0"),
        *_states((1.3, "RECONCILING", "ACKNOWLEDGING"), (last, "ACKNOWLEDGING", "STABLE")),
    ]
    broker = [
        (1, "Member bmF0aXZl joins the consumer group using the consumer protocol."),
        (1, "Bumped group epoch to 2 with metadata hash 4."),
        (1, "Computed a new target assignment for epoch 2 with 'uniform' assignor in 8ms."),
        (fenced, "Member bmF0aXZl fenced from the group because the member session expired."),
    ]
    said = [stamped(second, f"{_COORDINATOR}{text}{_MANAGER}") for second, text in broker]
    result, facts = import_logs(write(folder, *client), write(folder, *said, name="b.log"))
    note = next(each for each in result.notes if "fell silent" in each)
    died = next(fact.at_ms for fact in facts if isinstance(fact.event, Crashed))
    removed_ms = round(fenced * 1_000)
    bounds = [
        ((each["from_ms"] - removed_ms) / 1_000, (each["to_ms"] - removed_ms) / 1_000)
        for each in result.run.summary["doubts"]  # type: ignore[attr-defined]
        if each["inexact"]
    ]
    return note, (died - removed_ms) / 1_000, bounds


def test_a_session_of_the_consumer_protocol_lasts_at_least_45_seconds_by_default(tmp_path: Path) -> None:
    note, died, bounds = _imported(tmp_path, fenced=58, last=2)
    assert "a session lasts at least 45000 ms (group.consumer.min.session.timeout.ms, by default)" in note
    assert (died, bounds) == (-45, [(-56, -40)])


def test_a_member_that_wrote_later_than_that_has_a_shorter_one_which_no_log_shows(tmp_path: Path) -> None:
    note, died, bounds = _imported(tmp_path, fenced=30, last=10)
    assert "its session is shorter than the 45000 ms that brokers allow by default" in note
    assert "with an assumed one of 6000 ms" in note
    assert (died, bounds) == (-6, [(-20, 0)])


def test_a_classic_session_lasts_at_least_6_seconds_by_default(tmp_path: Path) -> None:
    lines = [*joined(1, 1), adding(1.4, "orders-0")]
    gone = "Member c1-11111111-2222-3333-4444-555555555555 in group billing has failed, removing it from the group"
    said = [
        stamped(1.05, f"{BROKER}Stabilized group billing generation 1 (__consumer_offsets-1) with 1 members"),
        stamped(1.15, f"{BROKER}Assignment received from leader for group billing for generation 1"),
        stamped(30, f"{BROKER}{gone} (kafka.coordinator.group.GroupCoordinator)"),
    ]
    result, _ = import_logs(write(tmp_path, *lines), write(tmp_path, *said, name="b.log"))
    assert any("a session lasts at least 6000 ms (group.min.session.timeout.ms, by default)" in n for n in result.notes)
