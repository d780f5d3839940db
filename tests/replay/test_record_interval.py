"""How often partitions get records follows from the offsets at which members begin to read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from statistics import median

from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.events import client as p
from groupsim.events.base import Recorded
from groupsim.events.classic import AssignmentStored, JoinPhaseCompleted
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.choice import AS_RECORDED
from groupsim.replay.player import replay_incident
from groupsim.replay.reconstruct.incident import Incident, reconstruct
from groupsim.replay.reconstruct.record_interval import record_interval_ms
from groupsim.storage.memory import MemoryStore

RECORDING = "S14-subscription-changed__range__d1-f04__r1"
CONSUMERS = "S07-rolling-restart__kip848-uniform__d0-f44__r1"
RECORDINGS = Path(__file__).parents[1] / "golden" / "families" / "looked-at"


def imported(recording: str) -> tuple[list[Recorded], Incident]:
    """The facts of a recorded group's logs, and the incident that they are."""
    store = MemoryStore()
    logs = sorted((RECORDINGS / recording / "logs").glob("*"))
    facts = list(store.read(import_run(read_files(logs), store, name=None, topics={}).run.id))
    (group,) = {fact.stream for fact in facts if fact.stream.startswith("group:")}
    return facts, reconstruct(facts, group.removeprefix("group:"))


def ready(at_ms: int, *offsets: tuple[int, int]) -> Recorded:
    named = tuple(("t", partition, offset) for partition, offset in offsets)
    event = p.PositionReady(process="m1.0", offsets=named)
    return Recorded(run="r", seq=0, at_ms=at_ms, stream="client:m1.0", version=0, event=event)


@settings(max_examples=50)
@given(
    st.integers(20, 3_000),
    st.lists(st.integers(0, 600_000), min_size=2, max_size=6, unique=True),
    st.integers(0, 10_000),
)
def test_it_is_read_to_one_record_between_the_first_and_the_last_offset(
    every_ms: int, times: list[int], before: int
) -> None:
    ordered = sorted(times)
    found = record_interval_ms(ready(at, (0, before + at // every_ms)) for at in ordered)
    records = ordered[-1] // every_ms - ordered[0] // every_ms
    if records < 3:
        assert found is None
    else:
        assert found is not None
        assert abs(found - every_ms) <= every_ms / records


def test_the_typical_partition_counts_and_unknown_offsets_do_not() -> None:
    facts = [ready(0, (0, 0), (1, 0), (2, 0), (3, -1)), ready(10_000, (0, 20), (1, 20), (2, 5), (3, 100))]
    assert record_interval_ms(facts) == 500


def test_without_offsets_it_is_unknown() -> None:
    assert record_interval_ms([ready(0, (0, -1)), ready(9_000, (0, -1))]) is None


def test_a_leader_that_assigns_topics_of_others_waits_for_the_next_record_as_the_real_one_did() -> None:
    facts, incident = imported(RECORDING)
    assert incident.record_interval_ms is not None
    assert abs(incident.record_interval_ms - 500) < 25
    recorded = waits_ms(facts)
    assert min(recorded) > 300  # of both rebalances after the founding
    assert median(drawn_waits_ms(incident)) > 150
    assert median(drawn_waits_ms(replace(incident, record_interval_ms=None))) < 50


def test_a_poll_of_the_consumer_protocol_waits_for_the_next_record_as_the_real_one_did() -> None:
    """Each step of a reconciliation waits for a poll to end: here by its timeout, as no record comes for longer."""
    facts, incident = imported(CONSUMERS)
    assert 60 < median(steps_ms(facts)) < 140
    assert 60 < median(drawn_steps_ms(incident)) < 140
    assert median(drawn_steps_ms(replace(incident, record_interval_ms=None))) < 40


def drawn_steps_ms(incident: Incident) -> list[int]:
    """The same of what-ifs."""
    return [step for seed in range(4) for step in steps_ms(replay_incident(incident, AS_RECORDED, seed).facts)]


def steps_ms(facts: Iterable[Recorded]) -> list[int]:
    """How long after a member's revoked callback its next one began, which follows in the same reconciliation."""
    found, ended_ms = [], dict[str, int]()
    for fact in facts:
        match fact.event:
            case p.CallbackEnd(process=process, kind="revoked"):
                ended_ms[process] = fact.at_ms
            case p.CallbackStart(process=process, kind="assigned") if process in ended_ms:
                found.append(fact.at_ms - ended_ms.pop(process))
    return found


def waits_ms(facts: Iterable[Recorded]) -> list[int]:
    """How long the two slowest assignments took, from the end of the join phase until they were stored."""
    found, completed_ms = [], 0
    for fact in facts:
        if isinstance(fact.event, JoinPhaseCompleted):
            completed_ms = fact.at_ms
        elif isinstance(fact.event, AssignmentStored):
            found.append(fact.at_ms - completed_ms)
    return sorted(found)[-2:]


def drawn_waits_ms(incident: Incident) -> list[int]:
    """The same of what-ifs."""
    return [wait for seed in range(8) for wait in waits_ms(replay_incident(incident, AS_RECORDED, seed).facts)]
