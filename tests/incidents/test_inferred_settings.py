"""Timeouts inferred from the written logs of drawn groups, and single observations."""

from __future__ import annotations

import pytest

from groupsim.replay.reconstruct.incarnation import Ending, Incarnation
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION, Evidence, Open
from groupsim.replay.reconstruct.inferred_settings.infer import infer_settings
from groupsim.replay.reconstruct.inferred_settings.initial_delay import initial_delay
from groupsim.replay.reconstruct.rebalances import Generation
from tests.incidents.contained import Contained
from tests.incidents.inferred_settings import compared


def test_drawn_timeouts_are_right_where_the_logs_contain_evidence_and_unknown_where_they_contain_none() -> None:
    found = [each for seed in range(12) for each in compared(seed)]
    assert {each.contained for each in found} == set(Contained)
    assert [each for each in found if each.known and not each.near] == []
    assert len([each for each in found if not each.right]) <= 1  # 97 % or more are right, see docs/results.md


def member(name: str = "m0", **more: object) -> Incarnation:
    return Incarnation(name, name, logged=True, **more)  # type: ignore[arg-type]


def inferred(
    incarnations: list[Incarnation], generations: list[Generation] | None = None, **known: int
) -> dict[str, tuple[int, bool, Open]]:
    """Of session and heartbeat: the value, whether it is known, and the values that are possible."""
    given = {name: known[short] for short, name in (("session", SESSION), ("heartbeat", HEARTBEAT)) if short in known}
    found = infer_settings([], "g", Evidence(incarnations, generations or []), given)
    return {name: (found.values[name], name in found.known, found.open.get(name, ())) for name in (SESSION, HEARTBEAT)}


@pytest.mark.parametrize("session", [1_200, 7_311, 45_000, 61_234])
def test_a_closed_static_member_shows_the_session_to_the_millisecond_whatever_it_is(session: int) -> None:
    closed = member(instance="i", starts_ms=0, ends_ms=20_000, ending=Ending.CLOSE, expired_ms=20_000 + session - 4)
    value, known, _ = inferred([closed], heartbeat=session // 4)[SESSION]
    assert known
    assert value == pytest.approx(session, rel=0.01)


def test_a_member_that_died_leaves_the_session_open_within_bounds() -> None:
    died = member(
        starts_ms=0, joins_answered=[1_000], line_times=[0, 1_000], ends_ms=9_100, ending=Ending.KILL, expired_ms=15_100
    )
    _, known, values = inferred([died], heartbeat=1_500)[SESSION]
    assert not known
    assert values[-1] <= 15_100 - 1_000


def test_a_member_was_dead_when_its_successor_ran_so_short_sessions_are_excluded() -> None:
    died = member("m0.0", starts_ms=0, joins_answered=[1_000], line_times=[0, 1_000], ending=Ending.KILL)
    died.ends_ms, died.expired_ms = 15_000, 21_000
    successor = member("m0.1", starts_ms=14_000, line_times=[14_000, 15_000])
    died.client = successor.client = "m0"
    _, _, values = inferred([died, successor], heartbeat=1_000)[SESSION]
    assert values[0] >= 7_000 - 20
    _, _, alone = inferred([died], heartbeat=1_000)[SESSION]
    assert alone[0] < 7_000 - 20


@pytest.mark.parametrize("interval", [700, 1_500, 3_000, 4_321])
def test_heartbeats_at_several_distances_show_the_interval(interval: int) -> None:
    beats = [(0, n * interval + 5 * n) for n in (1, 3, 4, 7)]
    starts = [at - interval + 60 * (1 + n) for n, (_, at) in enumerate(beats)]
    shifted = [member(f"m{n}", heartbeats=[(100_000 * n, 100_000 * n + at)]) for n, (_, at) in enumerate(beats)]
    moved = [
        Generation(number=n, cause="member-joined", size=4, joined_ms=100_000 * n + at + 10, started_ms=100_000 * n + s)
        for n, ((_, at), s) in enumerate(zip(beats, starts, strict=True))
    ]
    value, known, _ = inferred(shifted, moved)[HEARTBEAT]
    assert known
    assert value == pytest.approx(interval, rel=0.05)


def test_one_heartbeat_fits_an_interval_and_its_half_so_neither_is_known() -> None:
    reported = member(heartbeats=[(0, 5_002)])
    began = Generation(number=2, cause="member-joined", size=2, joined_ms=5_010, started_ms=2_539)
    _, known, values = inferred([reported], [began])[HEARTBEAT]
    assert not known
    assert any(abs(value - 2_500) < 20 for value in values)
    assert 5_000 in values


def test_members_that_report_the_same_rebalance_say_hardly_more_than_one() -> None:
    began = Generation(number=2, cause="member-joined", size=9, joined_ms=5_010, started_ms=2_539)
    many = [member(f"m{n}", heartbeats=[(0, 5_002)], generation_at={0: 1}) for n in range(8)]
    _, known, values = inferred(many, [began])[HEARTBEAT]
    assert not known
    assert any(abs(value - 2_500) < 20 for value in values)


def test_what_the_logs_do_not_show_is_assumed_and_said() -> None:
    found = infer_settings([], "g", Evidence([member()], []), {})
    assert not {SESSION, HEARTBEAT} & found.known
    usual = found.open[SESSION]
    assert usual[0] <= 10_000 < 45_000 <= usual[-1], "the defaults of old and new clients"
    assert [note for note in found.notes if note.startswith(SESSION)] == [
        f"session.timeout.ms=45000 is Kafka's default; no log shows it; {usual[0]} to {usual[-1]} is possible, and each"
        " seed draws from these"
    ]


@pytest.mark.parametrize(
    ("join_ms", "added", "delay"), [(1_001, [], 1_000), (2_003, [700], 1_000), (9_002, [2_000, 4_000], 3_000)]
)
def test_members_that_join_in_the_initial_delay_prolong_it(join_ms: int, added: list[int], delay: int) -> None:
    first = Generation(
        number=1, cause="member-joined", size=1, joined_ms=join_ms, started_ms=0, initial=True, member="a"
    )
    members = [member(f"m{n}", starts_ms=at, added_ms=at) for n, at in enumerate(added)]
    assert initial_delay(Evidence(members, [first])).value_ms == delay
