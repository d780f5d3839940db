"""A process that is frozen for less than its session: only the facts of a simulated run show what waited for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import groupsim
from groupsim.api.run import Run
from groupsim.diagnosis.finding import Diagnosis
from groupsim.scenarios.dsl import minutes, scenario, seconds


@scenario(seed=1, lasts=minutes(3))
def one_is_frozen(world, stop_ms=30_000, times=1, who=1, how="freeze", session_ms=45_000):  # type: ignore[no-untyped-def]
    """One of three, or more of them, do nothing for a time, once or more often; no session ends."""
    orders = world.topic("orders", partitions=12)
    group = world.group("billing", assignor="range", config={"session.timeout.ms": session_ms})
    members = group.join("a", "b", "c", topics=[orders], client="java")
    yield group.stable(members=3)
    for _ in range(times):
        yield world.sleep(seconds(10))
        if how == "cut":
            with world.network.cut(members[1], world.data):
                yield world.sleep(stop_ms)
        else:
            for member in members[1 : 1 + who]:
                member.freeze(stop_ms)
            yield world.sleep(stop_ms)


def explained(**settings: str | int) -> tuple[Run, str, Diagnosis]:
    run = groupsim.run(one_is_frozen, settings=settings)
    found = groupsim.explain(run)
    (group,) = found.groups
    return run, found.answer, group


def test_the_first_sentence_says_who_was_frozen_how_long_and_what_waited() -> None:
    _, answer, group = explained()
    assert answer == "b was frozen for 30.0 s, and 4 partitions waited for it; find what stops the process."
    assert group.findings[0].code == "stalled"
    assert group.outage is not None
    assert group.outage.ms == (30_000, 30_000)


def test_a_share_of_the_time_never_exceeds_its_whole(tmp_path: Path) -> None:
    """The span counted is that of the run: the last line of a group may stand long before the outage."""
    run, _, group = explained()
    said = str(groupsim.explain(run))
    assert "unavailable: 30.0 s of 3m00s (17 %)" in said
    assert group.lasted_ms > 179_000
    assert not re.search(r"\(100 %\)", said)
    assert "unavailable: 30.0 s of 3m00s (17 %)" in run.report(tmp_path / "run.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"times": 2}, "b was frozen twice for up to 30.0 s at a time, and 4 partitions waited for it;"),
        ({"who": 2}, "2 members were frozen for up to 30.0 s at a time, and 4 partitions waited for each of them;"),
        ({"how": "cut"}, "b was cut off from the data for 30.0 s, and 4 partitions waited for it;"),
        ({"stop_ms": 40_000}, "b was frozen for 40.0 s, and 4 partitions waited for it;"),
    ],
)
def test_other_stops_are_said_as_they_were(settings: dict[str, str | int], said: str) -> None:
    assert explained(**settings)[1].startswith(said)


def test_a_stop_that_nobody_notices_is_no_cause() -> None:
    assert explained(stop_ms=200)[1].startswith("Nothing is wrong")


def test_a_freeze_that_ends_a_session_has_its_own_length() -> None:
    _, _, group = explained(session_ms=10_000)
    assert [finding.code for finding in group.findings[:1]] == ["session-expired"]
    assert group.findings[0].what.startswith("b froze for 30.0 s, and was removed only when")
    assert all(finding.code != "stalled" for finding in group.findings)
