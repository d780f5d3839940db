"""Replay of a long run: states are kept in the store every so many facts, and a later replay begins at the nearest.

A snapshot is a cache. It is never under a digest, can be dropped at any time (`replay --fresh`), and is good
only for the code that folded it: another version of the fold does not see it.
"""

from __future__ import annotations

import hashlib
import inspect
from contextlib import suppress
from functools import cache
from itertools import chain
from typing import Any

import msgspec

from groupsim.analysis import classic_group_state as state_module
from groupsim.analysis import consumer_group_state as consumer_state_module
from groupsim.analysis import group_state
from groupsim.analysis import replay as replay_module
from groupsim.analysis.classic_group_state import ClassicGroupState, MemberState
from groupsim.analysis.consumer_group_state import ConsumerGroupState, ConsumerMember
from groupsim.analysis.group_state import AnyGroupState
from groupsim.analysis.replay import READS, fold, replayed
from groupsim.events import catalogue
from groupsim.events.streams import TopologyStored
from groupsim.events.tasks_as_partitions import TasksAsPartitions
from groupsim.events.types import GroupId, MemberId, Partitions
from groupsim.storage.errors import StoreError
from groupsim.storage.store import EventStore, RunInfo, Snapshot

KINDS = "replay-"
"""How the names of our snapshots begin, whatever version folded them; what else a store keeps has other names."""
EVERY = 50_000
"""Facts from one snapshot to the next: a tenth of a second to read, and a few hundred snapshots in ten million."""
_FOLDS = (state_module, consumer_state_module, group_state, replay_module)
_SAID_ONCE = (TopologyStored.__name__,)
_SUM = hashlib.sha256().digest_size


class _Durable(msgspec.Struct):
    """`analysis.classic_group_state._Durable`, field by field."""

    state: str
    generation: int
    leader: MemberId | None
    protocol: str | None
    members: dict[MemberId, MemberState]
    assignment: dict[MemberId, Partitions]
    unassigned: bool


class _Kept(msgspec.Struct, tag="classic"):
    """`ClassicGroupState`, but for what follows from the rest: `owners` from `assignment`, `_topics` from `members`."""

    state: str
    generation: int
    leader: MemberId | None
    protocol: str | None
    members: dict[MemberId, MemberState]
    assignment: dict[MemberId, Partitions]
    assignment_known: bool
    has_coordinator_facts: bool
    size: int
    members_at_last_assignment: frozenset[MemberId]
    removed: set[MemberId]
    self_reported_generation: dict[MemberId, int]
    unassigned: bool
    of_connect: bool
    delayed: bool
    durable: _Durable


class _KeptConsumer(msgspec.Struct, tag="consumer"):
    """`ConsumerGroupState`, but for `owners`, which follow from the members."""

    members: dict[MemberId, ConsumerMember]
    epoch: int
    target_epoch: int
    targets: dict[MemberId, Partitions]
    resolved: dict[str, tuple[str, ...]]
    loaded: bool
    removed: set[MemberId]
    members_at_last_assignment: frozenset[MemberId]
    self_reported_generation: dict[MemberId, int]


def _kept(state: AnyGroupState) -> _Kept | _KeptConsumer:
    if isinstance(state, ConsumerGroupState):
        return _KeptConsumer(**{name: getattr(state, name) for name in _KeptConsumer.__struct_fields__})
    plain = {name: getattr(state, name) for name in _Kept.__struct_fields__ if name != "durable"}
    durable = {name: getattr(state._durable, name) for name in _Durable.__struct_fields__}
    return _Kept(**plain, durable=_Durable(**durable))


def _restored(kept: _Kept | _KeptConsumer) -> AnyGroupState:
    if isinstance(kept, _KeptConsumer):
        consumer = ConsumerGroupState(**msgspec.structs.asdict(kept))
        consumer.index()
        return consumer
    state = ClassicGroupState()
    for name in _Kept.__struct_fields__:
        if name != "durable":
            setattr(state, name, getattr(kept, name))
    state._durable = state_module._Durable(**msgspec.structs.asdict(kept.durable))
    state._index()
    return state


