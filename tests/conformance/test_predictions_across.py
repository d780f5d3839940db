"""Pairs of recordings of the two group protocols: what is asked of one to get the other."""

from __future__ import annotations

from groupsim.conformance.predictions.ask import as_choice
from groupsim.conformance.timelines.recording import parse
from groupsim.replay.protocols import STRATEGY


def test_across_the_protocols_the_choice_is_the_protocol_its_assignor_and_the_times_that_differ() -> None:
    base = {"config": {"partitions": {"orders": 12}, "session.timeout.ms": 6000, "heartbeat.interval.ms": 1000}}
    rest = {"members": ["m1"], "actions": [], "run_end_ms": 9_000, "id": "S__range__d0__r1", "assignor": "range"}
    classic = parse({**base, **rest})
    group = {"consumer.session.timeout.ms": 6000, "consumer.heartbeat.interval.ms": 5000}
    new = {"group.protocol": "consumer", "group.remote.assignor": "uniform", "group_config": group}
    native = parse({**rest, "config": {**base["config"], **new}, "id": "S__kip848-uniform__d0__r1"})
    forth, back = as_choice("c", classic, native), as_choice("c", native, classic)
    assert (forth.protocol, back.protocol) == ("consumer", "classic")
    assert forth.settings["group.remote.assignor"] == "uniform"
    assert forth.settings["group.consumer.heartbeat.interval.ms"] == "5000"
    assert "group.consumer.session.timeout.ms" not in forth.settings
    assert dict(back.settings) == {STRATEGY: "range", "heartbeat.interval.ms": "1000"}
