"""Which latency a message gets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groupsim.coordinator.classic.commands import Sync, SyncAnswer
from groupsim.coordinator.outcome import Error
from groupsim.simulation.clients.config import JAVA
from groupsim.simulation.latencies import LATENCIES, Drawn
from groupsim.simulation.message_delays import Delays
from groupsim.simulation.network import PASS, Deliver, Handled, Message
from groupsim.simulation.requests import ToGroup

BROKER = "broker"


def always(ms: int) -> Drawn:
    return Drawn((ms,) * 10)


SEEN = replace(
    LATENCIES[JAVA],
    first_synced=always(7),
    first_assignor=always(0),
    at_once=always(2),
    first_assigned=always(30),
    assigned=always(20),
)


def answered(assignment: tuple[tuple[str, tuple[()]], ...], after_ms: int) -> list[Handled]:
    """The delays of a member's first SyncGroup and of its answer, which comes so much later."""
    now = 100
    rule = Delays(lambda _: SEEN, lambda drawn, _: drawn.quantiles_ms[0], BROKER, lambda: now)
    body = ToGroup("g", Sync(request=1, member="m", generation=1, assignment=assignment))
    sent = rule(Message("m1.0", BROKER, "SyncGroup", 1, body))
    now += after_ms
    answer = SyncAnswer(error=Error.NONE, assignment=())
    return [sent, rule(Message(BROKER, "m1.0", "SyncGroup", 1, answer, response=True))]


@pytest.mark.parametrize(
    ("assignment", "after_ms", "delays"),
    [
        ((), 8, [Deliver(7), Deliver(2)]),
        ((), 9, [Deliver(7), Deliver(30)]),
        ((("m", ()),), 1, [PASS, Deliver(30)]),
    ],
    ids=["a follower that waits for nothing", "a follower that waits", "a leader, however quick the write is"],
)
def test_a_leader_always_waits_for_its_assignment_to_be_written(
    assignment: tuple[tuple[str, tuple[()]], ...], after_ms: int, delays: list[Handled]
) -> None:
    assert answered(assignment, after_ms) == delays
