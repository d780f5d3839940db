"""How slow a host is, read from its steps, and what its latencies are then."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.conformance.timelines.libraries import Libraries
from groupsim.conformance.timelines.recorded_steps import steps
from groupsim.simulation.clients.config import JAVA, LIBRDKAFKA
from groupsim.simulation.host_speed import HOSTS, NOT_THE_HOSTS, USUAL_MS, Step, on_host, slowness
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
    assert on_host(usual, HOSTS["half-busy"]) == usual


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
