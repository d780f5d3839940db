"""Processes that were stopped for less than their session, from heartbeats out of step or too late."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groupsim.replay.reconstruct.applications.program import Program
from groupsim.replay.reconstruct.incarnation import Incarnation, StallKind
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.replay.reconstruct.members import Member
from groupsim.replay.reconstruct.rebalances import Generation
from groupsim.replay.reconstruct.short_stops import seem_stopped, short_stops, with_stops

JOINED_MS = 3_000
INTERVALS = st.sampled_from([500, 1_000, 3_000, 5_000])


def heard(name: str, at_ms: int, joined_ms: int = JOINED_MS) -> Incarnation:
    return Incarnation(name, name, logged=True, heartbeats=[(joined_ms, at_ms)], generation_at={joined_ms: 1})


def member(incarnation: Incarnation, gap_ms: int = 0) -> Member:
    return Member(incarnation.name, (incarnation,), Program(gaps_ms=(gap_ms,)))


def began(at_ms: int) -> list[Generation]:
    return [Generation(number=2, cause="member-left", size=4, joined_ms=at_ms + 9_000, started_ms=at_ms)]


@given(INTERVALS, st.integers(1, 12), st.floats(0.5, 0.95))
def test_a_member_out_of_step_with_those_that_joined_with_it_was_stopped(hb: int, beats: int, part: float) -> None:
    due = JOINED_MS + beats * hb
    shifted = due + 5 + 300 + hb // 10 + 20 * beats + round(part * hb)
    members = [member(heard(f"m{n}.0", due + 5 * n)) for n in range(3)] + [member(heard("m9.0", shifted))]
    assert seem_stopped(members, began(due - hb // 2), (hb,)) == ("m9.0",)
    assert seem_stopped(members, began(due - hb // 2), (hb, 60_000, 60_001)) == (), "with few of the intervals"
    assert seem_stopped(members[2:], began(due - hb // 2), (hb,)) == (), "one other shows no interval"
    working = [*members[:3], member(heard("m9.0", shifted), gap_ms=400)]
    assert seem_stopped(working, began(due - hb // 2), (hb,)) == ()


@given(INTERVALS, st.lists(st.integers(0, 250), min_size=4, max_size=8), st.integers(1, 12))
def test_heartbeats_that_are_a_little_late_show_no_stop(hb: int, late: list[int], beats: int) -> None:
    due = JOINED_MS + beats * hb
    members = [member(heard(f"m{n}.0", due + each)) for n, each in enumerate(late)]
    assert seem_stopped(members, began(due - hb // 2), (hb,)) == ()


@given(INTERVALS, st.integers(1, 12), st.integers(3, 6))
def test_a_heartbeat_more_than_an_interval_late_is_replayed_as_a_stop(hb: int, beats: int, intervals: int) -> None:
    due = JOINED_MS + beats * hb
    late = heard("m9.0", due + intervals * hb + 600)
    (stop,) = short_stops([late, heard("m1.0", due)], began(due - hb // 2), {HEARTBEAT: hb, SESSION: 10 * hb})
    assert (stop.name, stop.due_ms, stop.heard_ms) == ("m9.0", due, due + intervals * hb + 600)
    assert JOINED_MS <= stop.since_ms <= stop.due_ms
    (frozen,) = with_stops([member(late)], [stop])
    assert [stall.kind for stall in frozen.incarnations[0].stalls] == [StallKind.FROZEN]
    assert not late.stalls, "what was read stays as it was"


@given(INTERVALS, st.integers(1, 12), st.lists(st.integers(0, 60), min_size=4, max_size=8), st.integers(0, 40))
def test_heartbeats_about_the_begin_of_a_rebalance_show_no_stop(
    hb: int, beats: int, late: list[int], after: int
) -> None:
    due = JOINED_MS + beats * hb
    members = [member(heard(f"m{n}.0", due + after + each)) for n, each in enumerate(late)]
    assert seem_stopped(members, began(due + after), (hb,)) == ()
    assert (
        short_stops([each.incarnations[0] for each in members], began(due + after), {HEARTBEAT: hb, SESSION: 1}) == []
    )
