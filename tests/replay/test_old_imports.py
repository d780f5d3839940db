"""Stores hold imports written before facts named causes and libraries: these replay as they did."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Event, Recorded
from groupsim.events.types import LeaveCause, RejoinCause
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.reconstruct.incident import reconstruct
from groupsim.replay.reconstruct.old_imports import completed
from groupsim.storage.memory import MemoryStore

EXAMPLES = Path(__file__).parents[2] / "examples" / "incidents"


def older(event: Event) -> Event:
    """The fact as an older version wrote it."""
    match event:
        case p.RejoinRequested():
            return msgspec.structs.replace(event, cause=None, topics=None)
        case p.ProcessStarted():
            return msgspec.structs.replace(event, library=None)
        case c.RebalanceStarted():
            return msgspec.structs.replace(event, client_cause=None)
        case c.MemberRemoved():
            return msgspec.structs.replace(event, leave_cause=None)
        case _:
            return event


def recorded(*events: Event) -> list[Recorded]:
    return [Recorded("r", seq, seq, "client:g/c.0", seq, event) for seq, event in enumerate(events)]


@pytest.mark.parametrize("name", ["max-poll-range", "rolling-restart-cooperative", "static-restart-range"])
def test_an_import_without_causes_and_libraries_gives_the_same_incident(name: str) -> None:
    store = MemoryStore()
    logs = sorted((EXAMPLES / name).glob("*.log.gz"))
    facts = list(store.read(import_run(read_files(logs), store, name=None, topics={}).run.id))
    (group,) = {fact.stream.removeprefix("group:") for fact in facts if fact.stream.startswith("group:")}
    now = reconstruct(facts, group)
    before = reconstruct([msgspec.structs.replace(fact, event=older(fact.event)) for fact in facts], group)
    assert {incarnation.library for incarnation in now.incarnations} == {"java"}
    for incarnation in now.incarnations:
        incarnation.library = None
    assert now == before


def test_missing_fields_are_filled_in_from_the_sentences() -> None:
    subscribed = "subscription has changed from [a] at the beginning of the rebalance to [b, a]"
    old = recorded(
        p.RejoinRequested(process="c.0", reason=subscribed),
        p.RejoinRequested(process="c.0", reason="group is already rebalancing"),
        p.RejoinRequested(process="c.0", reason="the weather"),
        c.MemberRemoved(member="m", cause="left", reason="consumer poll timeout has expired."),
        c.RebalanceStarted(
            generation=3,
            cause="member-rejoined",
            reason="x; client reason: need to revoke partitions [a-0] and re-join",
        ),
    )
    found = [fact.event for fact in completed(old)]
    assert found == [
        msgspec.structs.replace(old[0].event, cause=RejoinCause.SUBSCRIPTION_CHANGED, topics=("a", "b")),
        msgspec.structs.replace(old[1].event, cause=RejoinCause.GROUP_REBALANCING),
        old[2].event,
        msgspec.structs.replace(old[3].event, leave_cause=LeaveCause.POLL_TIMEOUT),
        msgspec.structs.replace(old[4].event, client_cause=RejoinCause.PARTITIONS_REVOKED),
    ]


def test_a_process_with_a_reason_of_librdkafka_is_one_of_librdkafka() -> None:
    old = recorded(
        p.ProcessStarted(process="c.0", client_id="c"),
        p.ProcessStarted(process="d.0", client_id="d"),
        p.RejoinRequested(process="c.0", reason="Unassignment done"),
    )
    started = [fact.event for fact in completed(old)][:2]
    assert [event.library for event in started if isinstance(event, p.ProcessStarted)] == ["librdkafka", None]
