"""Quiet time is left out of a simulation and not of its facts."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from groupsim.replay.choice import AS_RECORDED
from groupsim.replay.cost import default_window, replayed_cost
from groupsim.replay.player import played_ms, replay_incident
from groupsim.replay.quiet_time import quiet_time
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.replayed_group import GROUP
from tests.replay.test_replayed_incidents import example

HOURS = 3_600_000
SPANS = st.lists(st.tuples(st.integers(0, 100_000), st.integers(0, 3_000)), max_size=8)


@given(SPANS, st.integers(100, 5_000), st.integers(1, 900), st.integers(100_000, 150_000))
def test_what_happens_keeps_its_order_its_phase_and_the_time_after_it(
    spans: list[tuple[int, int]], kept: int, step: int, ends: int
) -> None:
    spans = [(begin, begin + lasts) for begin, lasts in spans]
    quiet = quiet_time(spans, ends, kept, step)
    for begin, end in spans:
        for at in (begin, end, end + kept - 1):
            assert quiet.whole_ms(quiet.simulated_ms(at)) == at
            assert (at - quiet.simulated_ms(at)) % step == 0
    times = sorted(at for span in spans for at in span)
    assert [quiet.simulated_ms(at) for at in times] == sorted(quiet.simulated_ms(at) for at in times)
    assert quiet.simulated_ms(ends) <= max([0, *times]) + (len(spans) + 1) * (2 * kept + step) + 3_000 * len(spans)


@given(SPANS, st.integers(0, 160_000))
def test_the_whole_time_of_a_simulated_one_is_never_left_out(spans: list[tuple[int, int]], at: int) -> None:
    quiet = quiet_time([(begin, begin + lasts) for begin, lasts in spans], 150_000, 1_000, 7)
    assert quiet.simulated_ms(quiet.whole_ms(at)) == at


def hours_later(incident: Incident, after_ms: int) -> Incident:
    """The same incident, with hours in which nothing happens before its end."""
    return replace(incident, ends_ms=incident.ends_ms + after_ms)


def test_hours_without_an_action_cost_no_simulation_and_change_no_figure() -> None:
    incident = example("kill9-range")
    longer = hours_later(incident, 50 * HOURS)
    assert played_ms(incident) == incident.ends_ms
    assert played_ms(longer) < 2 * HOURS
    for seed in range(2):
        played = replay_incident(longer, AS_RECORDED, seed)
        window = default_window(played.facts, GROUP, longer.ends_ms, 3_000)
        usual = replay_incident(incident, AS_RECORDED, seed)
        found = [replayed_cost(run.facts, GROUP, window, run.from_ms, run.to_ms) for run in (usual, played)]
        assert found[1].rebalances == found[0].rebalances
        assert played.to_ms - usual.to_ms == 50 * HOURS
        assert abs(found[1].unavailable_partition_ms - found[0].unavailable_partition_ms) < 100
