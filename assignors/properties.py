"""The properties that an assignor can promise, each a check of one problem; `register` tries a user's own by them.

They hold for honest problems: no partition reported by two members, no report of an older generation, nothing owned
that does not exist. What Kafka's assignors do with other problems is recorded in the golden files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from groupsim.assignors.assignor import Assignor, Property
from groupsim.assignors.errors import AssignorError, Refused
from groupsim.assignors.spec import COOPERATIVE, Answer, Member, Spec
from groupsim.events.errors import GroupsimError
from groupsim.events.types import TopicPartition

Check = Callable[[Assignor, Spec], str | None]
"""What is wrong, in a sentence, or None."""
MOST_FOLLOW_UPS = 10


class NotAdmitted(GroupsimError):
    """An assignor that breaks a promise; the sentence names the property and the problem."""


def settled(assignor: Assignor, spec: Spec) -> tuple[Spec, Answer]:
    """The last problem and answer after the cooperative follow-ups, in which withheld partitions are handed over."""
    answer = assignor.assign(spec)
    for _ in range(MOST_FOLLOW_UPS if COOPERATIVE in assignor.protocols else 0):
        if all(set(member.owned) <= set(answer[member.id]) for member in spec.members):
            break
        spec = carried(spec, answer)
        answer = assignor.assign(spec)
    return spec, answer


def carried(spec: Spec, answer: Answer) -> Spec:
    """The next problem: everybody owns what the answer gave, in the next generation."""
    generation = max((member.generation for member in spec.members), default=0) + 1
    members = tuple(replace(m, owned=tuple(answer[m.id]), generation=generation) for m in spec.members)
    return replace(spec, members=members)


def complete(assignor: Assignor, spec: Spec) -> str | None:
    """Every existing partition of a subscribed topic has an owner once withheld ones are handed over."""
    _, answer = settled(assignor, spec)
    given = {partition for assigned in answer.values() for partition in assigned}
    subscribed = {topic for member in spec.members for topic in member.topics}
    for topic in sorted(subscribed):
        for number in range(spec.partitions.get(topic, 0)):
            if (topic, number) not in given:
                return f"{topic}-{number} is left to nobody"
    return None


def exclusive(assignor: Assignor, spec: Spec) -> str | None:
    """No partition has two owners; under COOPERATIVE none is given while another member still holds it."""
    answer = assignor.assign(spec)
    holder: dict[TopicPartition, str] = {}
    if COOPERATIVE in assignor.protocols:
        holder = {partition: member.id for member in spec.members for partition in member.owned}
    for member, assigned in answer.items():
        for partition in assigned:
            if holder.setdefault(partition, member) != member:
                return f"{partition} is given to {member!r} while {holder[partition]!r} has it"
        if len(set(assigned)) < len(assigned):
            return f"{member!r} gets a partition twice"
    return None


def subscribed_only(assignor: Assignor, spec: Spec) -> str | None:
    """Members get existing partitions of topics they subscribe to; all members are answered and nobody else."""
    answer = assignor.assign(spec)
    if set(answer) != {member.id for member in spec.members}:
        return "the answer's members are not the group's"
    for member in spec.members:
        for topic, number in answer[member.id]:
            if topic not in member.topics:
                return f"{member.id!r} gets {topic}-{number} without subscribing to {topic!r}"
            if not 0 <= number < spec.partitions.get(topic, 0):
                return f"{member.id!r} gets {topic}-{number}, which does not exist"
    return None


def deterministic(assignor: Assignor, spec: Spec) -> str | None:
    """The same problem is answered twice in the same way, order included."""
    first, second = ([(member, list(assigned)) for member, assigned in assignor.assign(spec).items()] for _ in range(2))
    return None if first == second else "two answers to one problem differ"


def balanced_when_equal(assignor: Assignor, spec: Spec) -> str | None:
    """Where all subscribe to the same topics, sizes differ by one at most."""
    if not same_topics(spec):
        return None
    _, answer = settled(assignor, spec)
    sizes = [len(assigned) for assigned in answer.values()]
    return f"sizes range from {min(sizes)} to {max(sizes)}" if sizes and max(sizes) - min(sizes) > 1 else None


def balanced(assignor: Assignor, spec: Spec) -> str | None:
    """KIP-54's balance: no partition could go to a subscriber that has two or more less than its owner."""
    _, answer = settled(assignor, spec)
    for owner, assigned in answer.items():
        for topic in sorted({partition.topic for partition in assigned}):
            for member in spec.members:
                if topic in member.topics and len(answer[member.id]) + 1 < len(assigned):
                    fewer = f"{member.id!r} only {len(answer[member.id])}"
                    return f"{owner!r} has {len(assigned)}, {fewer}, and takes {topic!r}"
    return None


