"""Every recorded script gets the recorded answers; a planted difference is seen; a bad script is named."""

from __future__ import annotations

from typing import Any

import pytest

from groupsim.conformance.scripts.check import difference
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import BadScript
from tests.conformance.recordings import SIZES, script, scripts

SAMPLE = "A0.T26"


@pytest.mark.parametrize("family", sorted(SIZES))
def test_every_recorded_script_gets_the_recorded_answers(family: str) -> None:
    recorded = scripts(family)
    assert len(recorded) == SIZES[family]
    differing = {r["name"]: d for r in recorded if (d := difference(r, play(r))) is not None}
    assert differing == {}


def test_playing_leaves_the_recording_as_it_was() -> None:
    before, after = script(SAMPLE), script(SAMPLE)
    play(after)
    assert after == before


def _answered(record: dict[str, Any], op: str) -> dict[str, Any]:
    found: dict[str, Any] = next(s for s in record["steps"] if s["op"] == op and s["response"])
    return found


def test_a_wrong_error_is_reported_with_its_step() -> None:
    record = script(SAMPLE)
    step = _answered(record, "sync")
    step["response"]["error"] = "FENCED_INSTANCE_ID"
    said = difference(record, play(record))
    assert said is not None
    assert said.startswith(f"step {step['i']} ({step['as']} sync at {step['at']} ms)")
    assert "FENCED_INSTANCE_ID" in said


def test_an_answer_at_another_place_is_reported() -> None:
    record = script(SAMPLE)
    step = _answered(record, "join")
    step["after"] += 1
    assert f"step {step['i']} " in (difference(record, play(record)) or "")
    assert "recorded after step" in (difference(record, play(record)) or "")


@pytest.mark.parametrize(("moved", "equal"), [(-90, True), (-91, False), (150, True), (151, False)])
def test_a_time_may_differ_by_the_recordings_noise_and_no_more(moved: int, equal: bool) -> None:
    record = script(SAMPLE)
    played = play(record)
    for was, now in zip(record["steps"], played["steps"], strict=True):
        was["t"] = now["t"]
    step = _answered(record, "join")
    step["t"] += moved
    assert (difference(record, played) is None) is equal


def test_an_answer_where_none_was_recorded_is_reported() -> None:
    record = script(SAMPLE)
    step = _answered(record, "sync")
    step["response"] = None
    assert f"step {step['i']} " in (difference(record, play(record)) or "")


def test_silence_where_an_answer_was_recorded_is_reported() -> None:
    record = script("A0.resent-join-parked")
    step = next(s for s in record["steps"] if s["response"] is None)
    step["response"], step["after"], step["t"] = {"error": "NONE"}, step["i"], step["at"]
    assert "simulated None" in (difference(record, play(record)) or "")


def _without(record: dict[str, Any], *path: Any) -> dict[str, Any]:
    place: Any = record
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return record


@pytest.mark.parametrize(
    "path",
    [
        ("steps",),
        ("end_ms",),
        ("steps", 0, "op"),
        ("steps", 0, "v"),
        ("steps", 0, "request", "protocols"),
        ("steps", 0, "at"),
    ],
    ids=lambda p: ".".join(map(str, p)),
)
def test_a_script_that_lacks_something_is_refused_by_name(path: tuple[Any, ...]) -> None:
    with pytest.raises(BadScript, match=f"script '{SAMPLE}'") as refused:
        play(_without(script(SAMPLE), *path))
    assert str(path[-1]) in str(refused.value)


def test_a_script_of_an_unknown_configuration_is_refused_by_name() -> None:
    with pytest.raises(BadScript, match=rf"script '{SAMPLE}': unknown config 'd7'"):
        play({**script(SAMPLE), "config": "d7"})


def test_an_unknown_operation_is_refused_with_its_step() -> None:
    record = script(SAMPLE)
    record["steps"][1]["op"] = "elect"
    with pytest.raises(BadScript, match=rf"script '{SAMPLE}', step 1: unknown operation 'elect'"):
        play(record)


@pytest.mark.parametrize(("key", "value"), [("steps", 7), ("steps", None), ("end_ms", "soon")])
def test_a_script_of_wrong_types_is_refused_by_name(key: str, value: object) -> None:
    with pytest.raises(BadScript, match=f"script '{SAMPLE}'"):
        play({**script(SAMPLE), key: value})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"i": 7}, "calls itself step 7"),
        ({"as": 3}, r"steps\[1\]\.as"),
        ({"op": []}, r"steps\[1\]\.op"),
        ({"after": 10**6}, "there is no step 1000000"),
        ({"t": None}, "has an answer, and no time"),
        ({"request": {"member_id": None}}, "needs a member_id"),
        ({"request": {"member_id": "m1", "protocols": [["range", {"topics": [["t1"]]}]]}}, r"protocols\[0\]"),
        ({"response": {"error": "\ud800"}}, "UTF-16"),
        ({"records": [["GroupMetadata", {}, {"leader": {}}]]}, r"records\[0\]"),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
def test_a_step_of_another_shape_is_refused_with_its_place(change: dict[str, Any], said: str) -> None:
    record = script(SAMPLE)
    record["steps"][1] |= change
    with pytest.raises(BadScript, match=f"^script '{SAMPLE}'.*{said}"):
        play(record)


def test_steps_that_go_back_in_time_are_refused_by_name() -> None:
    record = script(SAMPLE)
    record["steps"][2]["at"] = record["steps"][1]["at"] - 1
    with pytest.raises(BadScript, match=f"script '{SAMPLE}'"):
        play(record)


def test_an_id_that_nobody_was_given_stays_what_it_is() -> None:
    record = script(SAMPLE)
    beat = {"member_id": "nobody#3", "group_instance_id": None, "generation": 1}
    step = {"i": 0, "at": 0, "as": "m1", "op": "heartbeat", "v": 4, "request": beat}
    played = play({**record, "steps": [step]})
    assert [s["response"] for s in played["steps"]] == [{"error": "UNKNOWN_MEMBER_ID"}]
