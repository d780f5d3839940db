"""Where the older (Scala) coordinator answered otherwise."""

from __future__ import annotations

import pytest

from groupsim.coordinator.classic.commands import InitialDelayElapsed, SessionExpired
from groupsim.coordinator.config import ClassicGroupConfig, CoordinatorKind
from groupsim.events import classic as facts
from tests.coordinator.given import (
    CREATED,
    EMPTIED,
    INITIAL,
    SESSION,
    STABLE,
    Then,
    added,
    after,
    commit,
    issued,
    leave,
    started,
    sync,
    when,
)

JAVA, SCALA = (
    ClassicGroupConfig(coordinator=CoordinatorKind.JAVA),
    ClassicGroupConfig(coordinator=CoordinatorKind.SCALA),
)
FLAG_CLEARED = facts.JoinDelayExtended(delay_ms=3_000, remaining_ms=57_000)
REUSED = (*EMPTIED, FLAG_CLEARED, added("c", 5), started(2, initial=True))


@pytest.mark.parametrize(("config", "extended"), [(JAVA, True), (SCALA, False)])
def test_scala_lengthens_the_initial_delay_only_at_generation_0(config: ClassicGroupConfig, extended: bool) -> None:
    for given, long in ((INITIAL, True), (REUSED, extended)):
        then = when((*given, added("n", 6)), InitialDelayElapsed(3_000, 57_000), config)
        assert (then.facts == ["JoinDelayExtended"]) is long


@pytest.mark.parametrize(("config", "state"), [(JAVA, "CompletingRebalance"), (SCALA, "PreparingRebalance")])
def test_scala_waits_the_initial_delay_out_when_somebody_expires(config: ClassicGroupConfig, state: str) -> None:
    assert when((*INITIAL, added("b", 2)), SessionExpired("b"), config).state == state
    assert when((*INITIAL, issued("p")), SessionExpired("p"), config).state == state


@pytest.mark.parametrize(("config", "timers"), [(JAVA, {}), (SCALA, {"heartbeat/b": SESSION})])
def test_scala_prolongs_the_session_at_a_sync_in_stable(config: ClassicGroupConfig, timers: dict[str, int]) -> None:
    then = Then(after(*STABLE, config=config), sync("b"))
    assert {key: ms for key, ms in then.timers.items() if key != "sync"} == timers


@pytest.mark.parametrize(("config", "rebalances"), [(JAVA, "(b, a)"), (SCALA, "(b)")])
def test_scala_looks_again_after_every_entry_of_a_batch(config: ClassicGroupConfig, rebalances: str) -> None:
    given = (*STABLE, added("c"))
    assert rebalances in when(given, leave("b", "a"), config).fact(facts.RebalanceStarted).reason


@pytest.mark.parametrize(("config", "error"), [(JAVA, "GROUP_ID_NOT_FOUND"), (SCALA, "ILLEGAL_GENERATION")])
def test_scala_knows_no_group_id_not_found(config: ClassicGroupConfig, error: str) -> None:
    assert when((), commit("a", 1), config).error == error


def test_both_make_a_group_for_a_commit_without_generation() -> None:
    for config in (JAVA, SCALA):
        assert when((), commit(), config).error == "NONE"
        assert when(CREATED, commit(), config).error == "NONE"
