"""The question that an import proposes: what the other group protocol would change."""

from __future__ import annotations

import pytest

from groupsim.analysis.what_ifs import protocol_question
from groupsim.events.base import Event, Recorded, group_stream, process_stream
from groupsim.events.classic import JoinPhaseCompleted
from groupsim.events.client import EpochReceived, JoinOk, ProcessStarted
from groupsim.events.consumer import TargetComputed

Facts = list[tuple[str, Event]]


TARGET: Facts = [(group_stream("g"), TargetComputed(epoch=3, assignor="uniform", changed={}, at_ms=0))]


EPOCH: Facts = [(process_stream("g", "m1.0"), EpochReceived(process="m1.0", epoch=3, member="m1"))]


def joined(*assignors: str | None, group: str = "g") -> Facts:
    return [
        (group_stream(group), JoinPhaseCompleted(generation=number, protocol=name, size=2))
        for number, name in enumerate(assignors, start=1)
    ]


def started(*clients: str, library: str | None = "java", instance: str | None = None, group: str = "g") -> Facts:
    found: Facts = []
    for number, client in enumerate(clients):
        name = f"{client}.{number}"
        stream = process_stream(group, name)
        found.append((stream, ProcessStarted(process=name, client_id=client, library=library, instance_id=instance)))
        found.append((stream, JoinOk(process=name, generation=1, member=name)))
    return found


CLASSIC = "--protocol classic"
EACH = "--protocol consumer --protocol classic"
ROLL = "--migrate rolling"


@pytest.mark.parametrize(
    ("facts", "asked"),
    [
        (joined("range") + started("m1", "m2"), ROLL),
        (joined(None, None), ROLL),
        (joined("range") + started("m1", "m2", library="sarama"), None),
        (joined("range") + started("m1", "m2", library="kafka-python"), None),
        (joined("stream"), None),
        (joined("range") + started("m1", "m1") + TARGET, EACH),
        (TARGET + EPOCH, CLASSIC),
        (joined("range", group="other") + started("m1", group="other") + TARGET, ROLL),
        (started("m1", "m1"), None),
        (joined("range") + started("m1")[:1], None),  # nobody knows how it joined
    ],
)
def test_the_protocol_that_is_proposed_is_one_that_the_group_has_not_and_its_clients_have(
    facts: Facts, asked: str | None
) -> None:
    recorded = [Recorded("run", seq, seq, stream, seq, event) for seq, (stream, event) in enumerate(facts)]
    found = protocol_question("abc", recorded)
    assert (None if found is None else found[0].removeprefix("groupsim incident whatif abc ")) == asked
