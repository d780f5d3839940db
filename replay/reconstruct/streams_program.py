"""StreamsProgram: what a record shows of an application of Kafka Streams, so that its instances can be replayed.

How long state takes to restore is read from the tasks that an instance had not had before: of the time from one task
that began to run to the next, what a `Store` of the simulator takes in any case is left out. A disk outlives the
process unless the record shows an instance that came back with a new process id, or restored again what it had had.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import mean, median

from groupsim.coordinator.config import names
from groupsim.events import client as c
from groupsim.events.base import Recorded, group_of
from groupsim.events.streams import PROCESS_FOUND, STANDBY_TASKS, STANDBYS_DECIDED
from groupsim.events.types import ProcessId, TopicPartition
from groupsim.replay.reconstruct.members import Member
from groupsim.simulation.clients.config import CLASSIC, STREAMS, STREAMS_ASSIGNOR
from groupsim.simulation.clients.streams.application import Store
from groupsim.simulation.clients.streams.config import StreamsConfig
from groupsim.wording.lists import listed
from groupsim.wording.numbers import counted, seconds

STANDBYS = "num.standby.replicas"
_RATE, _MOST_RECORDS = 20_000, 500_000
"""Records per second, while that makes no more in all: only how long a task restores is known, so any rate does."""
_SLOW_MS, _SLOW_SHARE = 1_000, 0.05
_BESIDES_MS = 360
"""What a task takes besides its records: its store is opened, and its changelog looked up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsProgram:
    """`protocol`: `classic` or `streams`; `config`: Kafka Streams' own settings that instances printed.

    `restore_ms`: how long the state of a task is read back, from so many tasks as were `restored`; `persistent`: it is
    on a disk that outlives the process. `worked_ms`: when each task had run for the first time. `standbys`:
    num.standby.replicas, printed or as many as members were given.
    """

    protocol: str
    restore_ms: int
    persistent: bool
    worked_ms: int = 0
    standbys: int = 0
    config: Mapping[str, int] = field(default_factory=dict)
    restored: int = 0

    @property
    def store(self) -> Store:
        """That of each task, empty: what is read back later is written at `worked_ms`, since start-up is no matter."""
        return Store(0, restore=self.rate, persistent=self.persistent)

    @property
    def rate(self) -> float:
        """How many records are read back in a second."""
        return min(_RATE, 1_000 * _MOST_RECORDS / self.restore_ms) if self.restore_ms else _RATE

    @property
    def records(self) -> int:
        """How many a task has written then."""
        return round(self.restore_ms * self.rate / 1_000)

    def notes(self, topics: Collection[str]) -> list[str]:
        """What had to be assumed."""
        notes = []
        if len(topics) > 1:
            notes.append(f"{listed(sorted(topics))} are simulated as topics of subtopologies of their own")
        disk = "on a disk that outlives the process" if self.persistent else "lost with its process"
        how = f", as of {counted(self.restored, 'task')} in the record" if self.restored else "; no log shows how long"
        long = f"{seconds(self.restore_ms)} s" if self.restore_ms else "hardly any time"
        notes.append(f"to read the state of a task back takes {long}{how}; it is {disk}")
        notes.append(f"{STANDBYS}={self.standbys}")
        return notes


def streams_protocol(facts: Iterable[Recorded], group: str) -> str | None:
    """The protocol of a group of Kafka Streams, `classic` or `streams`; None for a group of consumers."""
    for fact in facts:
        if group_of(fact.stream) != group:
            continue
        event = fact.event
        if isinstance(event, c.ProcessStarted) and event.config.get("group.protocol") == STREAMS:
            return STREAMS
        if isinstance(event, c.JoinOk) and event.protocol == STREAMS_ASSIGNOR:
            return CLASSIC
    return None


