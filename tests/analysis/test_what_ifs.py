"""The question that an import proposes: choices that the record does not have."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from groupsim.analysis.what_ifs import first_question, migration_question
from groupsim.events.base import Event, Recorded, group_stream, process_stream
from groupsim.events.classic import JoinPhaseCompleted
from groupsim.events.client import JoinOk, ProcessStarted
from groupsim.events.consumer import TargetComputed

Facts = list[tuple[str, Event]]


TARGET: Facts = [(group_stream("g"), TargetComputed(epoch=3, assignor="uniform", changed={}, at_ms=0))]


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


def question(facts: Facts, ask: Callable[[str, list[Recorded]], str | None] = first_question) -> str | None:
    recorded = [Recorded("run", seq, seq, stream, seq, event) for seq, (stream, event) in enumerate(facts)]
    found = ask("abc", recorded)
    return None if found is None else found.removeprefix("groupsim incident whatif abc ")


@pytest.mark.parametrize(
    ("facts", "asked"),
    [
        (joined("range"), "--assignor cooperative-sticky"),
        (joined("cooperative-sticky"), "--assignor range"),
        (joined("range", "cooperative-sticky"), "--assignor roundrobin"),
        (joined("range") + started("m1", "m2", library="sarama"), "--assignor roundrobin"),
        (joined("range") + started("m1", "m1"), "--assignor cooperative-sticky --set membership=static"),
        (joined("range") + started("m1", "m1", instance="i"), "--assignor cooperative-sticky"),
        (joined(None) + started("m1", "m1"), "--set membership=static"),
        (joined(None, None), None),
        (started("m1", "m1"), None),
        (joined("range") + started("m1")[:1], None),  # nobody knows how it joined
        (joined("range", group="a") + joined("cooperative-sticky", "cooperative-sticky"), "--assignor range"),
        (joined("range") + started("m1", "m1", group="other"), "--assignor cooperative-sticky"),
        (joined("range") + started("m1", "m1") + TARGET, "--protocol consumer --protocol classic"),
    ],
)
def test_what_is_proposed_is_not_what_the_record_has(facts: Facts, asked: str | None) -> None:
    assert question(facts) == asked


@pytest.mark.parametrize(
    ("facts", "asked"),
    [
        (joined("range") + started("m1", "m2"), "--migrate rolling"),
        (joined(None, None), "--migrate rolling"),
        (joined("range") + started("m1", "m2", library="sarama"), None),
        (joined("range") + started("m1", "m2", library="kafka-python"), None),
        (joined("stream"), None),
        (joined("range") + started("m1", "m1") + TARGET, None),
        (started("m1", "m1"), None),
        (joined("range") + started("m1")[:1], None),
    ],
)
def test_a_change_of_protocol_is_proposed_to_classic_groups_whose_clients_have_the_other(
    facts: Facts, asked: str | None
) -> None:
    assert question(facts, migration_question) == asked
