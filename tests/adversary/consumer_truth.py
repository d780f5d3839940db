"""What logs say of a consumer group beside the facts of its run: epochs, members, who owns what, what each held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from groupsim.analysis.consumer_group_state import ConsumerGroupState
from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events.base import Recorded, group_stream
from groupsim.events.types import Partitions
from tests.incidents.drawn_groups import GROUP

_OWN = group_stream(GROUP)
_FOLLOWED_MS = 1_000
"""So long after its answer the line of a member on what it was given may come: at its next poll."""


def logs_differ(true: Sequence[Recorded], read: Sequence[Recorded], later_ms: int) -> Iterator[str]:
    """Sentences. `later_ms`: how much later the times of the run are than those of the logs' run."""
    for name, look in (("epochs", _epochs), ("targets", _targets), ("removals", _removals), ("comings", _comings)):
        one, other = list(look(true)), list(look(read))
        other = [(at_ms + later_ms, *rest) for at_ms, *rest in other]
        if one != other:
            only = [each for each in one if each not in other] or [each for each in other if each not in one]
            yield f"{name}: {len(one)} in truth, {len(other)} read; first that differs: {only[:1]}"
    aims = _aims(true)
    yield from _targets_differ(aims, read)
    yield from _early(true, read, aims, later_ms)
    yield from _plans_differ(true, read)
    yield from _views_differ(true, read)


def _epochs(facts: Sequence[Recorded]) -> Iterator[tuple[Any, ...]]:
    for fact in facts:
        if isinstance(fact.event, k.GroupEpochBumped):
            yield fact.at_ms, fact.event.epoch, fact.event.metadata_hash


def _targets(facts: Sequence[Recorded]) -> Iterator[tuple[Any, ...]]:
    for fact in facts:
        if isinstance(fact.event, k.TargetComputed):
            yield fact.at_ms, fact.event.epoch, fact.event.assignor


def _removals(facts: Sequence[Recorded]) -> Iterator[tuple[Any, ...]]:
    for fact in facts:
        if isinstance(fact.event, k.ConsumerMemberRemoved):
            yield fact.at_ms, fact.event.member, str(fact.event.cause)


def _comings(facts: Sequence[Recorded]) -> Iterator[tuple[Any, ...]]:
    """Each member when it comes, or takes the place of another one."""
    known = set[str]()
    for fact in facts:
        if isinstance(fact.event, k.StaticMemberReplaced):
            yield fact.at_ms, fact.event.member, fact.event.instance_id, fact.event.old
        elif isinstance(fact.event, k.ConsumerMemberUpdated) and fact.event.member not in known:
            yield fact.at_ms, fact.event.member, fact.event.instance_id, fact.event.topics
        if isinstance(fact.event, k.StaticMemberReplaced | k.ConsumerMemberUpdated):
            known.add(fact.event.member)
        elif isinstance(fact.event, k.ConsumerMemberRemoved):
            known.discard(fact.event.member)


def _plans_differ(true: Sequence[Recorded], read: Sequence[Recorded]) -> Iterator[str]:
    """Before each epoch that finds the group Stable in truth for a while, it is by the logs, and all own the same."""
    states, since_ms = (ConsumerGroupState(), ConsumerGroupState()), 0
    rest = [fact for fact in read if fact.stream == _OWN]
    for fact in true:
        if fact.stream != _OWN:
            continue
        if isinstance(fact.event, k.GroupEpochBumped) and states[0].stable and fact.at_ms - since_ms > _FOLLOWED_MS:
            while rest and not _is_bump(rest[0], fact.event.epoch):
                states[1].apply(rest.pop(0).event)
            one, other = (
                (state.stable, state.epoch, {member: tp for member, tp in state.plan() if tp}) for state in states
            )
            if one != other:
                yield f"before epoch {fact.event.epoch}, at {fact.at_ms} ms: {other} read, in truth {one}"
                return
        since_ms = since_ms if states[0].stable else fact.at_ms
        states[0].apply(fact.event)


class _Aims(NamedTuple):
    """By epoch what each member was to have; and who took it into its view while that was the last target."""

    given: dict[int, dict[str, set[str]]]
    taken: set[tuple[int, str]]


