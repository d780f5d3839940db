"""The recorded families, with all logs: each story has the first cause that its README tells, whatever the choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.explain import Explanation, explain_reading
from groupsim.diagnosis.finding import Finding
from groupsim.incidents.logs.reading import read_files

FAMILIES = Path(__file__).parent.parent / "golden" / "families"
FIRST = {
    "looked-at/S06-slow-batch__range__d3-f22__r1": Code.POLL_TIMEOUT,
    "put-aside/S07-rolling-restart__range__d0-f17__r1": Code.ROLLING_RESTART,
    "looked-at/S08-static-restart__range-static__d1-f08__r1": Code.SESSION_EXPIRED,
    "put-aside/S10-slow-callback__cooperative-sticky__d1-f19__r1": Code.SLOW_CALLBACK,
    "looked-at/S10-slow-callback__sticky__d0-f20__r1": Code.SLOW_CALLBACK,
    "looked-at/S11-slow-poller__range__d3-f02__r1": Code.SESSION_EXPIRED,
    "put-aside/S14-subscription-changed__sticky__d0-f03__r1": Code.ASSIGNMENT_CHANGED,
    "looked-at/S17-closing-in-turn__cooperative-sticky__d0-f10__r1": Code.SCALE_IN,
    "looked-at/W02-kill9-return__range__d1-f12__r1": Code.GHOST_MEMBERS,
    "put-aside/W04-kill9-late-return__sticky__d1-f13__r1": Code.SESSION_EXPIRED,
}


def _explained(recording: str) -> Explanation:
    explanation = explain_reading(read_files(sorted((FAMILIES / recording / "logs").iterdir())))
    assert explanation is not None
    return explanation


def _first(recording: str) -> Finding:
    return _explained(recording).groups[0].findings[0]


@pytest.mark.parametrize("recording", FIRST)
def test_a_recorded_story_is_named(recording: str) -> None:
    assert _first(recording).code is FIRST[recording]


def test_who_was_killed_within_its_session_and_came_back_is_waited_for() -> None:
    first = _first("looked-at/W02-kill9-return__range__d1-f12__r1")
    assert first.what.endswith("waited 10.4 s for 2 members, whose processes were gone")


def test_a_process_that_is_started_again_had_died() -> None:
    assert _first("looked-at/W04-kill9-late-return__range__d0-f14__r1").what.startswith(
        "2 members died without close()"
    )


def test_a_static_member_that_was_closed_did_not_die() -> None:
    first = _first("looked-at/S17-closing-in-turn__range-static__d0-f10__r1")
    assert first.what == (
        "4 members were closed, but static members do not leave the group: their partitions waited until"
        " session.timeout.ms expired"
    )
