"""The legal moves between the phases of a classic group, as data (Kafka: ClassicGroupState.validPreviousStates)."""

from __future__ import annotations

from groupsim.coordinator.classic.state import Phase

TRANSITIONS: dict[Phase, tuple[Phase, ...]] = {
    Phase.EMPTY: (Phase.PREPARING_REBALANCE, Phase.DEAD),
    Phase.PREPARING_REBALANCE: (Phase.COMPLETING_REBALANCE, Phase.EMPTY, Phase.DEAD),
    Phase.COMPLETING_REBALANCE: (Phase.STABLE, Phase.PREPARING_REBALANCE, Phase.DEAD),
    Phase.STABLE: (Phase.PREPARING_REBALANCE, Phase.DEAD),
    Phase.DEAD: (),
}
"""From -> to. A coordinator that loads a group may land in STABLE, EMPTY or PREPARING_REBALANCE at once."""


def move(before: Phase, after: Phase) -> Phase:
    """`after`, if the table allows it. Raises AssertionError: an illegal move is a bug, never an answer."""
    if after not in TRANSITIONS[before]:
        raise AssertionError(f"illegal move {before.value} -> {after.value}")
    return after