def streams_program(facts: Sequence[Recorded], group: str, members: Sequence[Member], protocol: str) -> StreamsProgram:
    """What the record of a group shows of its application, whose instances are `members`."""
    own = [fact for fact in facts if isinstance(fact.event, c.ClientEvent) and group_of(fact.stream) == group]
    printed: dict[str, int] = {}
    standby_tasks: dict[ProcessId, int] = {}
    decided = 0
    first_ms: dict[TopicPartition, int] = {}
    for fact in own:
        if isinstance(fact.event, c.ProcessStarted):
            config = fact.event.config
            printed |= {name: value for name in names(StreamsConfig()) if isinstance(value := config.get(name), int)}
            standby_tasks[fact.event.process] = int(config.get(STANDBY_TASKS, 0))
            decided = max(decided, int(config.get(STANDBYS_DECIDED, 0)))
        elif isinstance(fact.event, c.Closed | c.Crashed):
            standby_tasks.pop(fact.event.process, None)
        elif isinstance(fact.event, c.RestoreEnd):
            for partition in fact.event.partitions:
                first_ms.setdefault(partition, fact.at_ms)
    standbys = printed.pop(STANDBYS, None)
    if standbys is None:
        standbys = max(decided, round(sum(standby_tasks.values()) / max(1, len(first_ms))))
    member_of = {i.name: number for number, member in enumerate(members) for i in member.incarnations}
    worked_ms = max(first_ms.values(), default=0)
    gained, again = _restored_ms(own, member_of, worked_ms)
    if not gained:  # nothing was gained since: what the first tasks took is all that is known
        gained, _ = _restored_ms(own, member_of, 0)
    persistent = _keeps_its_disk(members, own, gained, again)
    restored = gained if persistent else gained + again
    return StreamsProgram(
        protocol=protocol,
        restore_ms=_restore_ms(restored),
        persistent=persistent,
        worked_ms=worked_ms,
        standbys=standbys,
        config=printed,
        restored=len(restored),
    )


def _restore_ms(took_ms: Sequence[int]) -> int:
    """Of tasks that took a second or more the median, if these are not single ones; else the mean of all.

    Those with next to nothing to read are young, or were standbys.
    """
    slow = [ms for ms in took_ms if ms >= _SLOW_MS]
    usual = median(slow) if len(slow) >= max(2, _SLOW_SHARE * len(took_ms)) else mean(took_ms or [0])
    return max(0, round(usual - _BESIDES_MS))


def _restored_ms(
    own: Sequence[Recorded], member_of: Mapping[ProcessId, int], since_ms: int
) -> tuple[list[int], list[int]]:
    """How long (ms) each task took that a member had not had before, and each that it had had, one after the other.

    Those are left out that ran by `since_ms`.
    """
    began: dict[ProcessId, int] = {}
    had: defaultdict[int, set[TopicPartition]] = defaultdict(set)
    gained: list[int] = []
    again: list[int] = []
    for fact in own:
        match fact.event:
            case c.RestoreStart(process=process):
                began[process] = fact.at_ms
            case c.RestoreEnd(process=process, partitions=partitions) if process in began:
                took_ms, began[process] = fact.at_ms - began[process], fact.at_ms
                known = had[member_of.get(process, -1)]
                if fact.at_ms > since_ms:
                    (again if set(partitions) <= known else gained).append(took_ms)
                known |= set(partitions)
            case _:
                pass
    return gained, again


def _keeps_its_disk(
    members: Sequence[Member], own: Sequence[Recorded], gained: Sequence[int], again: Sequence[int]
) -> bool:
    """Whether state is there again when an instance comes back."""
    found = {
        fact.event.process: fact.event.config[PROCESS_FOUND]
        for fact in own
        if isinstance(fact.event, c.ProcessStarted) and PROCESS_FOUND in fact.event.config
    }
    returned = [found[i.name] for member in members for _, i in pairwise(member.incarnations) if i.name in found]
    if returned:
        return all(returned)
    if gained and again and mean(gained) > 2 * _BESIDES_MS:
        return mean(again) < mean(gained) / 2
    return True
