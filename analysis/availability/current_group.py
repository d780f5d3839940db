"""One group as it is at one instant, as far as the log has it: the coordinator's state, the processes, the network.

`analysis.availability.view` changes it fact by fact; the rules read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from groupsim.analysis.availability.causes import Causes
from groupsim.analysis.classic_group_state import ClassicGroupState
from groupsim.analysis.group_state import AnyGroupState, ReportedGroupState, converted
from groupsim.analysis.log_coverage import LogCoverage
from groupsim.analysis.process_state import Process, Processes
from groupsim.events.base import Event
from groupsim.events.types import ProcessId, TopicPartition

DATA = "data"
"""How the network calls the brokers that lead the partitions; the coordinator is `broker`."""


@dataclass(slots=True)
class CurrentGroup:
    """`state` answers for a group of any protocol; `reported` is the same object, asked where a log is silent.

    `holders` has, per partition, the processes that have it in their view, and `surrendered_by` the ids of those that
    gave it up in order. `owed`: left out of the assignment until a cooperative member has revoked it. `cut`: the
    processes, by id or name, that do not reach the brokers of the data.
    """

    coverage: LogCoverage
    state: AnyGroupState
    reported: ReportedGroupState
    processes: Processes = field(default_factory=Processes)
    causes: Causes = field(default_factory=Causes)
    holders: dict[TopicPartition, dict[ProcessId, Process]] = field(default_factory=dict)
    surrendered_by: dict[TopicPartition, set[ProcessId]] = field(default_factory=dict)
    owed: set[TopicPartition] = field(default_factory=set)
    cut: set[str] = field(default_factory=set)

    @classmethod
    def classic(cls, coverage: LogCoverage) -> CurrentGroup:
        """A group of the classic protocol that has no facts yet."""
        state = ClassicGroupState()
        return cls(coverage, state, state)

    def convert(self, event: Event) -> None:
        """The group changes its protocol by this fact: from now on another state answers."""
        self.state = self.reported = converted(self.state, event)

    def assigned(self, process: Process) -> Iterator[TopicPartition]:
        """What the coordinator assigned to it, under any of its member ids."""
        return chain.from_iterable(self.state.assigned(member) for member in process.ids)

    def connected(self, process: Process) -> bool:
        """It reaches the leaders of its partitions."""
        return not process.no_broker and not (self.cut and {process.id, process.name} & self.cut)
