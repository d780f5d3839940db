"""What-ifs that were run on a recorded run, kept with it: the report shows them.

They are kept as snapshots are: derived from the facts, under no digest, and good for one version of this form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

import msgspec

from groupsim.events.base import Recorded, group_of
from groupsim.events.classic import JoinPhaseCompleted
from groupsim.events.client import EpochReceived, JoinOk, ProcessStarted
from groupsim.events.consumer import TargetComputed
from groupsim.events.types import RunId
from groupsim.storage.store import EventStore, RunInfo, Snapshot

_KIND = "what-if 1"
_COOPERATIVE = ("cooperative-sticky", "range", "roundrobin")
_COOPERATES = {"java", "librdkafka", "franz-go", None}
"""Client libraries with a cooperative assignor, or unknown ones, and what all of them have; most useful first."""

_SPEAKS_CONSUMER = {"java", "librdkafka", None}
"""Client libraries whose change to the consumer protocol (KIP-848) can be simulated, or unknown ones."""
_NOT_OF_CONSUMERS = {"stream", "sessioned", "compatible", "default"}
"""What groups of Kafka Streams and Kafka Connect have for an assignor: they have protocols of their own."""


class StoredChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One choice: the sentence, and partition-milliseconds over the seeds; None where it could not be answered.

    `verdict` is a `replay.verdict.Verdict`; `values_ms` are the seeds' in their order. `rebalances`, `max_partitions`:
    median, least and most; empty in answers of older versions.
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


class StoredWhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """One call: `choices`, the first as recorded; the window in ms of the run; `recorded_ms` None: unknown;
    `recorded_between_ms`: it is known in bounds only.

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


def first_question(run: RunId, facts: Sequence[Recorded]) -> str | None:
    """The command that asks for choices that the record does not have; None where the logs show too little for any.

    They are another assignor than those that were used, where a log names these, and static membership where a dynamic
    member came back. The group is the one with the most rebalances, as in the what-if. Processes of which nobody knows
    how they joined can't be replayed: `__consumer_offsets` has only what they held. Of a consumer group (KIP-848) it
    is the classic protocol; of a group that was both, each protocol for all members.
    """
    joined = [(group_of(f.stream), f.event.protocol) for f in facts if isinstance(f.event, JoinPhaseCompleted)]
    kinds = {type(fact.event) for fact in facts}
    if not joined and {TargetComputed, EpochReceived} <= kinds:
        return f"groupsim incident whatif {run} --protocol classic"
    if not joined or _only_held(facts):
        return None
    group = Counter(group for group, _ in joined).most_common(1)[0][0]
    if any(isinstance(fact.event, TargetComputed) and group_of(fact.stream) == group for fact in facts):
        return f"groupsim incident whatif {run} --protocol consumer --protocol classic"
    used = {assignor for of, assignor in joined if of == group and assignor}
    started = [f.event for f in facts if isinstance(f.event, ProcessStarted) and group_of(f.stream) == group]
    asked = [f"--assignor {name}" for name in _others(used, {process.library for process in started})[:1]]
    clients = Counter(process.client_id for process in started if process.instance_id is None)
    if any(number > 1 for number in clients.values()):
        asked.append("--set membership=static")
    return f"groupsim incident whatif {run} {' '.join(asked)}" if asked else None


def _only_held(facts: Sequence[Recorded]) -> bool:
    """Whether nobody knows how processes joined."""
    kinds = {type(fact.event) for fact in facts}
    return ProcessStarted in kinds and JoinOk not in kinds


def migration_question(run: RunId, facts: Sequence[Recorded]) -> str | None:
    """The command that asks what a change to the consumer protocol costs; None for a group that has it, or can't.

    Nor where no log shows how its members joined.
    """
    joined = [(group_of(f.stream), f.event.protocol) for f in facts if isinstance(f.event, JoinPhaseCompleted)]
    if not joined or _only_held(facts):
        return None
    group = Counter(group for group, _ in joined).most_common(1)[0][0]
    own = [fact.event for fact in facts if group_of(fact.stream) == group]
    libraries = {event.library for event in own if isinstance(event, ProcessStarted)}
    assignors = {assignor for of, assignor in joined if of == group and assignor}
    can = libraries <= _SPEAKS_CONSUMER and not assignors & _NOT_OF_CONSUMERS
    if not can or any(isinstance(event, TargetComputed) for event in own):
        return None
    return f"groupsim incident whatif {run} --migrate rolling"


def _others(used: Set[str], libraries: Set[str | None]) -> list[str]:
    """Assignors that the clients have and the record does not use; none where it is unknown what it uses."""
    known = _COOPERATIVE if libraries <= _COOPERATES else ("roundrobin", "range")
    return [name for name in known if name not in used] if used else []


def _question(what_if: StoredWhatIf) -> tuple[object, ...]:
    return (
        what_if.group,
        what_if.from_ms,
        what_if.to_ms,
        tuple(what_if.given),
        tuple(choice.choice for choice in what_if.choices),
    )
