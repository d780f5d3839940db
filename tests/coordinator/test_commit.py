"""Who may commit: every check of Kafka's ClassicGroup.validateOffsetCommit."""

from __future__ import annotations

import pytest

from groupsim.events.base import Event
from groupsim.events.group import CommitAccepted, CommitRefused
from tests.coordinator.given import (
    COMPLETING,
    DEAD,
    EMPTIED,
    INITIAL,
    OFFSETS,
    PREPARING,
    SESSION,
    STABLE,
    STATIC,
    Then,
    after,
    commit,
    when,
)

BOTH = [
    ("dead", DEAD, commit("a", 1), "COORDINATOR_NOT_AVAILABLE"),
    ("empty, no generation", EMPTIED, commit(), "NONE"),
    ("empty, no generation, any member", EMPTIED, commit("zombie"), "NONE"),
    ("empty, no generation, any instance", EMPTIED, commit("zombie", instance_id="i"), "NONE"),
    ("instance unknown", STATIC, commit("a", 1, instance_id="x"), "UNKNOWN_MEMBER_ID"),
    ("instance of another", STATIC, commit("b", 1, instance_id="ia"), "FENCED_INSTANCE_ID"),
    ("instance before generation", STATIC, commit("b", 0, instance_id="ia"), "FENCED_INSTANCE_ID"),
    ("no member", STABLE, commit("x", 1), "UNKNOWN_MEMBER_ID"),
    ("emptied", EMPTIED, commit("a", 1), "UNKNOWN_MEMBER_ID"),
    ("membership before generation", STABLE, commit("x", 0), "UNKNOWN_MEMBER_ID"),
    ("an older generation", STABLE, commit("a", 0), "ILLEGAL_GENERATION"),
    ("no generation", STABLE, commit("a", -1), "ILLEGAL_GENERATION"),
    ("preparing", PREPARING, commit("a", 1), "NONE"),
    ("initial delay", INITIAL, commit("a", 0), "NONE"),
    ("stable", STABLE, commit("a", 1), "NONE"),
    ("static", STATIC, commit("a", 1, instance_id="ia"), "NONE"),
]


@pytest.mark.parametrize(("row", "given", "command", "error"), BOTH, ids=[row[0] for row in BOTH])
@pytest.mark.parametrize("transactional", [False, True], ids=["plain", "transactional"])
def test_plain_and_transactional_commits_agree(
    row: str, given: tuple[Event, ...], command: CommitAccepted, error: str, transactional: bool
) -> None:
    more = {"instance_id": command.instance_id, "transactional": transactional}  # type: ignore[attr-defined]
    then = when(given, commit(command.member, command.generation, **more))
    assert then.error == error
    if error == "NONE":
        assert then.fact(CommitAccepted).offsets == OFFSETS
        assert then.group.members == after(*given).members
    else:
        assert then.fact(CommitRefused).error == error
        assert then.timers == {}


@pytest.mark.parametrize(
    ("row", "given", "command", "plain", "transactional"),
    [
        ("absent", (), commit("a", 1), "GROUP_ID_NOT_FOUND", "ILLEGAL_GENERATION"),
        ("memberless, stable", STABLE, commit(), "UNKNOWN_MEMBER_ID", "NONE"),
        ("memberless, preparing", PREPARING, commit(), "UNKNOWN_MEMBER_ID", "NONE"),
        ("memberless, completing", COMPLETING, commit(), "UNKNOWN_MEMBER_ID", "NONE"),
        ("completing", COMPLETING, commit("a", 1), "REBALANCE_IN_PROGRESS", "NONE"),
    ],
)
def test_where_transactional_commits_differ(
    row: str, given: tuple[Event, ...], command: CommitAccepted, plain: str, transactional: str
) -> None:
    assert when(given, command).error == plain
    assert when(given, commit(command.member, command.generation, transactional=True)).error == transactional


def test_a_commit_without_generation_makes_a_group_that_nobody_joined() -> None:
    then = when((), commit())
    assert (then.error, then.facts, then.state) == ("NONE", ["GroupCreated", "CommitAccepted"], "Empty")


@pytest.mark.parametrize(("version", "error"), [(8, "ILLEGAL_GENERATION"), (9, "GROUP_ID_NOT_FOUND")])
def test_before_version_9_an_absent_group_is_an_illegal_generation(version: int, error: str) -> None:
    assert when((), commit("a", 1, version=version)).error == error


@pytest.mark.parametrize(("given", "generation"), [(PREPARING, 1), (STABLE, 1), (INITIAL, 0)])
def test_a_plain_commit_of_a_member_prolongs_its_session(given: tuple[Event, ...], generation: int) -> None:
    assert when(given, commit("a", generation)).timers == {"heartbeat/a": SESSION}
    assert when(given, commit("a", generation, transactional=True)).timers == {}


def test_the_empty_group_id_is_refused_to_transactions_only() -> None:
    assert Then(after(id=""), commit()).error == "NONE"
    assert Then(after(id=""), commit(transactional=True)).error == "INVALID_GROUP_ID"


def test_a_member_may_commit_what_it_does_not_own() -> None:
    assert when(STABLE, commit("b", 1)).error == "NONE"  # orders-0 is a's
