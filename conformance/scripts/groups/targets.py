"""The targets of a played script: computed, as the coordinator does, where everything an assignor looks at is known.

A choice among equal members or topics goes by the hash order of their ids, as does that of a leader. Ids that a server
gave at random are not in a recording: where there are such, the recorded choice stands in for the computed one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from groupsim.conformance.scripts.groups.records import TARGET, TARGET_EPOCH
from groupsim.conformance.scripts.groups.topics import partitions_of
from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.classic.votes import elect_by_hash
from groupsim.coordinator.server_assignors import Problem, assign_by_name
from groupsim.events.types import MemberId, Partitions

Target = dict[MemberId, Partitions]


class ScriptTargets:
    """Gives the target and the leader at the present step.

    `given` are the member ids that the simulated server gave so far, `unshown` those that no answer has shown yet.
    """

    def __init__(
        self,
        steps: list[Step],
        given: Collection[MemberId],
        unshown: Collection[MemberId],
        resolve: Callable[[str], str],
    ) -> None:
        self._steps = steps
        self._given = given
        self._unshown = unshown
        self._resolve = resolve
        self.step = -1

    def assign(self, problem: Problem) -> Target:
        """The computed target, or the recorded one if it depends on ids that nobody knows and was recorded."""
        if self._known(problem):
            return assign_by_name(problem)
        step = self._steps[self.step]
        return self._written(problem, step) or self._seen(problem, step) or assign_by_name(problem)

    def _known(self, problem: Problem) -> bool:
        topics = all(topic.uuid is not None for topic in problem.topics.values())
        return topics and not any(member.id in self._given for member in problem.members)

    def _written(self, problem: Problem, step: Step) -> Target | None:
        """The target by its records: those of members whose target did not change are not written."""
        records = step.get("records", ())
        if not any(
            kind.endswith(TARGET_EPOCH) and value and value["AssignmentTimestamp"] for kind, _, value in records
        ):
            return None
        target = {member.id: member.target for member in problem.members}
        for kind, key, value in records:
            if kind.endswith(TARGET) and value is not None:
                rows = {row["TopicId"]: row["Partitions"] for row in value["TopicPartitions"]}
                target[self._member(key["MemberId"], target)] = partitions_of(rows)
        return target

    def _member(self, label: str, members: Iterable[MemberId]) -> MemberId:
        """The member of a label; `?` stands for one that no answer ever showed."""
        unshown = [member for member in members if member in self._unshown]
        return unshown[0] if label == "?" and unshown else self._resolve(label)

    def _seen(self, problem: Problem, step: Step) -> Target | None:
        """The target as an administrator saw it after the step, if it is of the same members."""
        seen = step.get("seen") or {}
        if seen.get("type") != "consumer":
            return None
        target = {self._resolve(row["member_id"]): partitions_of(row["target"]) for row in seen["members"]}
        return target if target.keys() == {member.id for member in problem.members} else None

    def elect(self, generation: int, candidates: tuple[MemberId, ...]) -> MemberId:
        """The leader that the present step's record or answers name; the first in hash order where none does."""
        step = self._steps[self.step]
        named = [value["leader"] for kind, _, value in step.get("records", ()) if kind == "GroupMetadata" and value]
        answered = [other["response"] for other in self._steps if other["after"] == self.step and other["response"]]
        named += [answer["leader"] for answer in answered if answer.get("leader")]
        leaders = [self._resolve(label) for label in named if label]
        return next((leader for leader in leaders if leader in candidates), None) or elect_by_hash(
            generation, candidates
        )
