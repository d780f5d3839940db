"""sticky: the group coordinator's assignor for streams groups (KIP-1071), as Kafka 4.4 has it.

Balance is by members, not by processes. Racks, tags, end offsets and warm-ups are not read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.java.priority_queue import again, filled, offer, poll, whole_round
from groupsim.assignors.kafka.streams_work import NOBODY, Quota, Work

REFUSED = "org.apache.kafka.coordinator.group.api.streams.assignor.TaskAssignorException"


@dataclass(frozen=True, slots=True)
class Subtopology:
    """`tasks`: how many, numbered from 0 (the most partitions of an input topic). `stateful`: it has a changelog."""

    tasks: int
    stateful: bool = False


@dataclass(frozen=True, slots=True)
class StreamsMember:
    """What a member has now, by subtopology: numbers of its active and standby tasks, offsets of tasks on its disk.

    Kafka: MemberAssignmentState; `process` is the process id that members of one program share.
    """

    id: str
    process: str
    active: Mapping[str, Collection[int]] = field(default_factory=dict)
    standby: Mapping[str, Collection[int]] = field(default_factory=dict)
    offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StreamsProblem:
    """`members` in the order in which the coordinator's HashMap got them; `standbys`: replicas of a stateful task."""

    members: tuple[StreamsMember, ...]
    subtopologies: Mapping[str, Subtopology]
    standbys: int = 0


@dataclass(frozen=True, slots=True)
class MemberTasks:
    """A member's target by subtopology, numbers sorted; subtopologies of which it has nothing are absent."""

    active: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    standby: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


def streams_sticky(problem: StreamsProblem) -> dict[str, MemberTasks]:
    """StickyTaskAssignor (org.apache.kafka.coordinator.group.streams.assignor) of Kafka 4.4: everybody's target.

    BadSpec for a member that stands twice. AssignorError where there are tasks and nobody to take them.
    """
    copies = problem.standbys * sum(one.tasks for one in problem.subtopologies.values() if one.stateful)
    work = Work.of(
        [member.id for member in problem.members],
        [member.process for member in problem.members],
        {name: one.tasks for name, one in problem.subtopologies.items()},
        copies,
    )
    previous, candidates = _history(work, problem)
    _keep_active(work, previous)
    _activate_standbys(work, candidates)
    _deal_active(work)
    if problem.standbys > 0:
        width, stateful = len(work.names), [problem.subtopologies[name].stateful for name in work.names]
        codes = [code for code in work.codes() if stateful[code % width]]
        left = _keep_standbys(work, codes, problem.standbys, previous, candidates)
        _deal_standbys(work, left)
    active, standby = work.answer()
    return {name: MemberTasks(*tasks) for name, *tasks in zip(work.ids, active, standby, strict=True)}


Candidates = dict[int, list[int]]
"""By task: members that have it as a standby, then those that reported an offset for it, largest offset first."""


def _history(work: Work, problem: StreamsProblem) -> tuple[dict[int, int], Candidates]:
    """Who had each task as its active task (the last one in map order), and who has some of its state."""
    width = len(work.names)
    rank = {name: i for i, name in enumerate(work.names)}
    members = {member.id: member for member in problem.members}
    previous: dict[int, int] = {}
    holders: dict[int, list[int]] = {}
    offsets: dict[int, dict[int, int]] = {}
    for i, name in enumerate(work.ids):
        member = members[name]
        for of, numbers in member.active.items():
            if (at := rank.get(of)) is not None:
                for number in numbers:
                    previous[number * width + at] = i
        for of, numbers in member.standby.items():
            if (at := rank.get(of)) is not None:
                for number in numbers:
                    holders.setdefault(number * width + at, []).append(i)
        for of, reported in member.offsets.items():
            if (at := rank.get(of)) is not None:
                for number, offset in reported.items():
                    offsets.setdefault(number * width + at, {})[i] = offset
    candidates: dict[int, list[int]] = dict(holders)
    for code, by_member in offsets.items():
        first = holders.get(code, [])
        largest_first = sorted(by_member, key=lambda i: (-by_member[i], i))
        candidates[code] = sorted(first, key=lambda i: -by_member.get(i, 0))
        candidates[code] += [i for i in largest_first if i not in first]
    return previous, candidates