def _aims(true: Sequence[Recorded]) -> _Aims:
    found, aims, epoch = _Aims({}, set()), dict[str, set[str]](), 0
    members = dict[str, str]()
    for fact in true:
        match fact.event:
            case k.TargetComputed():
                epoch, aims = fact.event.epoch, aims | _named(fact.event.changed)
                found.given[epoch] = dict(aims)
            case k.ConsumerMemberRemoved(member=member):
                aims.pop(member, None)
            case k.StaticMemberReplaced(old=old, member=member):
                aims[member] = aims.pop(old, set())
            case p.TargetReceived(process=process, member=member):
                members[process] = member
            case p.ViewChanged(process=process, partitions=partitions):
                member = members.get(process, "")
                if partitions and {*map(str, partitions)} == aims.get(member):
                    found.taken.add((epoch, member))
    return found


def _targets_differ(aims: _Aims, read: Sequence[Recorded]) -> Iterator[str]:
    """Of a target a log has what its member was given of it, all of it if the member took it before the next one."""
    for fact in read:
        if not isinstance(fact.event, k.TargetComputed):
            continue
        epoch = fact.event.epoch
        for member, shown in _named(fact.event.changed).items():
            target = aims.given[epoch].get(member, set())
            if not shown <= target or ((epoch, member) in aims.taken and shown != target):
                sides = f"{sorted(shown)} by the logs, in truth {sorted(target)}"
                yield f"the target of epoch {epoch} gives {member} {sides}"


def _named(changed: Mapping[str, Partitions]) -> dict[str, set[str]]:
    return {member: {str(each) for each in partitions} for member, partitions in changed.items()}


def _early(true: Sequence[Recorded], read: Sequence[Recorded], aims: _Aims, later_ms: int) -> Iterator[str]:
    """By the logs the group is not Stable before a member is given the last of its target.

    But for one that takes the place of a dead one, whose log does not say that it was given something, too.
    """
    states, replaced = (ConsumerGroupState(), ConsumerGroupState()), set[str]()
    rest = [fact for fact in read if fact.stream == _OWN][::-1]
    for fact in true:
        if fact.stream != _OWN:
            continue
        while rest and rest[-1].at_ms + later_ms < fact.at_ms:
            states[1].apply(rest.pop().event)
        if isinstance(fact.event, k.StaticMemberReplaced):
            replaced.add(fact.event.member)
        last = not states[0].stable
        had = set(states[0].assigned(fact.event.member)) if isinstance(fact.event, k.MemberReconciled) else set()
        states[0].apply(fact.event)
        if isinstance(fact.event, k.MemberReconciled) and last and states[0].stable:
            more = set(states[0].assigned(fact.event.member)) - had
            taken = more and (fact.event.epoch, fact.event.member) in aims.taken and fact.event.member not in replaced
            if taken and states[1].stable and states[1].epoch == states[0].epoch:
                yield f"Stable before {fact.event.member} has the last of epoch {fact.event.epoch}, {fact.at_ms} ms"
                return


def _is_bump(fact: Recorded, epoch: int) -> bool:
    return isinstance(fact.event, k.GroupEpochBumped) and fact.event.epoch == epoch


def _views_differ(true: Sequence[Recorded], read: Sequence[Recorded]) -> Iterator[str]:
    """What each process held, one thing after the other."""
    one, other = _views(true), _views(read)
    for process in sorted(one.keys() | other.keys()):
        if one.get(process) != other.get(process):
            yield f"{process} held {other.get(process)} by the logs, in truth {one.get(process)}"


def _views(facts: Sequence[Recorded]) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for fact in facts:
        match fact.event:
            case p.ProcessStarted(process=process):
                found[process] = [[]]
            case p.ViewChanged(process=process, partitions=partitions):
                found[process].append(sorted(map(str, partitions)))
            case p.CallbackStart(
                process=process, kind="assigned", partitions=partitions
            ):  # it may be closing meanwhile
                found[process].append(sorted({*found[process][-1], *map(str, partitions)}))
            case p.Closed(process=process):
                found[process].append([])
    return {process: [view for view, _ in groupby(views)] for process, views in found.items()}
