"""What the streams sticky assignor works on: members, processes, quotas and queues, in the orders of Kafka's maps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from groupsim.assignors.errors import BadSpec
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
from groupsim.assignors.java.priority_queue import again, filled, whole_round

NOBODY = -1
Numbers = dict[str, tuple[int, ...]]
"""Tasks of one member: subtopology -> sorted numbers."""


@dataclass(slots=True)
class Quota:
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
class Work:
    """Members and processes by number, in the orders of Kafka's maps; tasks as codes, number * subtopologies + rank.

    `counts[m]`: tasks of a member, `given[p]`: of a process, `loads[p]`: those per member. `owners[code]`: the active
    member, `standbys[code]` the others. `queues[p]`: Kafka's membersByLoad, None after it was dropped.
    """

    ids: list[str]
    process_of: list[int]
    members_of: list[list[int]]
    names: list[str]
    tasks: list[int]
    active: Quota
    total: Quota
    counts: list[int]
    given: list[int]
    loads: list[float]
    owners: list[int]
    queues: list[list[int] | None]
    same_size: bool
    standbys: dict[int, list[int]] = field(default_factory=dict)

    @staticmethod
    def of(ids: Sequence[str], processes: Sequence[str], subtopologies: Mapping[str, int], copies: int) -> Work:
        """Members and their processes as the coordinator's map got them; how many tasks, and how many copies of tasks.

        BadSpec for a member that stands twice.
        """
        if len(set(ids)) != len(ids):
            raise BadSpec(f"member {next(name for i, name in enumerate(ids) if name in ids[:i])!r} stands twice")
        order = string_order(ids)
        in_order = [ids[i] for i in order]
        process_of, members_of = _processes(in_order, [processes[i] for i in order])
        names = java_sorted(subtopologies)
        tasks = [subtopologies[name] for name in names]
        return Work(
            ids=in_order,
            process_of=process_of,
            members_of=members_of,
            names=names,
            tasks=tasks,
            active=Quota(sum(tasks), len(ids)),
            total=Quota(sum(tasks) + copies, len(ids)),
            counts=[0] * len(ids),
            given=[0] * len(members_of),
            loads=[0.0] * len(members_of),
            owners=[NOBODY] * (max(tasks, default=0) * len(names)),
            queues=[None] * len(members_of),
            same_size=len(set(map(len, members_of))) == 1,
        )

    def codes(self) -> list[int]:
        """All tasks, by subtopology, then number."""
        width = len(self.names)
        return [code for rank, n in enumerate(self.tasks) for code in range(rank, n * width, width)]

    def by_number(self) -> Sequence[int]:
        """All tasks, by number, then subtopology."""
        return range(len(self.owners)) if len(set(self.tasks)) == 1 else sorted(self.codes())

    def weigh(self) -> None:
        """Processes have the tasks that their members were counted for."""
        self.given[:] = [sum(self.counts[m] for m in members) for members in self.members_of]
        self.loads[:] = [given / len(some) for given, some in zip(self.given, self.members_of, strict=True)]

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

    def deal_to_all(self, heap: list[int]) -> tuple[list[int], list[int]]:
        """One task for every member, all of which have the same number, in processes of one size: members in turn.

        As `dealer` would count them, with the heap of processes afterwards: both depend on places in queues alone.
        """
        order, after = whole_round(len(heap))
        turns, rest = whole_round(len(self.members_of[0]))
        queues = [queue or members for queue, members in zip(self.queues, self.members_of, strict=True)]
        found: list[int] = []
        for turn in turns:
            found += [queues[heap[at]][turn] for at in order]
            heap = [heap[at] for at in after]
        self.queues[:] = [[queue[at] for at in rest] for queue in queues]
        self.counts[:] = [count + 1 for count in self.counts]
        self.given[:] = [given + len(turns) for given in self.given]
        self.loads[:] = [given / len(turns) for given in self.given]
        for quota in (self.active, self.total):
            for _ in found:
                if quota.each != self.counts[0]:
                    break
                quota.reached()
        return found, heap

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

    def answer(self) -> tuple[list[Numbers], list[Numbers]]:
        """Active tasks and standbys of each member, by subtopology."""
        active: list[Numbers] = [{} for _ in self.ids]
        standby: list[Numbers] = [{} for _ in self.ids]
        width = len(self.names)
        shared = sorted(self.standbys)
        holders = np.array([member for code in shared for member in self.standbys[code]], np.int64)
        codes = np.repeat(np.array(shared, np.int64), [len(self.standbys[code]) for code in shared])
        for rank, name in enumerate(self.names):
            owners = self.owners[rank : self.tasks[rank] * width : width]
            _hand_out(active, name, np.array(owners, np.int64), np.arange(self.tasks[rank]))
            mine = codes % width == rank
            _hand_out(standby, name, holders[mine], codes[mine] // width)
        return active, standby


def _hand_out(to: list[Numbers], name: str, members: Ints, numbers: Ints) -> None:
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
