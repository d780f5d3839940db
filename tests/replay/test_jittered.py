"""How much earlier or later a replay does what programs did: by chance of programs, never of signals."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.replay.actions import Action, ActionKind, jittered
from groupsim.simulation.clients.config import CLIENTS, JAVA
from groupsim.simulation.latencies import LATENCIES

SIGNALS = (ActionKind.KILL, ActionKind.FREEZE, ActionKind.GROW, ActionKind.FAILOVER)
ORDERS = (ActionKind.START, ActionKind.SUBSCRIBE, ActionKind.BUSY, ActionKind.CLOSE)
actions = st.lists(
    st.builds(Action, st.integers(0, 3_000), st.sampled_from([*SIGNALS, *ORDERS]), st.integers(0, 3)), max_size=20
).map(lambda found: sorted(found, key=lambda action: (action.at_ms, action.member)))


@given(actions, st.sampled_from(CLIENTS), st.integers(0, 1_000))
def test_the_actions_on_one_member_keep_their_order(found: list[Action], client: str, seed: int) -> None:
    moved = jittered(found, LATENCIES[client], Random(seed))
    assert [action.kind for action in moved] == [action.kind for action in found]
    for member in range(4):
        before = [action.at_ms for action in found if action.member == member]
        after = [action.at_ms for action in moved if action.member == member]
        assert after == sorted(after)
        assert len(set(after)) >= len(set(before))


@pytest.mark.parametrize("kind", SIGNALS)
def test_a_signal_comes_when_the_record_says(kind: ActionKind) -> None:
    found = [Action(1_000 * i, kind, i) for i in range(5)]
    assert jittered(found, LATENCIES[JAVA], Random(1)) == found


@pytest.mark.parametrize("kind", ORDERS)
def test_a_program_is_as_often_earlier_as_later_and_never_by_half_a_heartbeat(kind: ActionKind) -> None:
    found = [Action(10_000 * i, kind, i) for i in range(2_000)]
    moved = jittered(found, LATENCIES[JAVA], Random(1))
    shifts = [after.at_ms - before.at_ms for before, after in zip(found, moved, strict=True)]
    assert abs(mean(shifts)) < 8
    assert 40 < sorted(map(abs, shifts))[1_800] < 200
