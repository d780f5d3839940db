"""The recorded targets: they stand in for what an assignor takes from the hash order of random topic and member ids."""

from __future__ import annotations

from collections.abc import Callable

from groupsim.conformance.scripts.consumer.records import TARGET, TARGET_EPOCH
from groupsim.conformance.scripts.consumer.topics import partitions_of
from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.server_assignors import Problem, assign_by_name
from groupsim.events.types import MemberId, Partitions


class RecordedTargets:
    """Gives the target that was written in the present step; computes one where nothing was."""

    def __init__(self, steps: list[Step], resolve: Callable[[str], str]) -> None:
        self._steps = steps
        self._resolve = resolve
        self.step = -1

    def assign(self, problem: Problem) -> dict[MemberId, Partitions]:
        """The recorded target, if the recording has one at this step."""
        records = self._steps[self.step].get("records", ())
        if not any(kind == TARGET_EPOCH and value and value["AssignmentTimestamp"] for kind, _, value in records):
            return assign_by_name(problem)
        target = {member.id: member.target for member in problem.members}
        for kind, key, value in records:
            if kind == TARGET and value is not None:
                rows = {row["TopicId"]: row["Partitions"] for row in value["TopicPartitions"]}
                target[self._resolve(key["MemberId"])] = partitions_of(rows)
        return target
