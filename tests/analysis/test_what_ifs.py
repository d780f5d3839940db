"""The question that an import proposes: choices that the record does not have."""

from __future__ import annotations

import pytest

from groupsim.analysis.what_ifs import first_question
from groupsim.events.base import Event, Recorded, group_stream, process_stream
from groupsim.events.classic import JoinPhaseCompleted
from groupsim.events.client import JoinOk, ProcessStarted

Facts = list[tuple[str, Event]]


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


def question(facts: Facts) -> str | None:
    recorded = [Recorded("run", seq, seq, stream, seq, event) for seq, (stream, event) in enumerate(facts)]
    found = first_question("abc", recorded)
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
    ],
)
def test_what_is_proposed_is_not_what_the_record_has(facts: Facts, asked: str | None) -> None:
    assert question(facts) == asked
