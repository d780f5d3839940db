"""The swarm finds bugs: planted ones here, so that we know it would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from groupsim import assignors
from groupsim.assignors.spec import Spec
from groupsim.coordinator import classic
from groupsim.coordinator.classic import commands
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.commands import Commit, CommitAnswer
from groupsim.coordinator.outcome import Error, Outcome, Reply
from groupsim.events.group import CommitAccepted
from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import RunResult, run
from groupsim.storage.memory import MemoryStore

MANY = 60


def _swarm(seed: int, **settings: str) -> RunResult:
    return run(find("swarm"), MemoryStore(), seed=seed, settings=settings, record="facts")


def _broken(result: RunResult) -> set[str]:
    return {name for name, said in result.violations.items() if said} | ({"story"} if result.failure else set())


def _found(**settings: str) -> set[str]:
    """What breaks first under seeds 0, 1, 2…"""
    for seed in range(MANY):
        broken = _broken(_swarm(seed, **settings))
        if broken:
            return broken
    return set()


@pytest.mark.parametrize("seed", range(12))
def test_without_a_planted_bug_nothing_breaks(seed: int) -> None:
    assert _broken(_swarm(seed)) == set()


def test_the_same_seed_is_the_same_swarm_and_another_is_another() -> None:
    assert _swarm(7).info.digest == _swarm(7).info.digest
    assert _swarm(7).info.digest != _swarm(8).info.digest


def _plant(monkeypatch: pytest.MonkeyPatch, mutate: Callable[[Spec, Any], Any]) -> None:
    """Let cooperative-sticky answer something else."""
    right = assignors.ASSIGNORS["cooperative-sticky"]
    wrong = replace(right, assign=lambda spec: mutate(spec, right.assign(spec)))
    monkeypatch.setitem(assignors.ASSIGNORS, "cooperative-sticky", wrong)


def test_a_cooperative_assignor_that_does_not_withhold_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    eager = assignors.ASSIGNORS["sticky"].assign
    _plant(monkeypatch, lambda spec, _: eager(spec))
    assert "withheld-until-revoked" in _found(assignor="cooperative-sticky")


def test_an_assignor_that_grants_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(spec: Spec, given: Any) -> Any:
        plan = {member: tuple(given[member]) for member in sorted(given)}
        first, *others = sorted(plan)
        return {**plan, first: (*plan[first], *(tp for other in others for tp in plan[other][:1]))}

    _plant(monkeypatch, twice)
    assert "single-owner" in _found(assignor="cooperative-sticky")


Decide = Callable[[ClassicGroup, Any], Outcome[ClassicGroup]]


def _planted(
    monkeypatch: pytest.MonkeyPatch, mutant: Callable[[Decide, ClassicGroup, Any], Outcome[ClassicGroup]]
) -> None:
    """Let the coordinator decide something else."""
    right = classic.decide
    monkeypatch.setattr(classic, "decide", lambda group, command: mutant(right, group, command))


def test_a_coordinator_that_accepts_whatever_is_committed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def gullible(right: Decide, group: ClassicGroup, command: Any) -> Outcome[ClassicGroup]:
        if not isinstance(command, Commit) or not group.exists:
            return right(group, command)
        said = CommitAccepted(member=command.member, generation=command.generation, offsets=command.offsets)
        return Outcome(classic.evolve(group, said), (said,), (Reply(command.request, CommitAnswer(Error.NONE)),))

    _planted(monkeypatch, gullible)
    assert "fenced-commits" in _found()


def test_a_coordinator_whose_alarms_do_not_ring_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    alarms = (commands.SessionExpired, commands.JoinTimeout, commands.SyncTimedOut)

    def deaf(right: Decide, group: ClassicGroup, command: Any) -> Outcome[ClassicGroup]:
        return Outcome(group) if isinstance(command, alarms) else right(group, command)

    _planted(monkeypatch, deaf)
    assert _found() & {"converges", "story"}


@pytest.mark.parametrize(
    ("seed", "classic_share"),
    [(1, 0.0), (2, 0.0), (3, 0.5), (5, 0.5), (8, 0.3), *((seed, 0.3) for seed in (12, 31, 100, 790))],
)
def test_a_consumer_group_alone_or_mixed_survives_its_swarm(seed: int, classic_share: float) -> None:
    """The last four: epochs that begin anew, a static member away, a failed upgrade, a forgotten epoch."""
    settings = {"classic_share": str(classic_share)}
    result = run(find("consumer_swarm"), MemoryStore(), seed=seed, settings=settings, record="facts")
    assert result.failure is None
    assert _broken(result) == set()
