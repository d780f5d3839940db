"""sticky: the group coordinator's assignor for streams groups (KIP-1071), as Kafka 4.4 has it.

Balance is by members, not by processes. Racks, tags, end offsets and warm-ups are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from groupsim.assignors.errors import AssignorError, BadSpec
from groupsim.assignors.java.hash_order import (
    LONGEST_BIN,
    Ints,
    computed_order,
    hash_order,
    java_sorted,
    string_hashes,
    string_order,
    table_size,
)
from groupsim.assignors.java.priority_queue import again, filled, offer, poll, whole_round

REFUSED = "org.apache.kafka.coordinator.group.api.streams.assignor.TaskAssignorException"
NOBODY = -1


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
    work = _Work.of(problem)
    previous, candidates = _history(work, problem)
    _keep_active(work, previous)
    _activate_standbys(work, candidates)
    _deal_active(work)
    if problem.standbys > 0:
        width, stateful = len(work.names), [problem.subtopologies[name].stateful for name in work.names]
        codes = [code for code in work.codes() if stateful[code % width]]
        left = _keep_standbys(work, codes, problem.standbys, previous, candidates)
        _deal_standbys(work, left)
    return work.answer()


@dataclass(slots=True)
class _Quota:
    """Tasks per member, counted over the members that have not reached it (Kafka: LocalState)."""

    tasks: int
    members: int
    each: int = 0

    def __post_init__(self) -> None:
        self.each = -(-self.tasks // self.members) if self.members else 0

    def reached(self) -> None:
        """A member has exactly `each` tasks: it is taken out, and the rest is spread over the others.

        A member may reach a later, larger quota once more, so both numbers may fall below 0; Java rounds towards 0.
        """
        self.members -= 1
        self.tasks -= self.each
        if not self.members:
            self.each = 0
            return
        whole = abs(self.tasks) // abs(self.members)
        if (self.tasks < 0) != (self.members < 0):
            whole = -whole
        self.each = whole + (self.tasks - whole * self.members > 0)


@dataclass(slots=True)
class _Work:
    """Members and processes by number, in the orders of Kafka's maps; tasks as codes, number * subtopologies + rank.

    `counts[m]`: tasks of a member, `given[p]`: of a process, `loads[p]`: those per member. `owners[code]`: the active
    member, `standbys[code]` the others. `queues[p]`: Kafka's membersByLoad, None after it was dropped.
    """

    ids: list[str]
    process_of: list[int]
    members_of: list[list[int]]
    names: list[str]
    tasks: list[int]
    active: _Quota
    total: _Quota
    counts: list[int]
    given: list[int]
    loads: list[float]
    owners: list[int]
    queues: list[list[int] | None]
    same_size: bool
    standbys: dict[int, list[int]] = field(default_factory=dict)

    @staticmethod
    def of(problem: StreamsProblem) -> _Work:
        ids = [member.id for member in problem.members]
        if len(set(ids)) != len(ids):
            raise BadSpec(f"member {next(name for i, name in enumerate(ids) if name in ids[:i])!r} stands twice")
        order = string_order(ids)
        in_order = [ids[i] for i in order]
        process_of, members_of = _processes(in_order, [problem.members[i].process for i in order])
        names = java_sorted(problem.subtopologies)
        tasks = [problem.subtopologies[name].tasks for name in names]
        copies = problem.standbys * sum(one.tasks for one in problem.subtopologies.values() if one.stateful)
        return _Work(
            ids=in_order,
            process_of=process_of,
            members_of=members_of,
            names=names,
            tasks=tasks,
            active=_Quota(sum(tasks), len(ids)),
            total=_Quota(sum(tasks) + copies, len(ids)),
            counts=[0] * len(ids),
            given=[0] * len(members_of),
            loads=[0.0] * len(members_of),
            owners=[NOBODY] * (max(tasks, default=0) * len(names)),
            queues=[None] * len(members_of),
            same_size=len(set(map(len, members_of))) == 1,
        )

    def codes(self) -> list[int]:
        """All tasks, by subtopology, then number. Sorted, they are by number, then subtopology."""
        width = len(self.names)
        return [code for rank, n in enumerate(self.tasks) for code in range(rank, n * width, width)]

    def counter(self) -> Callable[[int], None]:
        """What counts a task for a member; who reaches a quota exactly is taken out of it.

        A function with its own names, because it is called for every task.
        """
        counts, given, loads, process_of = self.counts, self.given, self.loads, self.process_of
        sizes, active, total = list(map(len, self.members_of)), self.active, self.total

        def count(member: int) -> None:
            process = process_of[member]
            given[process] = number = given[process] + 1
            loads[process] = number / sizes[process]
            counts[member] = number = counts[member] + 1
            if number == active.each:
                active.reached()
            if number == total.each:
                total.reached()

        return count

    def dealer(self) -> Callable[[int], int]:
        """What counts a task for a member of a process with the fewest, and says which one.

        Kafka: ProcessState.addTaskToLeastLoadedMember, whose queue is kept until ProcessState.addTask drops it.
        """
        counts, queues, members_of, count = self.counts, self.queues, self.members_of, self.counter()

        def deal(process: int) -> int:
            queue = queues[process]
            if queue is None:
                queue = queues[process] = filled(members_of[process], counts)
            member = queue[0]
            count(member)
            if len(queue) > 1:
                again(queue, counts)
            return member

        return deal

    def is_even(self, codes: Collection[int]) -> bool:
        """One task for each process, all of which have the same number of members and tasks.

        Then the order in which they come to the head of a queue is known: `whole_round`.
        """
        if len(codes) < len(self.loads) or not self.same_size:
            return False
        return self.loads.count(self.loads[0]) == len(self.loads)

    def holds(self, process: int, code: int) -> bool:
        """Whether the process has the task."""
        if self.process_of[self.owners[code]] == process:
            return True
        return code in self.standbys and process in self.holders(code)

    def holders(self, code: int) -> list[int]:
        """The processes that have the task, active or standby."""
        return [self.process_of[member] for member in (self.owners[code], *self.standbys.get(code, ()))]

    def best(self, candidates: Sequence[int], holders: Collection[int] = ()) -> int:
        """The first candidate, or a later one that beats it in the loads of both process and member.

        Only members whose process is none of `holders`. Kafka: findPrevMemberWithLeastLoad.
        """
        if len(candidates) == 1:
            return NOBODY if self.process_of[candidates[0]] in holders else candidates[0]
        found = NOBODY
        process_load = member_load = 0.0
        for member in candidates:
            process = self.process_of[member]
            if process in holders:
                continue
            load, count = self.loads[process], self.counts[member]
            if found == NOBODY or (load < process_load and count < member_load):
                found, process_load, member_load = member, load, count
        return found

    def answer(self) -> dict[str, MemberTasks]:
        """Targets by member id."""
        active: list[dict[str, tuple[int, ...]]] = [{} for _ in self.ids]
        standby: list[dict[str, tuple[int, ...]]] = [{} for _ in self.ids]
        width = len(self.names)
        shared = sorted(self.standbys)
        holders = np.array([member for code in shared for member in self.standbys[code]], np.int64)
        codes = np.repeat(np.array(shared, np.int64), [len(self.standbys[code]) for code in shared])
        for rank, name in enumerate(self.names):
            owners = self.owners[rank : self.tasks[rank] * width : width]
            _hand_out(active, name, np.array(owners, np.int64), np.arange(self.tasks[rank]))
            mine = codes % width == rank
            _hand_out(standby, name, holders[mine], codes[mine] // width)
        return {name: MemberTasks(active[i], standby[i]) for i, name in enumerate(self.ids)}


def _hand_out(to: list[dict[str, tuple[int, ...]]], name: str, members: Ints, numbers: Ints) -> None:
    """numbers[k] of a subtopology, which are sorted, goes to members[k]."""
    if not len(members):
        return
    order = np.argsort(members, kind="stable")
    in_order = tuple(numbers[order].tolist())
    start = 0
    for mine, end in zip(to, np.cumsum(np.bincount(members, minlength=len(to))).tolist(), strict=True):
        if end > start:
            mine[name] = in_order[start:end]
        start = end


def _processes(ids: list[str], of_members: list[str]) -> tuple[list[int], list[list[int]]]:
    """Each member's process, and each process's members: processes and members in the order of Kafka's maps.

    processIdToState is made for as many entries as there are members, and filled by computeIfAbsent.
    """
    distinct = list(dict.fromkeys(of_members))
    last_is_new = bool(of_members) and of_members[-1] not in of_members[:-1]
    place = computed_order(string_hashes(distinct), last_is_new, table_size(len(of_members)))
    number = {distinct[at]: i for i, at in enumerate(place)}
    process_of = [number[process] for process in of_members]
    hashes = string_hashes(ids)
    together: list[list[int]] = [[] for _ in distinct]
    for member, process in enumerate(process_of):
        together[process].append(member)
    return process_of, [_in_map_order(ids, hashes, some) for some in together]


def _in_map_order(ids: list[str], hashes: list[int], some: list[int]) -> list[int]:
    """Members of one process as its own HashMap iterates over them."""
    few = len(some) <= LONGEST_BIN
    order = hash_order([hashes[m] for m in some]) if few else string_order([ids[m] for m in some])
    return [some[i] for i in order]


Candidates = dict[int, list[int]]
"""By task: members that have it as a standby, then those that reported an offset for it, largest offset first."""


def _history(work: _Work, problem: StreamsProblem) -> tuple[dict[int, int], Candidates]:
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


def _keep_active(work: _Work, previous: Mapping[int, int]) -> None:
    """Step 1, by number, then subtopology: who had the active task keeps it below the active quota."""
    counts, active, owners, count = work.counts, work.active, work.owners, work.counter()
    for code in sorted(work.codes()) if previous else ():
        member = previous.get(code, NOBODY)
        if member != NOBODY and counts[member] < active.each:
            owners[code] = member
            count(member)


def _activate_standbys(work: _Work, candidates: Candidates) -> None:
    """Step 2, in the same order: the best of those that have some of its state, below the active quota."""
    count = work.counter()
    for code in sorted(work.codes()) if candidates else ():
        if work.owners[code] == NOBODY and code in candidates:
            member = work.best(candidates[code])
            if work.counts[member] < work.active.each:
                work.owners[code] = member
                count(member)


def _deal_active(work: _Work) -> None:
    """Step 3, by subtopology, then number: the rest to the least loaded process. Quotas do not count here."""
    owners, loads, deal = work.owners, work.loads, work.dealer()
    codes = [code for code in work.codes() if owners[code] == NOBODY]
    if codes and not loads:
        task = f"{work.names[codes[0] % len(work.names)]}_{codes[0] // len(work.names)}"
        raise AssignorError(REFUSED, f"No process available to assign active task {task}.")
    heap = filled(range(len(loads)), loads)
    for some in _batches(codes, len(loads)):
        if work.is_even(some):
            order, after = whole_round(len(heap))
            for code, at in zip(some, order, strict=True):
                owners[code] = deal(heap[at])
            heap = [heap[at] for at in after]
            continue
        for code in some:
            owners[code] = deal(heap[0])
            again(heap, loads)


def _batches(codes: list[int], size: int) -> Iterator[list[int]]:
    return (codes[at : at + size] for at in range(0, len(codes), max(size, 1)))


def _keep_standbys(
    work: _Work, stateful: Collection[int], replicas: int, previous: Mapping[int, int], candidates: Candidates
) -> list[tuple[int, int]]:
    """Step 4, descending by number, then subtopology: to those with some of the state, below the total quota.

    What is left: codes, and how many replicas each wants still. Only the total quota counts from here on.
    """
    work.active = _Quota(0, 0)
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


def _deal_standbys(work: _Work, left: list[tuple[int, int]]) -> None:
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
