"""One partition at one instant, as the rules ask about it, and the shape of a rule."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from groupsim.analysis.availability.causes import of_process
from groupsim.analysis.availability.coverage_rules import Knowledge
from groupsim.analysis.availability.current_group import CurrentGroup
from groupsim.analysis.availability.labels import Label, SubLabel, Verdict
from groupsim.analysis.process_state import Process
from groupsim.events.types import MemberId, TopicPartition


class Situation:
    """`serving`: the processes that serve the partition, and `entitled`, those of them that are entitled to it.

    `owner`: the member that the coordinator assigned it to. `process`: the owner's, or the one that stands for it.
    `holder`: this process, if it lives and has the partition in its view. The last three are for what nobody serves.
    """

    __slots__ = ("entitled", "group", "holder", "knowledge", "owner", "partition", "process", "serving")

    def __init__(self, group: CurrentGroup, knowledge: Knowledge, partition: TopicPartition) -> None:
        self.group = group
        self.knowledge = knowledge
        self.partition = partition
        held = group.holders.get(partition) or {}
        holders = held.values() if len(held) < 2 else [held[name] for name in sorted(held)]
        self.serving = [x for x in holders if self._serves(x)]
        self.entitled = [x for x in self.serving if knowledge.entitled(x, partition)]
        self.owner: MemberId | None = None
        self.process: Process | None = None
        self.holder: Process | None = None
        if not self.serving:
            self._find_owner(list(holders))

    def _find_owner(self, holders: list[Process]) -> None:
        self.owner = self.group.state.owner(self.partition)
        process = self.group.processes.of(self.owner)
        if not self._holds(process) and self.owner is None:
            stands_in = (x for x in holders if x.alive and self.knowledge.revokes(x, self.partition))
            process = next(stands_in, process)
        self.process = process
        self.holder = process if self._holds(process) else None

    def _holds(self, process: Process | None) -> bool:
        return process is not None and process.alive and self.partition in process.view

    def _serves(self, x: Process) -> bool:
        """Running, fetchable, not in a callback, not restoring, connected (`docs/model/availability.md`).

        Asked most of all: what is mostly nothing is looked at before a partition is searched.
        """
        tp = self.partition
        return (
            x.alive
            and not x.frozen
            and not (x.callback and self.knowledge.in_callback(x))
            and not (x.pending and tp in x.pending)
            and not (x.paused and tp in x.paused)
            and not (x.restoring and tp in x.restoring)
            and self.knowledge.has_position(x, tp)
            and self.group.connected(x)
        )

    @property
    def cause(self) -> str:
        """What the group met last."""
        return self.group.causes.now

    @property
    def surrendered_by(self) -> Process | None:
        """A live process that gave it up in order, and has not synced since."""
        names = sorted(self.group.surrendered_by.get(self.partition, ()))
        return next((x for x in map(self.group.processes.all.__getitem__, names) if x.alive), None)

    @property
    def zombie_trouble(self) -> str:
        """The trouble of the first process that serves it without being entitled, else the group's cause."""
        zombies = [x for x in self.serving if x not in self.entitled]
        return next((trouble for x in zombies if (trouble := of_process(x)) is not None), None) or self.cause


class Runs(StrEnum):
    """Which runs a rule is for."""

    ANY = "any"
    SIMULATED = "simulated"
    RECORDED = "recorded"


class Rule(NamedTuple):
    """`label` is that of a partition for which `holds`, if no rule before it holds; `condition` says so in words.

    `sub_labels` has the only sub-label, or all of which `sub_label` chooses one; none if it is empty. `member` and
    `cause` name the process concerned and what led here.
    """

    label: Label
    sub_labels: tuple[SubLabel, ...]
    condition: str
    holds: Callable[[Situation], bool]
    member: Callable[[Situation], str | None]
    cause: Callable[[Situation], str | None]
    runs: Runs = Runs.ANY
    sub_label: Callable[[Situation], SubLabel | None] | None = None

    def verdict(self, s: Situation) -> Verdict:
        """What this rule says of a partition for which it holds."""
        chosen = None if not self.sub_labels else self.sub_label(s) if self.sub_label else self.sub_labels[0]
        return Verdict(self.label, chosen, self.member(s), self.cause(s))