def encode(states: dict[GroupId, AnyGroupState]) -> bytes:
    """The state of all groups, behind a checksum of it."""
    body = msgspec.json.encode({group: _kept(of) for group, of in states.items()}, order="deterministic")
    return hashlib.sha256(body).digest() + body


def decode(state: bytes) -> dict[GroupId, AnyGroupState] | None:
    """The reverse; None for what is damaged: a state can be folded again."""
    body = state[_SUM:]
    if hashlib.sha256(body).digest() != state[:_SUM]:
        return None
    try:
        states = msgspec.json.decode(body, type=dict[str, _Kept | _KeptConsumer])
    except msgspec.MsgspecError:
        return None
    return {group: _restored(kept) for group, kept in states.items()}


@cache
def kind() -> str | None:
    """What our snapshots are called in a store: the fold's own source is in it. None where no source can be seen."""
    try:
        sources = [inspect.getsource(module) for module in _FOLDS]
    except OSError:
        return None
    folded = hashlib.sha256("\n".join([*sources, str(EVERY), catalogue.fingerprint()]).encode())
    return f"{KINDS}{folded.hexdigest()[:16]}"


def replay_stored(store: EventStore, info: RunInfo, until_ms: int | None = None) -> dict[str, Any]:
    """The groups of a stored run at `until_ms` (facts at that very millisecond included), else at the end.

    As `analysis.replay.replayed` gives them, in the time it takes to read the facts since the last snapshot.

    The first time all of a long run is read and its snapshots are kept, if the store can be written to.
    """
    name = kind()
    complete = name is not None and _complete(store, info, name)
    snapshot = store.snapshot(info.id, name, until_ms) if name is not None else None
    states = decode(snapshot.state) if snapshot else None
    start = snapshot.seq if snapshot and states is not None else 0
    # Behind the nearest snapshot and before the next there is no more to read, whatever comes later.
    stop = start + EVERY if complete and (states is not None or snapshot is None) else None
    return replayed(_folded(store, info, states or {}, start, stop, until_ms))


def _folded(
    store: EventStore,
    info: RunInfo,
    states: dict[GroupId, AnyGroupState],
    start: int,
    stop: int | None,
    until_ms: int | None = None,
) -> dict[GroupId, AnyGroupState]:
    translate = TasksAsPartitions()
    if start and any(isinstance(state, ConsumerGroupState) for state in states.values()):  # what tasks read was said
        for before in store.read(info.id, stop=start, types=_SAID_ONCE):
            translate(before)
    facts = store.read(info.id, start=start, stop=stop, types=READS)
    for fact in chain.from_iterable(map(translate, facts)):
        if until_ms is not None and fact.at_ms > until_ms:
            break
        fold(states, fact)
    return states


def _complete(store: EventStore, info: RunInfo, name: str) -> bool:
    """Keep the snapshots that are missing up to the run's last fact; False if the store does not take them."""
    last = store.snapshot(info.id, name)
    states = decode(last.state) if last else {}
    if states is None:
        return False
    start = last.seq if last else 0
    if info.facts - start < EVERY:
        return True
    with suppress(StoreError):  # of a store that is only read every replay is as slow as the first
        store.keep_snapshots(info.id, name, [])
        for begin in range(start, info.facts - EVERY + 1, EVERY):
            end = begin + EVERY
            _folded(store, info, states, begin, end)
            row = next(iter(store.rows(info.id, start=end - 1, stop=end)), None)
            if row is None:
                raise StoreError(f"run {info.id} has no fact {end - 1}, of {info.facts}")
            store.keep_snapshots(info.id, name, [Snapshot(end, row[1], encode(states))])
        return True
    return False