def sticky(assignor: Assignor, spec: Spec) -> str | None:
    """Nothing moves while nothing changes; where subscriptions are equal, nothing moves when a member leaves."""
    spec, answer = settled(assignor, spec)
    again = assignor.assign(carried(spec, answer))
    for member, assigned in answer.items():
        if set(again[member]) != set(assigned):
            return f"the partitions of {member!r} change although nothing did"
    if not same_topics(spec):
        return None
    for leaver in spec.members if len(spec.members) > 1 else ():
        rest = carried(spec, answer)
        rest = replace(rest, members=tuple(m for m in rest.members if m.id != leaver.id))
        after = assignor.assign(rest)
        for survivor in rest.members:
            if not set(survivor.owned) <= set(after[survivor.id]):
                return f"{survivor.id!r} loses partitions because {leaver.id!r} left"
    return None


def same_topics(spec: Spec) -> bool:
    """All members subscribe to the same topics."""
    return len({frozenset(member.topics) for member in spec.members}) <= 1


CHECKS: dict[str, Check] = {
    Property.COMPLETE: complete,
    Property.EXCLUSIVE: exclusive,
    Property.SUBSCRIBED_ONLY: subscribed_only,
    Property.DETERMINISTIC: deterministic,
    Property.BALANCED_WHEN_EQUAL: balanced_when_equal,
    Property.BALANCED: balanced,
    Property.STICKY: sticky,
}


def broken(assignor: Assignor, spec: Spec) -> Iterator[tuple[str, str]]:
    """The promised properties that the answer breaks, with what is wrong; a refused problem breaks none."""
    for name in assignor.properties:
        try:
            wrong = CHECKS[name](assignor, spec)
        except Refused:
            continue
        except AssignorError as error:
            wrong = f"it throws {error}"
        if wrong:
            yield name, wrong


def trials(count: int = 200) -> Iterator[Spec]:
    """Small honest problems, always the same ones: 1 to 6 members, 1 to 4 topics of 1 to 8 partitions."""
    state = 848

    def draw(below: int) -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (state >> 33) % below

    for trial in range(count):
        counts = {f"t{k}": 1 + draw(8) for k in range(1 + draw(4))}
        topics = sorted(counts)
        free = [TopicPartition(topic, number) for topic in topics for number in range(counts[topic])]
        members = []
        for k in range(1 + draw(6)):
            mine = tuple(topics) if trial % 2 else tuple(t for t in topics if draw(2)) or (topics[draw(len(topics))],)
            owned = [free.pop(draw(len(free))) for _ in range(draw(6)) if free]
            members.append(Member(f"m{k}", mine, tuple(owned), 1))
        yield Spec(tuple(members), counts)


def admit(assignor: Assignor) -> None:
    """NotAdmitted unless the assignor keeps what it promises on every trial; its other exceptions count, too."""
    unknown = [name for name in assignor.properties if name not in CHECKS]
    if unknown:
        raise NotAdmitted(f"{assignor.name!r} promises {unknown[0]!r}; the properties are {', '.join(CHECKS)}")
    for number, spec in enumerate(trials()):
        try:
            for name, wrong in broken(assignor, spec):
                raise NotAdmitted(f"{assignor.name!r} breaks {str(name)!r} on trial {number}: {wrong} ({spec})")
        except NotAdmitted:
            raise
        except Exception as error:
            sentence = f"{assignor.name!r} fails on trial {number}: {type(error).__name__}: {error} ({spec})"
            raise NotAdmitted(sentence) from error
