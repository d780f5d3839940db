"""What-ifs that were run on a recorded run, kept with it: the report shows them.

They are kept as snapshots are: derived from the facts, under no digest, and good for one version of this form.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from groupsim.events.base import Event, Recorded
from groupsim.events.classic import JoinPhaseCompleted
from groupsim.events.client import EpochReceived, JoinOk, ProcessStarted
from groupsim.storage.store import EventStore, RunInfo, Snapshot

_KIND = "what-if 1"


class StoredChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One choice: the sentence, and partition-milliseconds over the seeds; None where it could not be answered.

    `verdict` is a `replay.verdict.Verdict`; `values_ms` are the seeds' in their order. `rebalances`, `max_partitions`,
    `outage_ms` (how long at least one partition was not held): median, least and most; empty in answers of older
    versions.
    """

    choice: str
    answer: str
    verdict: str
    median_ms: int | None = None
    least_ms: int | None = None
    most_ms: int | None = None
    seeds: int = 0
    values_ms: list[int] = []
    rebalances: list[int] = []
    max_partitions: list[int] = []
    outage_ms: list[int] = []


class StoredWhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """One call: `choices`, the first as recorded; the window in ms of the run; `recorded_ms` None: unknown;
    `recorded_between_ms`: it is known in bounds only.

    `rests_on`: how near the replay is to the record, and what the answer depends on, in sentences.
    `founding`: what the time before the comparison cost, in words. `assumed`: all that the logs did not tell; of these
    `inferred` from them, `drawn` by the seeds. `given` by the user. `migration`: what the change of protocol
    costs that was asked for with it, in sentences, and `to_do`, what that asks for.
    """

    group: str
    headline: str
    from_ms: int
    to_ms: int
    recorded_ms: int | None
    choices: list[StoredChoice]
    assumed: list[str]
    founding: str = ""
    given: list[str] = []
    inferred: list[str] = []
    drawn: list[str] = []
    migration: list[str] = []
    to_do: list[str] = []
    recorded_between_ms: tuple[int, int] | None = None
    rests_on: list[str] = []


def kept(store: EventStore, info: RunInfo) -> list[StoredWhatIf]:
    """All what-ifs of a run, the oldest first."""
    last = store.snapshot(info.id, _KIND)
    if last is None:
        return []
    return msgspec.json.decode(last.state, type=list[StoredWhatIf])


def keep(store: EventStore, info: RunInfo, what_if: StoredWhatIf) -> None:
    """Keep one more; it replaces an earlier one of the same group, window and choices, with the same given.

    Raises StoreError if the store is read-only.
    """
    before = store.snapshot(info.id, _KIND)
    others = [earlier for earlier in kept(store, info) if _question(earlier) != _question(what_if)]
    number = 0 if before is None else before.seq + 1
    state = msgspec.json.encode([*others, what_if])
    store.keep_snapshots(info.id, _KIND, [Snapshot(number, info.simulated_ms or 0, state)])


def of_streams_group(event: Event) -> bool:
    """Whether a fact shows that a process is a member of a streams group (KIP-1071)."""
    return isinstance(event, ProcessStarted) and event.config.get("group.protocol") == "streams"


def simulable(facts: Sequence[Recorded]) -> bool:
    """Whether a run can be simulated again: a generation was formed, and somebody knows how its members joined.

    Nobody does where only `__consumer_offsets` was read: it has what members held.
    """
    kinds = {type(fact.event) for fact in facts}
    if any(of_streams_group(fact.event) for fact in facts):
        return EpochReceived in kinds
    return JoinPhaseCompleted in kinds and (ProcessStarted not in kinds or JoinOk in kinds)


def _question(what_if: StoredWhatIf) -> tuple[object, ...]:
    return (
        what_if.group,
        what_if.from_ms,
        what_if.to_ms,
        tuple(what_if.given),
        tuple(choice.choice for choice in what_if.choices),
    )
