"""An advice on an imported incident."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from groupsim.advice.advice import Advice
from groupsim.advice.as_data import as_data
from groupsim.advice.choices import vary
from groupsim.advice.errors import AdviceError
from groupsim.advice.incident import advise
from groupsim.advice.refused import left_out, needs
from groupsim.advice.selection import Goal
from groupsim.advice.sentences import answer
from groupsim.advice.unknown import unknown
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.choice import AS_RECORDED
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.storage.memory import MemoryStore

INCIDENTS = Path(__file__).parents[2] / "examples" / "incidents"
FEW = Goal(budget=20)
"""So many runs, where the question is not which choice is best."""


@cache
def incident(name: str, session_ms: int | None = None) -> ReplayableRun:
    """An example; its logs leave the session open, along which an advice then looks for flips: that takes most runs."""
    store = MemoryStore()
    reading = read_files(sorted((INCIDENTS / name).glob("*.log.gz")))
    return replayable_run(store, import_run(reading, store, name=None, topics={}, session_timeout_ms=session_ms).run)


def asked(
    name: str,
    *varied: str,
    goal: Goal | None = None,
    left_open: Sequence[str] = (),
    session_ms: int | None = None,
) -> Advice:
    return advise(incident(name, session_ms), vary(varied), goal or Goal(), unknown=unknown(left_open))


@cache
def half_refused() -> Advice:
    """Two of its four choices can't be answered."""
    varied = ("heartbeat.interval.ms=300,6500", "assignor=range,cooperative-sticky")
    return asked("kill9-range", *varied, goal=FEW)


def test_choices_and_the_record_have_the_same_draws_and_the_costs_of_a_what_if() -> None:
    found = asked("rolling-restart-cooperative", "assignor=range,cooperative-sticky")
    recorded = incident("rolling-restart-cooperative")
    for nth, row in enumerate(found.now):
        replayed = recorded.measure(recorded.replay(AS_RECORDED, nth))
        assert row["partition_ms"] == replayed.unavailable_partition_ms
        assert row["rebalances"] == replayed.rebalances
    own = found.choices.index({"assignor": "cooperative-sticky"})
    shared = min(len(found.now), len(found.selection.rows[own]))
    assert found.selection.rows[own][:shared] == list(found.now[:shared])  # it is what the record has


def test_the_best_is_compared_with_the_settings_of_the_record() -> None:
    varied = ("assignor=range,cooperative-sticky", "static=true,false")
    found = asked("rolling-restart-cooperative", *varied, session_ms=10_000)
    sentence = answer(found)
    assert sentence.startswith("Take assignor=range and static=false: ")
    assert " with the present settings " in sentence.partition(". ")[0]
    assert found.change is not None
    assert found.change.interval()[1] < 0


def test_of_equal_choices_the_one_that_changes_least_is_taken() -> None:
    varied = ("max.poll.interval.ms=200000,100000", "static=true,false")
    found = asked("rolling-restart-cooperative", *varied, goal=FEW, session_ms=10_000)
    assert found.selection.evidence is not None
    best = found.choices[found.selection.evidence.best]
    assert best["static"] == "false"
    assert as_data(found)["keep"]
    assert as_data(found)["take"] is None
    assert answer(found).startswith("Keep the settings of the record: ")
    assert "(+0%), which is no gain. So far about 9" in answer(found)


def test_what_the_record_has_already_is_to_be_kept() -> None:
    found = asked("rolling-restart-cooperative", "static=true,false", session_ms=10_000)
    assert answer(found).startswith("Keep static=false, as the record has it: ")


def test_what_the_record_cannot_answer_is_left_out_with_the_reason() -> None:
    found = half_refused()
    refused = as_data(found)["refused"]
    assert [each["heartbeat.interval.ms"] for each in refused] == ["6500", "6500"]
    assert all("session.timeout.ms, which must be longer, may be 6000" in each["why"] for each in refused)
    assert len(found.choices) == 2


def test_a_request_that_the_record_cannot_answer_at_all_is_refused_with_the_reason() -> None:
    with pytest.raises(AdviceError, match=r"none of 2 choices; restart\.ms=500: no member comes back in it"):
        asked("kill9-range", "restart.ms=500,900")
    with pytest.raises(AdviceError, match=r"unknown measure 'reprocessed_records'; of an incident there are"):
        asked("kill9-range", "static=true,false", goal=Goal("reprocessed_records"))
    with pytest.raises(AdviceError, match="--unknown downtime_ms"):
        asked("kill9-range", "static=true,false", left_open=["downtime_ms=1..9"])


def test_where_it_flips_is_found_along_what_nobody_knows() -> None:
    away = ["restart.ms=200..9000"]
    found = asked("rolling-restart-cooperative", "static=true,false", goal=FEW, left_open=away, session_ms=10_000)
    flips: list[Mapping[str, str]] = as_data(found)["flips"]
    (flip,) = [flip for flip in flips if flip["when"].startswith("restart.ms")]
    assert flip["then"] in ("static=true", "static=false")


def test_what_rests_on_assumptions_is_said() -> None:
    data = as_data(asked("rolling-restart-cooperative", "session.timeout.ms=6000,30000", goal=FEW))
    assert any("session.timeout.ms=6000 is assumed" in text for text in data["assumed"])
    assert any(
        "session.timeout.ms=6000: a process that was stopped" in text or "heartbeat" in text for text in data["assumed"]
    )
    assert "The replay of the record is " in " ".join(data["rests_on"])


def test_choices_that_are_left_out_for_one_reason_are_one_line() -> None:
    (line,) = left_out(half_refused().refused)
    named = "heartbeat.interval.ms=6500 assignor=range,cooperative-sticky (2 choices)"
    assert line.startswith(f"{named} can't be answered from this record: session.timeout.ms")


def test_a_search_names_what_it_could_not_try() -> None:
    found = asked("kill9-range", "heartbeat.interval.ms=300..20000", goal=Goal(budget=48))
    refused = as_data(found)["refused"]
    assert len(refused) > 1
    assert all(int(each["heartbeat.interval.ms"]) >= 6_000 for each in refused)
    assert {each["verdict"] for each in refused} == {"can't be answered"}
    least, greatest = (
        min(int(each["heartbeat.interval.ms"]) for each in refused),
        max(int(each["heartbeat.interval.ms"]) for each in refused),
    )
    (line,) = left_out(found.refused)
    assert line.startswith(
        f"heartbeat.interval.ms={least}..{greatest} ({len(refused)} choices) can't be answered from this record"
    )
    assert "session.timeout.ms, which must be longer, may be 6000 in it" in line


def test_what_no_group_can_have_is_not_possible_and_needs_are_named_by_choice() -> None:
    found = asked("kill9-range", "assignor=range,foo", "session.timeout.ms=3000,6000")
    assert [each["verdict"] for each in as_data(found)["refused"]] == ["not possible"] * 2
    (line,) = left_out(found.refused)
    assert line.startswith("assignor=foo session.timeout.ms=3000..6000 (2 choices) are not possible: unknown assignor")
    assert found.record is not None
    limit = "group.min.session.timeout.ms=3000 or less on the brokers (6000 by default)"
    assert needs(found.choices, found.record.needs) == [f"assignor=range session.timeout.ms=3000 needs: {limit}"]
    by_session = {each["session.timeout.ms"]: each["needs"] for each in as_data(found)["choices"]}
    assert by_session == {"3000": [limit], "6000": []}