def _keep_active(work: Work, previous: Mapping[int, int]) -> None:
    """Step 1, by number, then subtopology: who had the active task keeps it below the active quota."""
    counts, active, total, owners = work.counts, work.active, work.total, work.owners
    has, quota, whole = previous.get, active.each, total.each
    for code in work.by_number() if previous else ():
        member = has(code, NOBODY)
        if member != NOBODY and (number := counts[member]) < quota:
            owners[code] = member
            counts[member] = number = number + 1
            if number == quota:
                active.reached()
                quota = active.each
            if number == whole:
                total.reached()
                whole = total.each
    work.weigh()


def _activate_standbys(work: Work, candidates: Candidates) -> None:
    """Step 2, in the same order: the best of those that have some of its state, below the active quota."""
    count = work.counter()
    for code in work.by_number() if candidates else ():
        if work.owners[code] == NOBODY and code in candidates:
            member = work.best(candidates[code])
            if work.counts[member] < work.active.each:
                work.owners[code] = member
                count(member)


def _deal_active(work: Work) -> None:
    """Step 3, by subtopology, then number: the rest to the least loaded process. Quotas do not count here."""
    owners, loads, deal = work.owners, work.loads, work.dealer()
    codes = [code for code in work.codes() if owners[code] == NOBODY]
    if codes and not loads:
        task = f"{work.names[codes[0] % len(work.names)]}_{codes[0] // len(work.names)}"
        raise AssignorError(REFUSED, f"No process available to assign active task {task}.")
    heap = filled(range(len(loads)), loads)
    for some in _batches(codes, len(work.counts)):
        if len(some) == len(work.counts) and work.same_size and len(set(work.counts)) == 1:
            members, heap = work.deal_to_all(heap)
            for code, member in zip(some, members, strict=True):
                owners[code] = member
            continue
        for code in some:
            owners[code] = deal(heap[0])
            again(heap, loads)


def _batches(codes: list[int], size: int) -> Iterator[list[int]]:
    return (codes[at : at + size] for at in range(0, len(codes), max(size, 1)))


def _keep_standbys(
    work: Work, stateful: Collection[int], replicas: int, previous: Mapping[int, int], candidates: Candidates
) -> list[tuple[int, int]]:
    """Step 4, descending by number, then subtopology: to those with some of the state, below the total quota.

    What is left: codes, and how many replicas each wants still. Only the total quota counts from here on.
    """
    work.active = Quota(0, 0)
    counts, total, count, process_of = work.counts, work.total, work.counter(), work.process_of
    left = []
    for code in sorted(stateful, reverse=True):
        before, others = previous.get(code, NOBODY), candidates.get(code, ())
        if before == NOBODY and not others:
            left.append((code, replicas))
            continue
        holders = [process_of[work.owners[code]]]
        for replica in range(replicas):
            member = before
            if member == NOBODY or process_of[member] in holders or counts[member] >= total.each:
                member = work.best(others, holders)
            if member == NOBODY or counts[member] >= total.each:
                left.append((code, replicas - replica))
                break
            count(member)
            work.queues[process_of[member]] = None
            work.standbys.setdefault(code, []).append(member)
            holders.append(process_of[member])
    return left


def _deal_standbys(work: Work, left: list[tuple[int, int]]) -> None:
    """Step 5, descending by subtopology, then number: to the least loaded process that does not have the task.

    Kafka: assignStandbyToMemberWithLeastLoad; processes that have it are put back, the last one first.
    """
    width, loads, deal, standbys = len(work.names), work.loads, work.dealer(), work.standbys
    left.sort(key=lambda one: (one[0] % width, one[0]), reverse=True)
    heap = filled(range(len(loads)), loads)
    hopeless = NOBODY
    for some in _batches([code for code, wanted in left for _ in range(wanted)], len(loads)):
        if work.is_even(some):
            order, after = whole_round(len(heap))
            processes = [heap[at] for at in order]
            if not any(map(work.holds, processes, some)):
                for code, process in zip(some, processes, strict=True):
                    standbys.setdefault(code, []).append(deal(process))
                heap = [heap[at] for at in after]
                continue
        for code in some:
            if code == hopeless:
                continue
            holders, passed = work.holders(code), []
            while len(heap) > 1 and heap[0] in holders:
                passed.append(poll(heap, loads))
            if heap[0] in holders:
                hopeless = code
            else:
                standbys.setdefault(code, []).append(deal(heap[0]))
                again(heap, loads)
            for process in reversed(passed):
                offer(heap, loads, process)
