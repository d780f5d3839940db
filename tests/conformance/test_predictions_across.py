"""Pairs of recordings of consumer groups, and of the two group protocols: what is asked of one to get the other."""

from __future__ import annotations

from pathlib import Path

from groupsim.conformance.predictions.ask import as_choice, as_recording
from groupsim.conformance.predictions.families import RecordedRun, in_order
from groupsim.conformance.timelines.recording import Recording, parse
from groupsim.replay.protocols import STRATEGY

REST = {"members": ["m1"], "actions": [], "run_end_ms": 9_000}
CONFIG = {"partitions": {"orders": 12}, "session.timeout.ms": 6000, "heartbeat.interval.ms": 1000}
CLASSIC = parse({"config": CONFIG, **REST, "id": "S__range__d0__r1", "assignor": "range"})


def record(assignor: str, heartbeat_ms: int) -> dict[str, object]:
    group = {"consumer.session.timeout.ms": 6000, "consumer.heartbeat.interval.ms": heartbeat_ms}
    new = {"group.protocol": "consumer", "group.remote.assignor": assignor, "group_config": group}
    return {**REST, "config": {**CONFIG, **new}, "id": f"S__kip848-{assignor}-hb{heartbeat_ms}__d0__r1"}


def native(assignor: str, heartbeat_ms: int) -> Recording:
    return parse(record(assignor, heartbeat_ms))


def run(recorded: Recording) -> RecordedRun:
    story, choice, *_ = recorded.id.split("__")
    return RecordedRun(
        folder=Path(),
        id=recorded.id,
        story=story,
        family=story,
        choice=choice,
        real_ms=0,
        starts=0,
        recorded=recorded,
    )


def test_across_the_protocols_the_choice_is_the_protocol_its_assignor_and_the_times_that_differ() -> None:
    new = native("uniform", 5000)
    forth, back = as_choice("c", CLASSIC, new), as_choice("c", new, CLASSIC)
    assert (forth.protocol, back.protocol) == ("consumer", "classic")
    assert forth.settings["group.remote.assignor"] == "uniform"
    assert forth.settings["group.consumer.heartbeat.interval.ms"] == "5000"
    assert "group.consumer.session.timeout.ms" not in forth.settings
    assert dict(back.settings) == {STRATEGY: "range", "heartbeat.interval.ms": "1000"}


def test_of_two_consumer_groups_the_choice_is_what_an_administrator_sets_for_the_group() -> None:
    base = native("uniform", 1000)
    assert as_choice("c", base, native("uniform", 5000)).settings == {"group.consumer.heartbeat.interval.ms": "5000"}
    assert as_choice("c", base, native("range", 1000)).settings == {"group.remote.assignor": "range"}
    assert as_choice("c", base, base).settings == {}
    changed = parse(as_recording(record("uniform", 1000), base, native("range", 5000)))
    assert (changed.remote_assignor, changed.group_config["consumer.heartbeat.interval.ms"]) == ("range", 5000)


def test_pairs_are_of_one_protocol_or_all_across_both() -> None:
    runs = [run(recorded) for recorded in (CLASSIC, native("uniform", 1000), native("range", 1000))]
    within = {each.choice: [other.choice for other in others] for each, others in in_order(runs)}
    across = {each.choice: [other.choice for other in others] for each, others in in_order(runs, across=True)}
    uniform, ranged = "kip848-uniform-hb1000", "kip848-range-hb1000"
    assert within == {uniform: [ranged], ranged: [uniform]}
    assert across.pop("range") == [ranged, uniform]
    assert list(across.values()) == [["range"], ["range"]]
