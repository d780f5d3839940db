"""sticky: the group coordinator's assignor for streams groups (KIP-1071), as Kafka 4.4 has it.

Balance is by members, not by processes. Racks, tags, end offsets and warm-ups are not read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from groupsim.assignors.errors import AssignorError, BadSpec
from groupsim.assignors.java.hash_order import computed_order, java_sorted, string_hashes, string_order, table_size
from groupsim.assignors.java.priority_queue import filled, offer, poll

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
        left = _keep_standbys(work, previous, candidates)
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

    `counts[m]`: tasks of a member, `loads[p]`: tasks per member of a process. `holders[code]`: processes that have
    the task, `owners[code]` its active member. `queues[p]`: Kafka's membersByLoad, None after it was dropped.
    """

    ids: list[str]
    process_of: list[int]
    members_of: list[list[int]]
    names: list[str]
    tasks: list[int]
    stateful: list[bool]
    replicas: int
    active: _Quota
    total: _Quota
    counts: list[int]
    given: list[int]
    loads: list[float]
    owners: list[int]
    standbys: dict[int, list[int]]
    queues: list[list[int] | None]

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
        stateful = [problem.subtopologies[name].stateful for name in names]
        copies = sum(n for n, kept in zip(tasks, stateful, strict=True) if kept) * problem.standbys
        return _Work(
            ids=in_order,
            process_of=process_of,
            members_of=members_of,
            names=names,
            tasks=tasks,
            stateful=stateful,
            replicas=problem.standbys,
            active=_Quota(sum(tasks), len(ids)),
            total=_Quota(sum(tasks) + copies, len(ids)),
            counts=[0] * len(ids),
            given=[0] * len(members_of),
            loads=[0.0] * len(members_of),
            owners=[NOBODY] * (max(tasks, default=0) * len(names)),
            standbys={},
            queues=[None] * len(members_of),
        )

    def codes(self, *, stateful_only: bool = False) -> list[int]:
        """All tasks, by subtopology, then number."""
        width = len(self.names)
        return [
            code
            for rank, n in enumerate(self.tasks)
            if self.stateful[rank] or not stateful_only
            for code in range(rank, n * width, width)
        ]

    def give(self, member: int, code: int, *, active: bool) -> None:
        """A task for this very member. Kafka: ProcessState.addTask, which drops the queue of members."""
        self.queues[self.process_of[member]] = None
        self._count(member, code, active=active)

    def give_least_loaded(self, process: int, code: int, *, active: bool) -> None:
        """A task for a member of the process with the fewest tasks. Kafka: ProcessState.addTaskToLeastLoadedMember."""
        members = self.members_of[process]
        if len(members) == 1:
            self._count(members[0], code, active=active)
            return
        queue = self.queues[process]
        if queue is None:
            queue = self.queues[process] = filled(members, self.counts)
        member = poll(queue, self.counts)
        self._count(member, code, active=active)
        offer(queue, self.counts, member)

    def _count(self, member: int, code: int, *, active: bool) -> None:
        """Note the task; who reaches a quota exactly is taken out of it."""
        process = self.process_of[member]
        self.given[process] += 1
        self.loads[process] = self.given[process] / len(self.members_of[process])
        self.counts[member] = count = self.counts[member] + 1
        if active:
            self.owners[code] = member
            if count == self.active.each:
                self.active.reached()
        else:
            self.standbys.setdefault(code, []).append(member)
        if count == self.total.each:
            self.total.reached()

    def holds(self, process: int, code: int) -> bool:
        """Whether a member of the process has the task, active or standby."""
        process_of = self.process_of
        owner = self.owners[code]
        return (owner != NOBODY and process_of[owner] == process) or any(
            process_of[member] == process for member in self.standbys.get(code, ())
        )

    def best(self, candidates: list[int], code: int | None) -> int:
        """The first candidate, or a later one that beats it in the loads of both process and member.

        `code`: only members whose process does not have that task. Kafka: findPrevMemberWithLeastLoad.
        """
        found = NOBODY
        process_load = member_load = 0.0
        for member in candidates:
            process = self.process_of[member]
            if code is not None and self.holds(process, code):
                continue
            load, count = self.loads[process], self.counts[member]
            if found == NOBODY or (load < process_load and count < member_load):
                found, process_load, member_load = member, load, count
        return found

    def answer(self) -> dict[str, MemberTasks]:
        """Targets by member id; numbers are sorted, since they are dealt out here in that order."""
        active: list[dict[str, list[int]]] = [{} for _ in self.ids]
        standby: list[dict[str, list[int]]] = [{} for _ in self.ids]
        width = len(self.names)
        for code in self.codes():
            name, number = self.names[code % width], code // width
            active[self.owners[code]].setdefault(name, []).append(number)
            for member in self.standbys.get(code, ()):
                standby[member].setdefault(name, []).append(number)
        return {
            name: MemberTasks(
                {of: tuple(numbers) for of, numbers in active[i].items()},
                {of: tuple(numbers) for of, numbers in standby[i].items()},
            )
            for i, name in enumerate(self.ids)
        }


