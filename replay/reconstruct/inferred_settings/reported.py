"""What logs say of the settings: `ConsumerConfig values:`, and what members reported to the coordinator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from groupsim.events import classic as c
from groupsim.events.base import Recorded, group_of, group_stream
from groupsim.events.client import ProcessStarted
from groupsim.events.consumer import ConsumerMemberUpdated
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, MAX_POLL, METADATA_AGE, SESSION
from groupsim.simulation.clients.config import CLASSIC, REFUSED

_PRINTED = {
    SESSION: SESSION,
    HEARTBEAT: HEARTBEAT,
    MAX_POLL: MAX_POLL,
    METADATA_AGE: METADATA_AGE,
    "consumer.heartbeat.interval.ms": HEARTBEAT,
}
"""By what a process has in its settings. The last is the group's own, of members of the consumer protocol."""


def reported(facts: Iterable[Recorded], group: str) -> dict[str, int]:
    """The settings in ms that members of the group printed when they started, or reported with JoinGroup.

    Where members differ, the value that most of them have.
    """
    found: dict[str, Counter[int]] = {}
    for fact in facts:
        event = fact.event
        if isinstance(event, ProcessStarted) and group_of(fact.stream) == group:
            speaks = str(event.config.get("group.protocol", CLASSIC)).lower()
            for printed, name in _PRINTED.items():
                if printed in REFUSED.get(speaks, ()):
                    continue  # a consumer prints the defaults of settings that its group has instead of it
                value = event.config.get(printed)
                if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                    found.setdefault(name, Counter())[value] += 1
        elif fact.stream == group_stream(group) and isinstance(event, c.MemberAdded | c.MemberIdIssued):
            if event.session_timeout_ms is not None:
                found.setdefault(SESSION, Counter())[event.session_timeout_ms] += 1
            if isinstance(event, c.MemberAdded) and event.rebalance_timeout_ms is not None:
                found.setdefault(MAX_POLL, Counter())[event.rebalance_timeout_ms] += 1
        elif fact.stream == group_stream(group) and isinstance(event, ConsumerMemberUpdated):
            if event.rebalance_timeout_ms > 0:
                found.setdefault(MAX_POLL, Counter())[event.rebalance_timeout_ms] += 1
            if event.classic is not None and event.classic.session_timeout_ms > 0:
                found.setdefault(SESSION, Counter())[event.classic.session_timeout_ms] += 1
    return {name: values.most_common(1)[0][0] for name, values in found.items()}
