"""Timeouts inferred from the written logs of drawn groups, and single observations."""

from __future__ import annotations

import pytest

from groupsim.replay.reconstruct.incarnation import Ending, Incarnation
from groupsim.replay.reconstruct.inferred_settings.evidence import Evidence, Inference
from groupsim.replay.reconstruct.inferred_settings.heartbeat import heartbeat_candidates, heartbeat_interval
from groupsim.replay.reconstruct.inferred_settings.initial_delay import initial_delay
from groupsim.replay.reconstruct.inferred_settings.session import session_timeout
from groupsim.replay.reconstruct.rebalances import Generation
from tests.incidents.inferred_settings import Contained, compared


def test_drawn_timeouts_are_right_where_the_logs_contain_evidence_and_unknown_where_they_contain_none() -> None:
    found = [each for each in compared(range(12)) if each.contained is not Contained.BOUNDS]
    assert {each.contained for each in found} == {Contained.EVIDENCE, Contained.NOTHING}
    assert [each for each in found if not each.right] == []


def member(name: str = "m0", **more: object) -> Incarnation:
    return Incarnation(name, name, logged=True, **more)  # type: ignore[arg-type]


def test_a_closed_static_member_shows_the_session_to_the_millisecond_whatever_it_is() -> None:
    closed = member(instance="i", starts_ms=0, ends_ms=20_000, ending=Ending.CLOSE, expired_ms=27_311)
    found = session_timeout(Evidence([closed], []), Inference(1_000, known=True))
    assert found.known
    assert found.value_ms == pytest.approx(7_311, rel=0.01)


def test_a_member_that_died_leaves_the_session_open_within_bounds() -> None:
    died = member(
        starts_ms=0, joins_answered=[1_000], line_times=[0, 1_000], ends_ms=9_100, ending=Ending.KILL, expired_ms=15_100
    )
    found = session_timeout(Evidence([died], []), Inference(1_500, known=True))
    assert not found.known
    assert found.open[-1] <= 15_100 - 1_000


@pytest.mark.parametrize("interval", [700, 1_500, 3_000, 4_321])
def test_heartbeats_at_several_distances_show_the_interval(interval: int) -> None:
    beats = [(0, n * interval + 5 * n) for n in (1, 3, 4, 7)]
    starts = [at - interval + 60 * (1 + n) for n, (_, at) in enumerate(beats)]
    shifted = [member(f"m{n}", heartbeats=[(100_000 * n, 100_000 * n + at)]) for n, (_, at) in enumerate(beats)]
    moved = [
        Generation(number=n, cause="member-joined", size=4, joined_ms=100_000 * n + at + 10, started_ms=100_000 * n + s)
        for n, ((_, at), s) in enumerate(zip(beats, starts, strict=True))
    ]
    together = heartbeat_interval(heartbeat_candidates(Evidence(shifted, moved)))
    assert together is not None
    assert together.value_ms == pytest.approx(interval, rel=0.05)


@pytest.mark.parametrize(
    ("join_ms", "added", "delay"), [(1_001, [], 1_000), (2_003, [700], 1_000), (9_002, [2_000, 4_000], 3_000)]
)
def test_members_that_join_in_the_initial_delay_prolong_it(join_ms: int, added: list[int], delay: int) -> None:
    first = Generation(
        number=1, cause="member-joined", size=1, joined_ms=join_ms, started_ms=0, initial=True, member="a"
    )
    members = [member(f"m{n}", starts_ms=at, added_ms=at) for n, at in enumerate(added)]
    assert initial_delay(Evidence(members, [first])).value_ms == delay
