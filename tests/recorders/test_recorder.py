"""What makes a record of plays, a group of processes, and a sentence where there is no Kafka."""

from __future__ import annotations

import signal
import sys
from typing import Any

import pytest

from groupsim.assignors.java.hash_order import string_hash
from recorders import real
from recorders.broker import fetch
from recorders.broker.kafka import free_ports
from recorders.scripts import record_failovers
from recorders.scripts.record import agreed, choices
from recorders.timelines.real_clients import Process, held

CHILD = """
import json, sys
print('no json')
print(json.dumps({'at_ms': 1, 'kind': 'ready'}), flush=True)
for line in sys.stdin:
    print(json.dumps({'at_ms': 2, 'kind': 'command', 'line': line.strip()}), flush=True)
"""


def _steps(error: str, t: int) -> list[dict[str, Any]]:
    return [{"response": {"error": error}, "after": 0, "t": t}]


SCRIPT: dict[str, Any] = {
    "name": "x",
    "plays": 0,
    "choices": [],
    "steps": [{"i": 0, "at": 0, "op": "heartbeat", "response": "an older broker's", "t_range": [1, 2]}],
}


def test_a_record_is_what_two_plays_agree_on() -> None:
    record = agreed(SCRIPT, [_steps("NONE", 10), _steps("UNKNOWN_MEMBER_ID", 12), _steps("NONE", 30)])
    assert record is not None
    assert record["plays"] == 2
    assert record["steps"] == [
        {
            "i": 0,
            "at": 0,
            "op": "heartbeat",
            "response": {"error": "NONE"},
            "after": 0,
            "t": 20,
            "t_range": [10, 30],
        }
    ]


@pytest.mark.parametrize(
    "plays",
    [
        [],
        [_steps("NONE", 10)],
        [_steps("NONE", 10), _steps("UNKNOWN_MEMBER_ID", 10)],
        [_steps("NONE", 10), _steps("NONE", 121)],  # a broker that paused proves nothing
    ],
)
def test_plays_that_disagree_make_no_record(plays: list[list[dict[str, Any]]]) -> None:
    assert agreed(SCRIPT, plays) is None


def test_an_election_is_recorded_with_its_candidates() -> None:
    def join(generation: int, leader: str, *members: str) -> dict[str, Any]:
        answer = {
            "error": "NONE",
            "generation": generation,
            "leader": leader,
            "members": [{"member_id": m} for m in members],
        }
        return {"op": "join", "response": answer}

    steps = [join(1, "m1#1", "m1#1"), join(2, "m1#1", "m1#1", "m2#1"), join(3, "m2#1"), join(3, "m2#1", "m2#1", "m3#1")]
    assert choices(steps) == [{"generation": 3, "leader": "m2#1", "of": ["m2#1", "m3#1"]}]


def test_a_groups_coordinator_follows_from_its_name() -> None:
    assert string_hash("abc") == 96354
    assert string_hash("polygenelubricants") == 1 << 31
    assert 0 <= record_failovers.coordinated_by("polygenelubricants") < record_failovers.PARTITIONS


def test_a_process_takes_commands_reports_and_ends() -> None:
    process = Process([sys.executable, "-c", CHILD])
    try:
        process.wait_for(lambda e: e["kind"] == "ready")
        process.send("close now")
        assert process.wait_for(lambda e: e["kind"] == "command")["line"] == "close now"
        assert [e["kind"] for e in process.events] == ["ready", "command"]
        process.signal(signal.SIGKILL)
        with pytest.raises(fetch.Unavailable, match="did not come so far within 0 s"):
            process.wait_for(lambda e: e["kind"] == "never", 0.1)
        process.send("nobody hears this")
    finally:
        process.end()
    process.end()


def test_what_a_consumer_holds_follows_from_its_callbacks() -> None:
    def callback(kind: str, *numbers: int) -> dict[str, Any]:
        return {"kind": kind, "partitions": [["t", n] for n in numbers]}

    events = [
        callback("assigned", 0, 1, 2),
        callback("callback_end", 0, 1, 2),
        callback("revoked", 0),
        callback("lost", 2),
    ]
    assert held(events) == {("t", 1)}


def test_without_java_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(fetch.Unavailable, match="a real Kafka needs Java 17 or newer on the path"):
        fetch.java()


def test_ports_are_free_and_different() -> None:
    assert len(set(free_ports(5))) == 5


def test_an_unknown_step_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["real", "page", "nonsense"])
    with pytest.raises(SystemExit, match="no step 'nonsense'; there are answers, consumer, streams-and-share"):
        real.main()
