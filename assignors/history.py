"""Several rounds of one group: what members report from call to call, and cooperative follow-ups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from groupsim.assignors.assignor import CLIENT, Assignor
from groupsim.assignors.errors import AssignorError, Refused
from groupsim.assignors.spec import COOPERATIVE, Answer, Member, Spec
from groupsim.events.types import NO_GENERATION, MemberId, TopicPartition

STATELESS = frozenset({"range", "roundrobin"})
"""Their members report nothing."""
MOST_FOLLOW_UPS = 100


@dataclass(frozen=True, slots=True)
class Round:
    """The group of one round (its members own nothing here), and which members come back with old partitions."""

    spec: Spec
    stale: frozenset[MemberId] = frozenset()


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the assignor: the problem it got and what it answered (None: it threw `error`)."""

    round: int
    followup: int
    generation: int
    spec: Spec
    answer: Answer | None
    error: str | None = None


def play(assignor: Assignor, rounds: Sequence[Round]) -> Iterator[Call]:
    """Every call of a history: generations count from 1; a member that was absent comes back with nothing unless stale.

    Client side, subscriptions and assignments pass through ConsumerProtocol, which sorts and groups them.
    """
    client = assignor.side == CLIENT
    last: dict[MemberId, tuple[tuple[TopicPartition, ...], int]] = {}
    present: frozenset[MemberId] = frozenset()
    generation = 0
    for number, turn in enumerate(rounds):
        for followup in range(MOST_FOLLOW_UPS):
            generation += 1
            trusted = present | turn.stale if client else present
            carried = {} if assignor.name in STATELESS else {m: last[m] for m in trusted if m in last}
            spec = _with_history(turn.spec, carried, client)
            try:
                answer = assignor.assign(_as_sent(spec, assignor) if client else spec)
            except (AssignorError, Refused) as error:
                yield Call(number, followup, generation, spec, None, str(error))
                present = frozenset()
                break
            yield Call(number, followup, generation, spec, answer)
            present = frozenset(answer)
            last |= {m: (_grouped(answer[m]) if client else tuple(answer[m]), generation) for m in answer}
            if COOPERATIVE not in assignor.protocols or not _revokes(spec, answer):
                break


def _with_history(spec: Spec, carried: dict[MemberId, tuple[tuple[TopicPartition, ...], int]], client: bool) -> Spec:
    def member(m: Member) -> Member:
        owned, generation = carried.get(m.id, ((), NO_GENERATION))
        topics = tuple(sorted(m.topics)) if client else m.topics
        return replace(m, topics=topics, owned=owned, generation=generation)

    return replace(spec, members=tuple(map(member, spec.members)))


def _as_sent(spec: Spec, assignor: Assignor) -> Spec:
    """Owned partitions as the leader sees them: sorted on the wire, except in sticky's user data."""
    if assignor.name == "sticky":
        return spec
    return replace(spec, members=tuple(replace(m, owned=tuple(sorted(m.owned))) for m in spec.members))


def _grouped(partitions: Sequence[TopicPartition]) -> tuple[TopicPartition, ...]:
    """Grouped by topic in order of first appearance, as an Assignment is on the wire."""
    topics: dict[str, list[TopicPartition]] = {}
    for partition in partitions:
        topics.setdefault(partition.topic, []).append(partition)
    return tuple(partition for group in topics.values() for partition in group)


def _revokes(spec: Spec, answer: Answer) -> bool:
    """Whether some member lost a partition it had brought along: then all rejoin at once."""
    return any(not set(member.owned).issubset(answer[member.id]) for member in spec.members)
