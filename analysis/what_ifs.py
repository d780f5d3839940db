"""What-ifs that were run on a recorded run, kept with it: the report shows them.

They are kept as snapshots are: derived from the facts, under no digest, and good for one version of this form.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from groupsim.events.base import Recorded
from groupsim.events.classic import JoinPhaseCompleted
from groupsim.events.client import JoinOk, ProcessStarted
from groupsim.events.types import RunId
from groupsim.storage.store import EventStore, RunInfo, Snapshot

_KIND = "what-if 1"


class StoredChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One choice: the sentence, and partition-milliseconds over the seeds; None where it could not be answered.

    `verdict` is a `replay.what_if.Verdict`; `values_ms` are the seeds' in their order.
    """

    choice: str
    answer: str
    verdict: str
    median_ms: int | None = None
    least_ms: int | None = None
    most_ms: int | None = None
    seeds: int = 0
    values_ms: list[int] = []


class StoredWhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """One call: `choices`, the first as recorded; the window in ms of the run; `recorded_ms` None: unknown."""

    group: str
    headline: str
    from_ms: int
    to_ms: int
    recorded_ms: int | None
    choices: list[StoredChoice]
    assumed: list[str]


def kept(store: EventStore, info: RunInfo) -> list[StoredWhatIf]:
    """All what-ifs of a run, the oldest first."""
    last = store.snapshot(info.id, _KIND)
    if last is None:
        return []
    return msgspec.json.decode(last.state, type=list[StoredWhatIf])


def keep(store: EventStore, info: RunInfo, found: StoredWhatIf) -> None:
    """Keep one more; it replaces an earlier one of the same group, window and choices.

    Raises StoreError if the store is read-only.
    """
    before = store.snapshot(info.id, _KIND)
    others = [each for each in kept(store, info) if _question(each) != _question(found)]
    number = 0 if before is None else before.seq + 1
    state = msgspec.json.encode([*others, found])
    store.keep_snapshots(info.id, _KIND, [Snapshot(number, info.simulated_ms or 0, state)])


def first_question(run: RunId, facts: Iterable[Recorded]) -> str | None:
    """The command that asks for another assignor than the recorded one; None without a classic group to replay.

    Processes of which nobody knows how they joined can't be replayed: `__consumer_offsets` has only what they held.
    """
    facts = list(facts)
    protocols = [fact.event.protocol or "" for fact in facts if isinstance(fact.event, JoinPhaseCompleted)]
    kinds = {type(fact.event) for fact in facts}
    if not protocols or (ProcessStarted in kinds and JoinOk not in kinds):
        return None
    other = "range" if any("cooperative" in name for name in protocols) else "cooperative-sticky"
    return f"groupsim incident whatif {run} --assignor {other}"


def _question(found: StoredWhatIf) -> tuple[object, ...]:
    return found.group, found.from_ms, found.to_ms, tuple(each.choice for each in found.choices)
