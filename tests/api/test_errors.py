"""What can be wrong with a request is one sentence that names it, and every such error is a GroupsimError."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import groupsim
from groupsim.analysis.periods import ms_of
from groupsim.api.values import lists_of, ms_of_duration, seeds_of, texts_of
from groupsim.storage.store import RunInfo
from tests.api.test_same_json import KILL9


@pytest.fixture(scope="module")
def incident() -> groupsim.Run:
    return groupsim.import_logs(KILL9)


@groupsim.scenario(lasts=groupsim.seconds(20))
def tiny(world: groupsim.World):  # type: ignore[no-untyped-def]
    world.group("g").join(1, topics=[world.topic("t", partitions=2)])
    yield world.sleep(groupsim.seconds(10))


@pytest.mark.parametrize(
    ("ask", "names"),
    [
        (lambda _: groupsim.run("rolling_restrt"), "rolling_restart"),
        (lambda _: groupsim.run("bad_leader", settings={"sesion.timeout.ms": 3}), "session.timeout.ms"),
        (lambda _: groupsim.run("bad_leader", settings={"session.timeout.ms": None}), "session.timeout.ms"),  # type: ignore[dict-item]
        (lambda _: groupsim.run(print), "@groupsim.scenario"),  # type: ignore[arg-type]
        (lambda _: groupsim.load("nowhere.db"), "nowhere.db"),
        (lambda _: groupsim.explain("nowhere.log"), "nowhere.log"),
        (lambda _: groupsim.explain([]), "no log"),
        (lambda _: groupsim.explain(KILL9, groups="other"), "'other'"),
        (lambda _: groupsim.import_logs(KILL9, topics={"t": 0}), "'t'"),
        (lambda _: groupsim.import_logs(KILL9, between=("2026-01-02", "2026-01-01")), "2026-01-02"),
        (lambda run: run.what_if(assignor="rang"), "range"),
        (lambda run: run.what_if(assignor="rang"), "assignor 'rang' is unknown"),
        (lambda run: run.what_if(settings={"membership": "static"}, between=(5, 3)), "before"),
        (lambda run: run.what_if(assignor="sticky", assume={"acks": 1}), "acks"),
        (lambda run: run.what_if(assignor="sticky", seeds=[1, 3]), "seeds"),
        (lambda run: run.plot.timeline("other"), "'other'"),
        (lambda run: run.plot.timeline(theme="blue"), "blue"),
        (lambda run: run.report(Path(__file__)), "not a groupsim report"),
        (lambda run: groupsim.advise(run, vary={}), "vary"),
        (lambda run: groupsim.advise(run, vary={"a": [1]}, settings={"b": 2}), "settings are for scenarios"),
        (lambda _: groupsim.advise("bad_leader", vary={"a": [1]}, settings={"a": 2}), "'a' is given twice"),
        (lambda _: groupsim.advise("bad_leader", vary={"session.timeout.ms": (9, 3)}), "session.timeout.ms"),
        (lambda _: groupsim.sweep("bad_leader", grid={"assignor": []}, to="x"), "assignor"),
        (lambda _: groupsim.sweep("bad_leader", grid={"asignor": ["range"]}, to="x"), "asignor"),
        (lambda _: groupsim.example("kill9"), "kill9-range"),
        (lambda _: groupsim.run("steady_state", settings={"assignor": "range"}), "partition.assignment.strategy"),
        (lambda _: groupsim.assign("rang", topics={}, members={}), "near names: range"),
        (lambda _: groupsim.assign("range", topics={"t": 1}, members={"m": {"topic": ["t"]}}), "topic"),
    ],
)
def test_an_error_is_one_sentence_that_names_it(
    ask: Callable[[groupsim.Run], object], names: str, incident: groupsim.Run
) -> None:
    with pytest.raises(groupsim.GroupsimError) as raised:
        ask(incident)
    assert names in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not Path("x").exists()


def test_a_function_is_run_and_one_without_a_file_can_not_be_swept(tmp_path: Path) -> None:
    run = groupsim.run(tiny)
    assert run.ok
    assert run.info.name == "tiny"
    text = "import groupsim\n@groupsim.scenario(lasts=1000)\ndef typed(world):\n    yield world.sleep(1)\n"
    typed: dict[str, object] = {}
    exec(text, typed)
    with pytest.raises(groupsim.GroupsimError, match="typed"):
        groupsim.sweep(typed["typed"], grid={"a": [1]}, to=tmp_path / "lake")  # type: ignore[arg-type]


def test_times_are_milliseconds_texts_timedeltas_and_instants() -> None:
    info = groupsim.import_logs(KILL9).info
    origin = pd.Timestamp(str(info.origin))
    assert ms_of(1_500, info) == ms_of("1.5 s", info) == ms_of(timedelta(seconds=1.5), info) == 1_500
    later = origin + pd.Timedelta("1500ms")
    assert ms_of(later, info) == ms_of(later.tz_convert("Asia/Tokyo"), info) == ms_of(str(later), info) == 1_500
    assert ms_of(later.tz_localize(None), info) == 1_500


def test_of_a_simulated_run_an_instant_is_no_time() -> None:
    info: RunInfo = groupsim.run(tiny).info
    with pytest.raises(groupsim.GroupsimError, match="no time"):
        ms_of(pd.Timestamp("2026-01-01"), info)


def test_values_are_as_kafka_writes_them() -> None:
    assert texts_of({"a": True, "b": 3, "c": "x", "d": 1.5, "e": 10_000.0}) == {
        "e": "10000",
        "a": "true",
        "b": "3",
        "c": "x",
        "d": "1.5",
    }
    assert lists_of({"a": [1, 2], "b": "x"}, "vary") == {"a": ["1", "2"], "b": ["x"]}
    assert seeds_of(range(2, 5)) == seeds_of([2, 3, 4]) == range(2, 5)
    with pytest.raises(groupsim.GroupsimError, match=r"so many seeds are range\(7\), this one is \[7\]"):
        seeds_of(7)  # type: ignore[arg-type]


def wrong(value: Any) -> Any:
    """A value of a kind that no annotation allows."""
    return value


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: groupsim.run("steady_state", seed=wrong("7")), "seed='7' must be a whole number"),
        (lambda: groupsim.advise("steady_state", vary=wrong([6_000])), "vary must be a dict, such as"),
        (lambda: groupsim.assign("range", topics=wrong(["orders"]), members={}), "topics must be a dict, such as"),
        (lambda: groupsim.assign("range", topics={"orders": 1}, members=wrong(["m"])), "members must be a dict, such"),
        (
            lambda: groupsim.assign("range", topics={"orders": 1}, members={"m": {"owns": []}}),
            "members['m'] has no 'owns'; it may have topics, owned, generation, group_instance_id, rack, stale",
        ),
        (lambda: groupsim.compare(wrong(1), wrong(2)), "a comparison takes runs; a is a int"),
        (lambda: ms_of_duration(wrong(None)), "None is no duration"),
    ],
)
def test_what_is_of_a_wrong_kind_is_an_error_of_groupsim(call: Callable[[], object], said: str) -> None:
    with pytest.raises(groupsim.GroupsimError, match=re.escape(said)):
        call()
