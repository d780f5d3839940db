"""How slow a host is, read from its steps, and what its latencies are then."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.conformance.timelines.recorded_form import Libraries
from groupsim.conformance.timelines.recorded_times import steps
from groupsim.simulation.clients.config import JAVA, LIBRDKAFKA
from groupsim.simulation.host_speed import HOSTS, NOT_THE_HOSTS, USUAL_MS, Step, again_and_first, on_host, slowness
from groupsim.simulation.latencies import LATENCIES

FACTORS = st.floats(0.5, 8)


@given(factor=FACTORS, each=st.integers(20, 40))
@settings(max_examples=30)
def test_slowness_is_read_from_any_of_the_steps(factor: float, each: int) -> None:
    found = [(JAVA, step, (usual + 0.5) * factor - 0.5) for step, usual in USUAL_MS[JAVA].items()] * each
    assert slowness(found) == pytest.approx(factor, rel=0.1)


def test_a_few_steps_say_less_than_many_and_none_say_nothing() -> None:
    slow = (JAVA, Step.START, 3 * USUAL_MS[JAVA][Step.START])
    assert slowness([]) == 1.0
    assert 1.0 < slowness([slow]) < slowness([slow] * 5) < slowness([slow] * 50) < 3.0
    assert slowness([(LIBRDKAFKA, Step.ASSIGNOR, 400)]) == 1.0, "a step without a usual duration"


@given(factor=FACTORS)
@settings(max_examples=20)
def test_a_slow_host_stretches_what_programs_do_and_no_timer(factor: float) -> None:
    usual = LATENCIES[JAVA]
    slow = on_host(usual, factor)
    assert slow.start.quantiles_ms == pytest.approx([ms * factor for ms in usual.start.quantiles_ms])
    assert all(getattr(slow, name) == getattr(usual, name) for name in NOT_THE_HOSTS)
    assert on_host(usual, HOSTS["half-busy"].again) == usual


def test_steps_of_a_recording_are_starts_answers_and_assignments() -> None:
    who = {"member": "m1", "incarnation": 0}
    record = {
        "id": "x__range",
        "config": {},
        "events": [{"t_ms": 0, "kind": "start", **who}, {"t_ms": 260, "kind": "assigned", "generation": 1, **who}],
        "broker": [
            {"t_ms": 200, "kind": "member_id_issued", **who},
            {"t_ms": 205, "kind": "member_added", **who},
            {"t_ms": 206, "kind": "join_completed", "generation": 1},
            {"t_ms": 240, "kind": "assignment_received", "generation": 1, **who},
        ],
        "client_log": [{"t_ms": 220, "kind": "join_ok", "generation": 1, **who}],
    }
    known = Libraries()
    found = [(JAVA, Step.START, 200), (JAVA, Step.FIRST_JOINED, 14), (JAVA, Step.FIRST_ASSIGNOR, 20)]
    assert list(steps(record, known)) == found
    works = {**record, "id": "x__cooperative-sticky", "config": {"per_member": {"m1": {"proc": 100}}}}
    assert list(steps(works, known)) == [(JAVA, Step.START, 200)], "it comes late to the answer by itself"


def test_what_a_process_does_for_the_first_time_may_be_slower_than_the_rest() -> None:
    starts = [(JAVA, Step.START, 4 * USUAL_MS[JAVA][Step.START])] * 40
    answers = [(JAVA, Step.ASSIGNOR, USUAL_MS[JAVA][Step.ASSIGNOR])] * 40
    again, first = again_and_first([*starts, *answers])
    assert again == pytest.approx(1.0, rel=0.1)
    assert first == pytest.approx(4.0, rel=0.1)
    assert again_and_first([]) == (1.0, 1.0)
    unseen, seen = again_and_first(starts)
    assert 3.0 < unseen <= seen, "without a step of the other kind the host is as slow in both"


def test_threads_wake_later_on_a_slow_host_but_not_as_much_later_as_it_is_slower() -> None:
    usual, slow = LATENCIES[JAVA], on_host(LATENCIES[JAVA], 4.0, 9.0)
    assert slow.drift.quantiles_ms == pytest.approx([2 * ms for ms in usual.drift.quantiles_ms])
    assert slow.assignor.quantiles_ms == pytest.approx([4 * ms for ms in usual.assignor.quantiles_ms])
    assert slow.first_assignor.quantiles_ms == pytest.approx([9 * ms for ms in usual.first_assignor.quantiles_ms])