def _processes(ids: list[str], of_members: list[str]) -> tuple[list[int], list[list[int]]]:
    """Each member's process, and each process's members: processes and members in the order of Kafka's maps.

    processIdToState is made for as many entries as there are members, and filled by computeIfAbsent.
    """
    distinct = list(dict.fromkeys(of_members))
    last_is_new = bool(of_members) and of_members[-1] not in of_members[:-1]
    place = computed_order(string_hashes(distinct), last_is_new, table_size(len(of_members)))
    number = {distinct[at]: i for i, at in enumerate(place)}
    process_of = [number[process] for process in of_members]
    together: list[list[int]] = [[] for _ in distinct]
    for member, process in enumerate(process_of):
        together[process].append(member)
    return process_of, [[some[i] for i in string_order([ids[m] for m in some])] for some in together]


Candidates = dict[int, list[int]]
"""By task: members that have it as a standby, then those that reported an offset for it, largest offset first."""


def _history(work: _Work, problem: StreamsProblem) -> tuple[dict[int, int], Candidates]:
    """Who had each task as its active task (the last one in map order), and who has some of its state."""
    width = len(work.names)
    rank = {name: i for i, name in enumerate(work.names)}
    members = {member.id: member for member in problem.members}
    previous: dict[int, int] = {}
    found: dict[int, list[tuple[bool, int, int]]] = {}
    for i, name in enumerate(work.ids):
        member = members[name]
        for of, numbers in member.active.items():
            if (at := rank.get(of)) is not None:
                for number in numbers:
                    previous[number * width + at] = i
        for of, numbers in member.standby.items():
            if (at := rank.get(of)) is not None:
                offsets = member.offsets.get(of, {})
                for number in numbers:
                    found.setdefault(number * width + at, []).append((False, -offsets.get(number, 0), i))
        for of, offsets in member.offsets.items():
            if (at := rank.get(of)) is not None:
                kept = member.standby.get(of, ())
                for number, offset in offsets.items():
                    if number not in kept:
                        found.setdefault(number * width + at, []).append((True, -offset, i))
    return previous, {code: [i for _, _, i in sorted(some)] for code, some in found.items()}


def _keep_active(work: _Work, previous: dict[int, int]) -> None:
    """Step 1, by number, then subtopology: who had the active task keeps it below the active quota."""
    for code in sorted(work.codes()):
        member = previous.get(code, NOBODY)
        if member != NOBODY and work.counts[member] < work.active.each:
            work.give(member, code, active=True)


def _activate_standbys(work: _Work, candidates: Candidates) -> None:
    """Step 2, in the same order: the best of those that have some of its state, below the active quota."""
    for code in sorted(work.codes()):
        if work.owners[code] != NOBODY or code not in candidates:
            continue
        member = work.best(candidates[code], None)
        if work.counts[member] < work.active.each:
            work.give(member, code, active=True)


def _deal_active(work: _Work) -> None:
    """Step 3, by subtopology, then number: the rest to the least loaded process. Quotas do not count here."""
    heap = filled(range(len(work.loads)), work.loads)
    for code in work.codes():
        if work.owners[code] != NOBODY:
            continue
        if not heap:
            task = f"{work.names[code % len(work.names)]}_{code // len(work.names)}"
            raise AssignorError(REFUSED, f"No process available to assign active task {task}.")
        process = poll(heap, work.loads)
        work.give_least_loaded(process, code, active=True)
        offer(heap, work.loads, process)


def _keep_standbys(work: _Work, previous: dict[int, int], candidates: Candidates) -> list[tuple[int, int]]:
    """Step 4, descending by number, then subtopology: to those with some of the state, below the total quota.

    What is left: codes, and how many replicas each wants still.
    """
    left = []
    for code in sorted(work.codes(stateful_only=True), reverse=True):
        for replica in range(work.replicas):
            member = previous.get(code, NOBODY)
            if member == NOBODY or work.holds(work.process_of[member], code) or not _has_room(work, member):
                member = work.best(candidates.get(code, []), code)
            if member == NOBODY or not _has_room(work, member):
                left.append((code, work.replicas - replica))
                break
            work.give(member, code, active=False)
    return left


def _has_room(work: _Work, member: int) -> bool:
    return work.counts[member] < work.total.each


def _deal_standbys(work: _Work, left: list[tuple[int, int]]) -> None:
    """Step 5, descending by subtopology, then number: to the least loaded process that does not have the task.

    Kafka: assignStandbyToMemberWithLeastLoad; processes that have it are put back, the last one first.
    """
    width = len(work.names)
    heap = filled(range(len(work.loads)), work.loads)
    for code, wanted in sorted(left, key=lambda one: (one[0] % width, one[0] // width), reverse=True):
        for _ in range(wanted):
            taken = [poll(heap, work.loads)]
            while work.holds(taken[-1], code) and heap:
                taken.append(poll(heap, work.loads))
            enough = not work.holds(taken[-1], code)
            if enough:
                work.give_least_loaded(taken[-1], code, active=False)
            for process in reversed(taken):
                offer(heap, work.loads, process)
            if not enough:
                break
