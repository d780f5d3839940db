"""Which latency a message gets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groupsim.coordinator.classic.commands import REVOKED, Join, Sync, SyncAnswer
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
    sent=always(1),
    rejoined=always(9),
    joined=always(5),
    first_synced=always(7),
    first_assignor=always(0),
    at_once=always(2),
    first_assigned=always(30),
    assigned=always(20),
)


class Member:
    """A member whose messages are delayed, each distribution at its least."""

    def __init__(self) -> None:
        self.now = 100
        self._rule = Delays(lambda _: SEEN, lambda drawn, _: drawn.quantiles_ms[0], BROKER, lambda: self.now)
        self._number = 0

    def syncs(
        self, after_ms: int, assignment: tuple[tuple[str, tuple[()]], ...] = (), error: Error = Error.NONE
    ) -> list[Handled]:
        """The delays of a SyncGroup and of its answer, which comes so much later."""
        self._number += 1
        body = ToGroup("g", Sync(request=self._number, member="m", generation=1, assignment=assignment))
        sent = self._rule(Message("m1.0", BROKER, "SyncGroup", self._number, body))
        self.now += after_ms
        answer = SyncAnswer(error=error, assignment=())
        return [sent, self._rule(Message(BROKER, "m1.0", "SyncGroup", self._number, answer, response=True))]

    def joins(self, reason: str | None) -> Handled:
        """The delay of a JoinGroup."""
        return self._rule(Message("m1.0", BROKER, "JoinGroup", 0, ToGroup("g", Join(request=1, reason=reason))))


FOLLOWS: tuple[tuple[str, tuple[()]], ...] = ()
LEADS = (("m", ()),)


@pytest.mark.parametrize(
    ("assignment", "after_ms", "later"),
    [(FOLLOWS, 1, Deliver(2)), (FOLLOWS, 2, Deliver(20)), (LEADS, 1, Deliver(20))],
    ids=["a follower that waits for nothing", "a follower that waits", "a leader, however quick the write is"],
)
def test_a_leader_always_waits_for_its_assignment_to_be_written(
    assignment: tuple[tuple[str, tuple[()]], ...], after_ms: int, later: Handled
) -> None:
    member = Member()
    member.syncs(20)
    assert member.syncs(after_ms, assignment)[1] == later


@pytest.mark.parametrize("after_ms", [8, 9], ids=["waits for nothing", "waits"])
def test_the_first_assignment_of_a_process_takes_longer(after_ms: int) -> None:
    member = Member()
    assert member.syncs(after_ms) == [Deliver(7), Deliver(30)], "the first SyncGroup arrives after 7 ms"
    assert member.syncs(9) == [PASS, Deliver(20)]


def test_an_error_is_no_first_assignment() -> None:
    member = Member()
    assert member.syncs(9, error=Error.REBALANCE_IN_PROGRESS)[1] == Deliver(5)
    assert member.syncs(9)[1] == Deliver(30)


def test_a_cooperative_member_takes_longer_to_join_again_after_its_revoked_callback() -> None:
    member = Member()
    assert member.joins("group is already rebalancing") == member.joins(None) == Deliver(1)
    assert member.joins(REVOKED) == Deliver(9)
