"""Each invariant on logs written by hand: one that keeps it, one that breaks it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import ClassVar

import pytest

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Event, Recorded
from groupsim.events.catalogue import CATALOGUE
from groupsim.events.group import CoordinatorLoaded, GroupEmptied
from groupsim.events.network import LinkCut, LinkHealed
from groupsim.events.world import GroupDeclared, RunEnded, TopicCreated
from groupsim.invariants import Invariant, Violation, all_invariants
from groupsim.invariants.convergence import Converges
from groupsim.invariants.epochs import GenerationsAdvance
from groupsim.invariants.fencing import FencedCommits
from groupsim.invariants.ownership import SingleOwner
from tests.invariants.watched import CREATED, Timed, commit, completed, stored, tps, watch


def test_there_are_seven_and_each_call_gives_fresh_ones() -> None:
    first, second = all_invariants(), all_invariants()
    safe = ["single-owner", "withheld-until-revoked", "generations-advance", "fenced-commits"]
    assert [i.name for i in first] == [*safe, "share-assignments", "streams-tasks", "converges"]
    assert all(a is not b for a, b in zip(first, second, strict=True))


def test_a_partition_granted_once_in_each_generation_is_right() -> None:
    first, second = {"a": tps(0), "b": tps(1)}, {"a": tps(1), "b": tps(0)}
    assert watch(SingleOwner(), stored(1, 1, first), stored(2, 2, second), stored(3, 3, None)) == []


def test_a_partition_granted_twice_is_named_with_both_members() -> None:
    (broken,) = watch(SingleOwner(), stored(7, 3, {"a": tps(0, 1), "b": tps(1)}))
    assert (broken.at_ms, broken.seq) == (7, 0)
    assert broken.sentence == "orders-1 granted to a and b in generation 3 of billing"


def test_generations_may_start_anywhere_and_grow() -> None:
    emptied = (4, GroupEmptied(generation=14))
    assert watch(GenerationsAdvance(), completed(1, 12, "a"), stored(2, 12, {}), completed(3, 13), emptied) == []


def test_a_generation_that_goes_back_or_stands_still_is_an_error() -> None:
    said = watch(GenerationsAdvance(), completed(1, 5, "a"), completed(2, 4, "a"), completed(3, 5, "a"))
    assert [v.sentence for v in said] == [
        "generation of billing went back from 5 to 4 (JoinPhaseCompleted)",
        "a join phase of billing ended without a new generation: still 5",
    ]


def test_a_failover_may_take_the_generation_back() -> None:
    loaded = (3, CoordinatorLoaded())
    facts = (stored(1, 4, {}), completed(2, 5, "a"), loaded, completed(4, 5, "a"))
    assert watch(GenerationsAdvance(), *facts) == []
    assert len(watch(GenerationsAdvance(), *facts[:2], completed(4, 5, "a"))) == 1


def test_commits_of_members_at_their_generation_and_commits_without_a_member_are_right() -> None:
    facts = (
        commit(0, "", -1),
        CREATED,
        commit(0, "whoever", -1),
        (1, c.MemberAdded(member="a")),
        completed(2, 1, "a"),
        commit(3, "a", 1),
        commit(3, "", -1),
    )
    assert watch(FencedCommits(), *facts) == []


@pytest.mark.parametrize(
    ("trouble", "member", "generation", "end"),
    [
        ((4, c.MemberRemoved(member="b", cause="left")), "b", 1, "but it is not a member"),
        (completed(4, 2, "a", dropped=("b",)), "b", 1, "but it is not a member"),
        (
            (4, c.MemberReplaced(instance_id="i", old="b", member="b2")),
            "b",
            1,
            "but it is not a member",
        ),
        (completed(4, 2, "a", "b"), "b", 1, "but the group is at 2"),
        ((4, GroupEmptied(generation=2)), "b", 1, "but it is not a member"),
    ],
)
def test_a_commit_of_the_fenced_must_not_be_accepted(trouble: Timed, member: str, generation: int, end: str) -> None:
    joined = ((1, c.MemberAdded(member="a")), (1, c.MemberAdded(member="b")))
    facts = (CREATED, *joined, completed(2, 1, "a", "b"), stored(3, 1, {}))
    assert watch(FencedCommits(), *facts, commit(5, member, generation)) == []
    (broken,) = watch(FencedCommits(), *facts, trouble, commit(5, member, generation))
    assert broken.sentence.endswith(end)
    assert broken.at_ms == 5


def test_after_a_failover_the_members_on_record_may_commit_at_the_old_generation() -> None:
    facts = (
        CREATED,
        (1, c.MemberAdded(member="a")),
        completed(2, 1, "a"),
        stored(3, 1, {}),
        (4, c.MemberAdded(member="n")),
        completed(5, 2, "a", "n"),
        (6, CoordinatorLoaded()),
    )
    assert watch(FencedCommits(), *facts, commit(7, "a", 1)) == []
    assert len(watch(FencedCommits(), *facts, commit(7, "n", 2))) == 1


def test_a_recorded_group_is_not_checked_before_its_members_are_known() -> None:
    assert watch(FencedCommits(), (1, c.MemberAdded(member="a")), commit(2, "b", 3)) == []


WORLD: tuple[Timed, ...] = (
    (0, TopicCreated(topic="orders", partitions=2)),
    (0, GroupDeclared(group="billing", protocol="classic", topics=("orders",))),
    (0, p.ProcessStarted(process="a.0", client_id="a", topics=("orders",))),
    (1, c.MemberAdded(member="a", client_host="a.0", session_timeout_ms=1000, rebalance_timeout_ms=3000)),
    (1, c.RebalanceStarted(generation=0, cause="member-joined", reason="")),
)
END: Timed = (60_000, RunEnded(status="finished"))


def test_a_group_that_settled_converges_and_tells_its_slowest_rebalance() -> None:
    converges = Converges()
    assert watch(converges, *WORLD, completed(1000, 1, "a"), stored(2501, 1, {"a": tps(0, 1)}), END) == []
    assert converges.note == "slowest 2.5 s"


def test_a_partition_left_without_an_owner_is_named() -> None:
    (broken,) = watch(Converges(), *WORLD, stored(2501, 1, {"a": tps(0)}), END)
    assert broken.sentence == "billing leaves 1 partitions without an owner: orders-1"


def test_a_partition_that_still_belongs_to_the_dead_is_named() -> None:
    other = (
        (5, p.ProcessStarted(process="b.0", client_id="b", topics=("orders",))),
        (6, c.MemberAdded(member="b", client_host="b.0")),
        stored(9, 1, {"a": tps(0), "b": tps(1)}),
        (10, p.Crashed(process="b.0")),
    )
    (broken,) = watch(Converges(), *WORLD, *other, END)
    assert broken.sentence == "orders-1 still belongs to b.0, which is gone, in billing"


def test_a_rebalance_that_outlasts_its_timeout_has_not_converged() -> None:
    (broken,) = watch(Converges(), *WORLD, END)
    assert "still rebalancing" in broken.sentence


def test_an_empty_group_with_running_processes_has_not_converged() -> None:
    (broken,) = watch(Converges(), *WORLD, (2, GroupEmptied(generation=1)), END)
    assert "not Stable" in broken.sentence


def test_rebalances_without_a_reason_are_a_loop() -> None:
    rounds = tuple(
        timed
        for at in range(30_000, 50_000, 1000)
        for timed in (
            (at, c.RebalanceStarted(generation=1, cause="member-rejoined", reason="")),
            stored(at + 5, 1, {"a": tps(0, 1)}),
        )
    )
    (broken,) = watch(Converges(), *WORLD, *rounds, END)
    assert broken.sentence.startswith("billing began 20 rebalances")


@pytest.mark.parametrize(
    "trouble",
    [
        (LinkCut(a="a.0", b="broker"),),
        (LinkCut(a="a.0", b="broker"), LinkHealed(a="broker", b="a.0")),
        (p.Crashed(process="z.0"),),
    ],
)
def test_nothing_is_asked_of_a_run_that_had_no_time_to_heal(trouble: tuple[Event, ...]) -> None:
    converges = Converges()
    late = tuple((50_000, event) for event in trouble)
    assert watch(converges, *WORLD, (2, GroupEmptied(generation=1)), *late, END) == []
    assert "not checked" in converges.note


def test_a_group_whose_processes_are_gone_or_frozen_owes_nothing() -> None:
    gone = (3, p.Closed(process="a.0"))
    frozen = (3, p.Frozen(process="a.0"))
    for last in (gone, frozen):
        assert watch(Converges(), *WORLD, (2, GroupEmptied(generation=1)), last, END) == []


def test_an_invariant_is_given_the_facts_that_it_reads_and_no_others() -> None:
    class Counting:
        name, note = "counting", ""
        reads: ClassVar[tuple[type[Event], ...]] = (c.RebalanceStarted, GroupEmptied)

        def __init__(self) -> None:
            self.seen: list[int] = []

        def observe(self, fact: Recorded) -> Iterator[Violation]:
            self.seen.append(fact.seq)
            yield Violation(self.name, fact.at_ms, fact.seq, "seen")

        def finish(self, at_ms: int, seq: int) -> Iterator[Violation]:
            yield Violation(self.name, at_ms, seq, "end")

    counting = Counting()
    found = watch(counting, *WORLD, (2, GroupEmptied(generation=1)), END)
    assert counting.seen == [4, 5]
    assert [(v.at_ms, v.seq, v.sentence) for v in found] == [(1, 4, "seen"), (2, 5, "seen"), (60_000, 6, "end")]


@pytest.mark.parametrize("invariant", all_invariants(), ids=lambda each: each.name)
def test_every_invariant_names_facts_and_none_of_them_is_noise(invariant: Invariant) -> None:
    """Noise is not recorded in every run."""
    assert invariant.reads
    assert not any(kind.noise for kind in invariant.reads)


@pytest.mark.parametrize("invariant", all_invariants(), ids=lambda each: each.name)
def test_every_fact_that_an_invariant_asks_for_is_among_those_it_reads(invariant: Invariant) -> None:
    """Else it would be asked for in vain: only facts of `reads` arrive."""
    tree = ast.parse(inspect.getsource(inspect.getmodule(type(invariant))))  # type: ignore[arg-type]
    bodies = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    asked = {
        name
        for body in bodies
        for node in ast.walk(body)
        for name in [getattr(node, "id", None) or getattr(node, "attr", None)]
        if name in CATALOGUE
    }
    assert asked <= {kind.__name__ for kind in invariant.reads}
    assert asked
