"""Which what-ifs a stored run can answer, as commands: what its remedies would have changed, and the other protocol.

A question is proposed only if its answer can be a verdict: the total of the record is known, its partitions are, and
the members can do what is asked.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from groupsim.analysis.what_ifs import simulable
from groupsim.diagnosis.codes import GroupType
from groupsim.diagnosis.explain import Explanation
from groupsim.diagnosis.finding import Remedy
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.classic import JoinPhaseCompleted
from groupsim.events.client import EpochReceived, ProcessStarted
from groupsim.events.consumer import ConsumerMemberRemoved, ConsumerMemberUpdated, TargetComputed
from groupsim.events.types import RunId
from groupsim.events.world import GroupDeclared
from groupsim.storage.store import RunInfo, RunSource

_OPTIONS = {"assignor": "--assignor {}", "protocol": "--protocol {}"}
_SPEAKS_CONSUMER = {"java", "librdkafka", None}
"""Client libraries whose change to the consumer protocol (KIP-848) can be simulated, or unknown ones."""
_OF_CONSUMERS = (GroupType.CLASSIC, GroupType.CONSUMER)
_CAN_CHANGE = (*_OF_CONSUMERS, GroupType.STREAMS)
"""Groups whose members can change their protocol: Connect and Schema Registry have one of their own."""


class Question(NamedTuple):
    """A what-if: the command, what it shows (`what …`), and how the sentence goes on where there is room for more."""

    command: str
    what: str
    more: str


REMEDIES = "would have helped"
COMPARED = ("GroupDeclared", "JoinPhaseCompleted", "JoinOk", "ProcessStarted")
"""Tags of the facts that tell whether a what-if can be compared (`answerable`)."""


def questions(
    info: RunInfo, facts: Sequence[Recorded], explanation: Explanation, *, total_known: bool
) -> tuple[Question, ...]:
    """The what-ifs to propose for a run, at most one with its remedies and one with the other group protocol.

    `total_known`: whether its logs support a total; without one no choice can be compared with it.
    """
    if not total_known:
        return ()
    found = []
    first = explanation.groups[0]
    if first.group is not None and first.group in answerable(facts, total_known=total_known):
        used = {fact.event.protocol for fact in facts if isinstance(fact.event, JoinPhaseCompleted)}
        if _most_at_once(facts, first.group) < 2:
            used.add("cooperative-sticky")  # nothing of it concerns a group of one
        if asked := command(info.id, first.findings[0].do, used):
            found.append(
                Question(_of_group(asked, facts, first.group), REMEDIES, ": the same again, with the remedies above")
            )
    if info.source == RunSource.RECORDED:
        types = {group.group: group.type for group in explanation.groups}
        found += [asked for asked in [_other_protocol(info.id, facts, types)] if asked is not None]
    return tuple(found)


def answerable(facts: Sequence[Recorded], *, total_known: bool) -> frozenset[str]:
    """The groups of which a what-if can be compared with the record."""
    if not total_known or not simulable(facts):
        return frozenset()
    declared = [event for fact in facts if isinstance(event := fact.event, GroupDeclared)]
    return frozenset(event.group for event in declared if _has_partitions(facts, event.group))


def with_comparable(explanation: Explanation, facts: Sequence[Recorded], *, total_known: bool) -> Explanation:
    """The explanation, in which each group knows whether a what-if of it can be compared with the record."""
    found = answerable(facts, total_known=total_known)
    groups = tuple(replace(group, comparable=group.group in found) for group in explanation.groups)
    return replace(explanation, groups=groups)


def command(run: RunId, remedies: Sequence[Remedy], used: Collection[str | None] = ()) -> str | None:
    """The what-if that simulates these remedies, each for itself; not the assignors that are `used`; None of none."""
    options = [
        _OPTIONS.get(key, f"--set {key}={{}}").format(value)
        for remedy in remedies
        for key, value in remedy.trial
        if key != "assignor" or value not in used
    ]
    return f"groupsim whatif {run} {' '.join(options)}" if options else None


def _other_protocol(run: RunId, facts: Sequence[Recorded], types: dict[str | None, GroupType]) -> Question | None:
    """The question what the other group protocol would change; of a group that was both it is each, for all members.

    The group is the one with the most generations, as in the what-if. None for a group whose members have a protocol
    of their own or a library that speaks one only, for a group of one, and where no log shows how members joined.
    """
    joined = Counter(group_of(fact.stream) for fact in facts if isinstance(fact.event, JoinPhaseCompleted))
    followed = Counter(group_of(fact.stream) for fact in facts if isinstance(fact.event, TargetComputed))
    if not joined and not (followed and any(isinstance(fact.event, EpochReceived) for fact in facts)):
        return None
    if joined and not simulable(facts):
        return None
    ((group, _),) = (joined or followed).most_common(1)
    if group is None or types.get(group) not in _CAN_CHANGE or not _has_partitions(facts, group):
        return None
    if _most_at_once(facts, group) < 2:
        return None
    if types[group] == GroupType.STREAMS:
        name = "classic" if followed[group] else "streams"
        options, protocol, roll = f"--protocol {name}", f"the {name} protocol", ""
    elif not joined:
        options, protocol, roll = "--protocol classic", "the classic protocol", ""
    elif followed[group]:
        options, protocol, roll = "--protocol consumer --protocol classic", "one protocol for all members", ""
    else:
        libraries = {event.library for event in _of(facts, group) if isinstance(event, ProcessStarted)}
        if not libraries <= _SPEAKS_CONSUMER:
            return None
        options, protocol, roll = "--migrate rolling", "the consumer protocol", ", and what a roll to it costs"
    asked = _of_group(f"groupsim whatif {run} {options}", facts, group)
    return Question(asked, f"{protocol} would change", roll)


def _of(facts: Sequence[Recorded], group: str) -> list[Event]:
    return [fact.event for fact in facts if group_of(fact.stream) == group]


def _of_group(asked: str, facts: Sequence[Recorded], group: str) -> str:
    """The command, with the group's name if the run has several."""
    several = sum(isinstance(fact.event, GroupDeclared) for fact in facts) > 1
    return f"{asked} --group {shlex.quote(group)}" if several else asked


def _has_partitions(facts: Sequence[Recorded], group: str) -> bool:
    """Whether partitions of the group are known: a what-if would assume some, and say nothing of the real ones."""
    declared = [event for fact in facts if isinstance(event := fact.event, GroupDeclared)]
    return any(event.group == group and event.topics for event in declared)


def _most_at_once(facts: Sequence[Recorded], group: str) -> int:
    """How many members the group had together, at most: by its generations, by its broker's word, or by its logs."""
    sizes, members, clients = [0], set[str](), set[str]()
    for event in _of(facts, group):
        if isinstance(event, JoinPhaseCompleted):
            sizes.append(event.size)
        elif isinstance(event, ConsumerMemberUpdated):
            members.add(event.member)
            sizes.append(len(members))
        elif isinstance(event, ConsumerMemberRemoved):
            members.discard(event.member)
        elif isinstance(event, ProcessStarted):
            clients.add(event.process.rpartition(".")[0])
    return max(sizes) or len(clients)
