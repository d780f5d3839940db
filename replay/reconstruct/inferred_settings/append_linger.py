"""How long the coordinator holds an answer back that wrote a record: group.coordinator.append.linger.ms.

A leader's SyncGroup is answered when its assignment is written. Kafka 4.0 lingers, 4.4 does not (-1: adaptive), other
disks and replicas take their own time: simulated, all of these are one time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Recorded, group_of, group_stream
from groupsim.events.types import MemberId
from groupsim.replay.reconstruct.inferred_settings.evidence import Inference

_DEFAULT_MS = 10
_LONGEST_WRITE_MS = 50
"""A leader that has the answer later was not waiting for it."""
_WAY_MS = 1
"""From the broker to the client's log."""
_WHOLE_SECOND_MS = 1_000
_UNKNOWN = "is Kafka 4.0's default; no log shows how long a leader waits for the answer to its assignment"


def writes_ms(facts: Iterable[Recorded], group: str) -> list[int]:
    """How long writes of the coordinator took: from receiving an assignment until the leader, if it waits, has the
    answer. Empty if the logs have whole seconds only.
    """
    stored: dict[tuple[MemberId | None, int], int] = {}
    found, exact = [], False
    for fact in facts:
        match fact.event:
            case c.AssignmentStored(generation=generation, leader=leader) if fact.stream == group_stream(group):
                stored[leader, generation] = fact.at_ms
            case p.SyncOk(member=member, generation=generation) if group_of(fact.stream) == group:
                wait_ms = fact.at_ms - stored.get((member, generation), fact.at_ms + 1)
                exact = exact or wait_ms % _WHOLE_SECOND_MS > 0
                if 0 <= wait_ms <= _LONGEST_WRITE_MS:
                    found.append(wait_ms)
            case _:
                pass
    return found if exact else []


def append_linger(writes: Sequence[int]) -> Inference:
    """The time that hardly any write was faster than: what others took beyond that is the host's."""
    if not writes:
        return Inference(_DEFAULT_MS, _UNKNOWN)
    return Inference(max(1, sorted(writes)[len(writes) // 10] - _WAY_MS), known=True)
