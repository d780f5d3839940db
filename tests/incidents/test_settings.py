"""Settings of consumers: from single lines, requests at level DEBUG, limits that were exceeded, and heartbeats."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from msgspec import structs

from groupsim.events.base import Event, Recorded, process_stream
from groupsim.events.client import Closed, ProcessStarted
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.recognition import recognise
from groupsim.replay.reconstruct.inferred_settings.reported import reported
from groupsim.storage.memory import MemoryStore
from tests.incidents.lines import GENERATION, stamped, write

BEGINS_S = 1_763_700_000
FIRST = '[thrd:main]: Group "billing" changed join state init -> wait-join (state up)'
SESSION, HEARTBEAT, MAX_POLL = "session.timeout.ms", "heartbeat.interval.ms", "max.poll.interval.ms"


def rdkafka(at_ms: int, facility: str, said: str) -> str:
    return f"%7|{BEGINS_S + at_ms / 1_000:.3f}|{facility}|c1#consumer-1| {said}"


def settings(folder: Path, *lines: str) -> dict[str, object]:
    """What an import of one client's log says of its settings."""
    log = folder / "c1.log"
    log.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    store = MemoryStore()
    run = import_run(read_files([log]), store, name=None, topics={}).run
    (config,) = [fact.event.config for fact in store.read(run.id) if isinstance(fact.event, ProcessStarted)]
    return dict(config)


@pytest.mark.parametrize("session_ms", [6_000, 45_000])
def test_librdkafka_prints_its_settings_with_debug_conf(tmp_path: Path, session_ms: int) -> None:
    dumped = [
        f"[thrd:app]:   {SESSION} = {session_ms}",
        f"[thrd:app]:   {MAX_POLL} = 300000",
        "[thrd:app]:   linger.ms = 5",
    ]
    lines = [rdkafka(n, "CONF", said) for n, said in enumerate(dumped)]
    assert settings(tmp_path, *lines, rdkafka(50, "CGRPJOINSTATE", FIRST)) == {SESSION: session_ms, MAX_POLL: 300_000}


@pytest.mark.parametrize("every_ms", [300, 1_000, 2_750, 3_000])
def test_heartbeats_that_are_printed_show_their_interval(tmp_path: Path, every_ms: int) -> None:
    rng = Random(every_ms)
    at, lines = 100, [rdkafka(0, "CGRPJOINSTATE", FIRST)]
    for generation in (1, 2, 3):
        for _ in range(4):
            said = f'[thrd:main]: GroupCoordinator/1: Heartbeat for group "billing" generation id {generation}'
            lines.append(rdkafka(at, "HEARTBEAT", said))
            at += every_ms + rng.choice([0, 1, 1, 2, 40])
        at += rng.randrange(5_000)
    assert settings(tmp_path, *lines)[HEARTBEAT] == pytest.approx(every_ms, rel=0.01)
    assert HEARTBEAT not in settings(tmp_path, *lines[:4]), "too few"


def test_an_exceeded_poll_interval_is_named(tmp_path: Path) -> None:
    exceeded = "Application maximum poll interval (9000ms) exceeded by 162ms"
    said = f"[thrd:main]: {exceeded} (adjust {MAX_POLL} for long): leaving group"
    found = settings(tmp_path, rdkafka(0, "CGRPJOINSTATE", FIRST), rdkafka(900, "MAXPOLL", said))
    assert found == {MAX_POLL: 9_000}


@pytest.mark.parametrize(
    "request_as_printed",
    [
        "JoinGroupRequestData(groupId='billing', sessionTimeoutMs=7000, rebalanceTimeoutMs=20000, memberId='',"
        " groupInstanceId=null, protocolType='consumer', protocols=[])",
        "JoinGroupRequest_v4(group='billing', session_timeout=7000, rebalance_timeout=20000, member_id='')",
        "JoinGroupRequest_v2(group='billing', session_timeout=7000, rebalance_timeout=20000, member_id='')",
    ],
)
@pytest.mark.parametrize("prefix", ["", "[Consumer clientId=c1, groupId=billing] "])
def test_a_join_request_at_level_debug_names_its_timeouts(prefix: str, request_as_printed: str) -> None:
    found = recognise(Record(1, f"{prefix}Sending JoinGroup ({request_as_printed}) to coordinator h:9092 (id: 1)"))
    assert found is not None
    assert [(match.kind, match.group) for match in found] == [("client_setting", "billing")]
    assert found[0].detail == {"settings": {SESSION: 7_000, MAX_POLL: 20_000}}


def test_heartbeats_change_nothing_but_the_settings(tmp_path: Path) -> None:
    """They are of another thread, and may come between any two lines of the application's."""
    lines = [
        "Subscribed to topic(s): orders",
        f"Successfully joined group with generation {GENERATION}",
        "Adding newly assigned partitions: orders-0",
        "Request joining group due to: group is already rebalancing",
        "Revoke previously assigned partitions orders-0",
        "(Re-)joining group",
    ]
    said = [stamped(3 * n, f"[Consumer clientId=c1, groupId=billing] {line}") for n, line in enumerate(lines)]
    beat = "[Consumer clientId=c1, groupId=billing] Sending Heartbeat request with generation 4 and member id c1-1 to h"
    beats = [stamped(3 * n + 1, beat) for n in range(1, len(lines) - 1)]

    def facts(*logged: str) -> list[tuple[int, Event]]:
        store = MemoryStore()
        run = import_run(read_files([write(tmp_path, *logged)]), store, name=None, topics={}).run
        return [
            (
                fact.at_ms,
                structs.replace(fact.event, config={}) if isinstance(fact.event, ProcessStarted) else fact.event,
            )
            for fact in store.read(run.id)
        ]

    assert facts(*sorted([*said, *beats])) == facts(*said)


@pytest.mark.parametrize("protocol", ["consumer", "CONSUMER", "streams"])
def test_what_a_consumer_prints_of_settings_that_its_group_has_instead_does_not_count(protocol: str) -> None:
    printed = {SESSION: 45_000, HEARTBEAT: 3_000, MAX_POLL: 20_000}

    def counts(more: dict[str, int | str | bool]) -> dict[str, int]:
        started = ProcessStarted(process="c1.0", client_id="c1", config={**printed, **more})
        return reported([Recorded("r", 0, 0, process_stream("billing", "c1.0"), 0, started)], "billing")

    found = counts({"group.protocol": protocol, "consumer.heartbeat.interval.ms": 1_000})
    assert found == {MAX_POLL: 20_000, HEARTBEAT: 1_000}
    assert counts({"group.protocol": "classic"}) == counts({}) == printed


def test_a_static_member_of_librdkafka_is_closed_although_it_sends_no_leave_request(tmp_path: Path) -> None:
    log, store = tmp_path / "c1.log", MemoryStore()
    ends = 'Group "billing" changed state up -> term (join-state init)'
    lines = [rdkafka(0, "CGRPJOINSTATE", FIRST), rdkafka(900, "CGRPSTATE", f"[thrd:main]: {ends}")]
    log.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    run = import_run(read_files([log]), store, name=None, topics={}).run
    assert [fact.at_ms for fact in store.read(run.id) if isinstance(fact.event, Closed)] == [900]
