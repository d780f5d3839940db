"""The time in which a silent process can have died or stopped."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groupsim.replay.reconstruct.incarnation import Ending, Incarnation
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.replay.reconstruct.unseen import Unseen, died_before_return, fell_silent

SETTINGS = {SESSION: 6_000, HEARTBEAT: 1_000}


def process(**more: object) -> Incarnation:
    return Incarnation("m0.0", "m0", logged=True, starts_ms=100, **more)  # type: ignore[arg-type]


def killed(expired_ms: int, **more: object) -> Incarnation:
    return process(ending=Ending.KILL, expired_ms=expired_ms, joins_answered=[1_000], **more)


@given(st.integers(1, 40), st.integers(0, 999))
def test_after_a_last_heartbeat_it_stopped_within_one_interval(beats: int, died_after: int) -> None:
    last = 1_000 + 1_000 * beats
    found = fell_silent(killed(last + 6_000), last + 6_000, SETTINGS, None, False)
    assert found == Unseen(last + 1, last + 1_000)
    assert found.since_ms - 1 <= last + died_after <= found.until_ms


@given(st.integers(2, 9), st.integers(150, 850))
def test_after_a_last_commit_it_stopped_before_the_next_heartbeat(beats: int, phase: int) -> None:
    commit = 1_000 + 1_000 * beats + phase
    found = fell_silent(killed(commit + 6_000), commit + 6_000, SETTINGS, None, False)
    assert found == Unseen(commit + 1, 1_000 + 1_000 * (beats + 1))


def test_a_line_after_the_last_request_shows_that_it_still_ran() -> None:
    found = fell_silent(killed(11_000, line_times=[900, 5_400]), 11_000, SETTINGS, None, False)
    assert found == Unseen(5_401, 6_000)


def test_it_had_stopped_when_its_successor_started() -> None:
    assert fell_silent(killed(11_000), 11_000, SETTINGS, 5_300, False) == Unseen(5_001, 5_300)


@given(st.integers(1_000, 60_000), st.integers(100, 20_000))
def test_a_static_member_died_after_its_last_line_and_a_session_before_its_return(last: int, away: int) -> None:
    before = process(instance="i", ending=Ending.KILL, ends_ms=last + away, line_times=[last])
    after = process(instance="i")
    after.starts_ms = last + away + 80
    found = died_before_return(before, after, SETTINGS)
    assert found is not None
    assert found.since_ms == max(last, last + away + 80 - 6_000) + 1
    assert found.until_ms >= last + away


def test_a_process_that_never_comes_back_has_no_such_time() -> None:
    assert died_before_return(process(ending=Ending.KILL, ends_ms=5), None, SETTINGS) is None
