"""Snapshots: replay answers the same with them and without, at any time, and survives their loss."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields

import pytest

from groupsim.analysis import snapshots
from groupsim.analysis.classic_group_state import ClassicGroupState
from groupsim.analysis.consumer_group_state import ConsumerGroupState
from groupsim.analysis.group_state import AnyGroupState
from groupsim.analysis.replay import fold
from groupsim.analysis.snapshots import KINDS, decode, encode, kind, replay_stored
from groupsim.events.base import Recorded
from groupsim.events.types import RunId
from groupsim.scenarios import catalogue
from groupsim.simulation.run import run
from groupsim.storage import EventStore, open_store
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunInfo, Snapshot
from tests.analysis.log import replay


@pytest.fixture(scope="module")
def stored() -> tuple[MemoryStore, RunInfo]:
    """A failover in the middle of rebalances: what is durable matters."""
    store = MemoryStore()
    return store, run(catalogue.find("coordinator_moves_again_and_again"), store, record="facts").info


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "EVERY", 37)
    kind.cache_clear()


class Counting(MemoryStore):
    """Counts the facts that are looked through."""

    def __init__(self, info: RunInfo, other: EventStore) -> None:
        super().__init__()
        self.seen = 0
        self.import_run(info, other.rows(info.id))

    def read(self, run: RunId, *, start: int = 0, stop: int | None = None, **more: object) -> Iterator[Recorded]:
        """As in any store."""
        end = self.find(run).facts
        self.seen += (end if stop is None else min(stop, end)) - start
        return super().read(run, start=start, stop=stop, **more)  # type: ignore[arg-type]


def test_replay_is_the_same_with_snapshots_at_any_time(stored: tuple[MemoryStore, RunInfo]) -> None:
    store, info = stored
    facts, chance = list(store.read(info.id)), random.Random(1)
    instants = [None, 0, *(chance.randrange(info.simulated_ms or 1) for _ in range(40))]
    instants += [fact.at_ms for fact in chance.sample(facts, 20)]
    for at in instants:
        assert replay_stored(store, info, at) == replay(facts, at), at
    store.drop_snapshots()
    assert replay_stored(store, info, instants[5]) == replay(facts, instants[5])


def test_afterwards_no_more_is_read_than_the_facts_since_the_last_snapshot(stored: tuple[MemoryStore, RunInfo]) -> None:
    store, info = Counting(stored[1], stored[0]), stored[1]
    replay_stored(store, info, 1000)
    assert store.seen >= info.facts // 37 * 37
    for at in (1000, 50_000, None, 7):
        store.seen = 0
        replay_stored(store, info, at)
        assert store.seen <= 37


def test_a_damaged_snapshot_is_passed_by(stored: tuple[MemoryStore, RunInfo]) -> None:
    store, info = stored
    name = kind()
    assert name
    replay_stored(store, info)
    kept = store._snapshots[info.id, name]
    expected = replay(store.read(info.id))
    for seq, snapshot in kept.items():
        kept[seq] = type(snapshot)(snapshot.seq, snapshot.at_ms, snapshot.state[:-9] + b"x" + snapshot.state[-8:])
    assert replay_stored(store, info) == expected
    store.drop_snapshots()


def test_every_field_of_the_state_is_kept_or_follows_from_the_others() -> None:
    followed = {"owners", "withheld", "moved_alike", "targeted", "_topics", "_durable"}
    assert set(ClassicGroupState.__slots__) - followed == set(snapshots._Kept.__struct_fields__) - {"durable"}
    durable = ClassicGroupState()._durable
    assert set(type(durable).__dataclass_fields__) == set(snapshots._Durable.__struct_fields__)
    assert {each.name for each in fields(ConsumerGroupState)} - followed == set(
        snapshots._KeptConsumer.__struct_fields__
    )


def test_states_come_back_from_their_bytes_as_they_were(stored: tuple[MemoryStore, RunInfo]) -> None:
    store, info = stored
    states: dict[str, AnyGroupState] = {}
    for fact in store.read(info.id):
        fold(states, fact)
        if fact.seq % 29 == 0:
            again = decode(encode(states))
            assert again is not None
            for group in states:
                names = [name for name in ClassicGroupState.__slots__ if name != "_topics"]
                assert [getattr(again[group], n) for n in names] == [getattr(states[group], n) for n in names]


def test_a_group_that_changes_its_protocol_is_replayed_the_same_with_snapshots_and_without() -> None:
    store = MemoryStore()
    info = run(catalogue.find("consumer_upgrade_and_back"), store, settings={"host": "ideal"}, record="facts").info
    facts, chance = list(store.read(info.id)), random.Random(1)
    found = []
    for at in sorted(fact.at_ms for fact in chance.sample(facts, 60)):
        replayed = replay_stored(store, info, at)
        assert replayed == replay(facts, at), at
        found.append(replayed["groups"]["billing"])
    assert {"PreparingRebalance", "Assigning", "Reconciling", "Stable"} <= {group["state"] for group in found}
    assert found[-1]["generation"] == 11


def test_snapshots_are_under_no_digest_and_can_be_dropped(stored: tuple[MemoryStore, RunInfo]) -> None:
    with_sql = open_store(":memory:")
    info = with_sql.import_run(stored[1], stored[0].rows(stored[1].id))
    replay_stored(with_sql, info)
    assert with_sql.digest(info.id) == info.digest
    with_sql.keep_snapshots(info.id, "replay_%", [Snapshot(1, 1, b"of another kind")])
    assert with_sql.drop_snapshots(KINDS) == info.facts // 37
    assert with_sql.drop_snapshots("replay_") == 1
    assert with_sql.drop_snapshots() == 0
