"""One group at one instant: books, processes and network together give every partition its label (spec: 8.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from groupsim.analysis.availability import recorded
from groupsim.analysis.availability.causes import Causes, of_process
from groupsim.analysis.availability.labels import (
    BOTH_ENTITLED,
    DATA_CUT,
    DOUBLE,
    GRANT_IN_FLIGHT,
    NONE_ENTITLED,
    OK,
    OWNER_DEAD,
    OWNER_STALLED,
    PAUSED_APP,
    PAUSED_CALLBACK,
    POSITION,
    RESTORING,
    UNOWNED,
    WITHHELD,
    ZOMBIE_AND_OWNER,
    ZOMBIE_ONLY,
    Verdict,
)
from groupsim.analysis.group_state import DEAD, PREPARING, STABLE, GroupState
from groupsim.analysis.log_coverage import LogCoverage
from groupsim.analysis.process_state import HOLDING, MEMBERSHIP, Process, Processes
from groupsim.events import classic, client
from groupsim.events.base import Event
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId, TopicPartition

DATA = "data"
"""How the network calls the brokers that lead the partitions; the coordinator is `broker`."""


class GroupView:
    """Folds the facts of one group and judges its partitions. `holders` has, per partition, whose view it is in."""

    def __init__(self, witness: LogCoverage) -> None:
        self.witness = witness
        self.books = GroupState()
        self.processes = Processes()
        self.causes = Causes()
        self.holders: dict[TopicPartition, dict[str, Process]] = {}
        self.owed: set[TopicPartition] = set()
        self.cut: set[str] = set()
        self._dirty: set[TopicPartition] = set()
        self._rewritten = False

    def take_dirty(self, was: Mapping[TopicPartition, Verdict]) -> set[TopicPartition]:
        """The partitions whose label may have changed since the last call; `was` has what was said of each then."""
        dirty, self._dirty = self._dirty, set()
        if self._rewritten:
            self._rewritten = False
            dirty |= was.keys() - self._kept(was)
        return dirty

    def _kept(self, was: Mapping[TopicPartition, Verdict]) -> set[TopicPartition]:
        """What is served by somebody whom the books still entitle to it: no other word of theirs ends an OK."""
        kept: set[TopicPartition] = set()
        for member, given in self.books.assignment.items():
            x = self.processes.of(member)
            if x is not None and x.member == member and self.books.may_commit(member):
                kept.update(tp for tp in given if tp in was and was[tp].label == OK and was[tp].member == x.id)
        return kept

    def apply(self, event: Event) -> None:
        """Fold one fact of the group's own streams."""
        if isinstance(event, client.ClientEvent):
            self._hear(event)
            return
        self.causes.apply(event, self.books, self.processes, bool(self.owed))
        member = None if self.witness.recorded else _who(event)
        topics = self.books.topics if member else None
        if self.books.apply(event):
            if self.witness.recorded:
                self._dirty.update(self.witness.counted_from_ms)
            elif member and self.books.topics == topics:
                self._dirty.update(self._of_member(member))
            else:
                self._rewritten = True
        self.processes.book(event)
        if isinstance(event, classic.AssignmentStored):
            self.processes.granted(sorted(self.books.members))
            self.owed = self._owed()
        elif isinstance(event, GroupEmptied):
            self.owed = set()

    def _of_member(self, member: MemberId) -> set[TopicPartition]:
        """What it was given and what its process holds: where it subscribes like others, nothing else hangs on it."""
        process = self.processes.of(member)
        return {*self.books.assignment.get(member, ()), *(process.view if process else ())}

    def link(self, a: str, b: str, cut: bool) -> None:
        """A link of a process is cut or healed. Only the link to `data` stops what it serves."""
        for name, other in ((a, b), (b, a)):
            if other == DATA:
                (self.cut.add if cut else self.cut.discard)(name)
            for process in self.processes.named(name):
                if cut and process.alive:
                    process.trouble = "cut"
                elif process.trouble == "cut" and self.books.may_commit(process.member):
                    process.trouble = None
                self._dirty.update(process.view, self._given(process))

    def _hear(self, event: client.ClientEvent) -> None:
        kind, known = type(event), self.processes.all.get(event.process)
        formal = kind in MEMBERSHIP
        earlier = known.view if known else set()
        standing = known.standing if known and formal else None
        process = self.processes.apply(event)
        if process is None:
            return
        if process.view is not earlier:
            for tp in earlier - process.view:
                self.holders[tp].pop(process.id, None)
            for tp in process.view - earlier:
                self.holders.setdefault(tp, {})[process.id] = process
        if isinstance(event, client.Thawed) and self.books.may_commit(process.member) and not process.fenced:
            process.trouble = None
        if self.witness.recorded:  # what one process tells can settle what was unknown of any partition
            self._learn(process, event)
            self._dirty.update(self.witness.counted_from_ms)
        elif formal and process.standing == standing:  # of what it holds this changes nothing
            self._dirty.update(tp for tp in self._given(process) if tp not in process.view)
        elif kind in HOLDING:
            self._dirty.update(earlier, process.view)
        else:
            self._dirty.update(earlier, process.view, self._given(process))

    def _given(self, process: Process) -> Iterator[TopicPartition]:
        """What the books give to it, under whatever id."""
        return chain.from_iterable(self.books.assignment.get(member, ()) for member in process.ids)

    def _learn(self, process: Process, event: client.ClientEvent) -> None:
        if not process.member or self.books.told:
            return
        if isinstance(event, client.SyncOk) and event.assignment is not None:
            self.books.learn(process.member, event.generation, event.assignment)
        elif isinstance(event, client.ViewChanged) and self.books.state == STABLE:
            generation, shown = self.books.generation, set(event.partitions)
            if (
                self.books.self_reported_generation.get(process.member) == generation
            ):  # what it lets go of later was granted all the same
                shown |= set(self.books.assignment.get(process.member, ()))
            self.books.learn(process.member, generation, tuple(sorted(shown)))

    def _owed(self) -> set[TopicPartition]:
        """Left out of the new assignment because a cooperative member still has to let go of it (spec: 5.8)."""
        kept = {
            tp
            for process in self.processes.all.values()
            if process.alive and process.member in self.books.members
            for tp in process.view
        }
        return kept - set(self.books.owners)

    def connected(self, process: Process) -> bool:
        """It reaches the leaders of its partitions."""
        return not (self.cut and {process.id, process.name} & self.cut)

    def busy(self, process: Process) -> bool:
        """Its application thread is in a rebalance callback; not asked of a log that never says when one ends."""
        if process.callback is None:
            return False
        return not self.witness.recorded or process.id in self.witness.callback_ends

    def positioned(self, process: Process, tp: TopicPartition) -> bool:
        """It knows from where to fetch; taken as given of a log that never says so."""
        if tp in process.positioned:
            return True
        return self.witness.recorded and process.id not in self.witness.positions

    def serving(self, x: Process, tp: TopicPartition) -> bool:
        """Spec 8.1: running, fetchable, not in a callback, not restoring, connected. Asked most of all: what is mostly
        nothing is looked at before a partition is hashed or a method called."""
        return (
            x.alive
            and not x.frozen
            and not (x.callback and self.busy(x))
            and not (x.pending and tp in x.pending)
            and not (x.paused and tp in x.paused)
            and not (x.restoring and tp in x.restoring)
            and tp in x.view
            and (tp in x.positioned or self.positioned(x, tp))
            and not (self.cut and not self.connected(x))
        )

    def entitled(self, x: Process, tp: TopicPartition) -> bool:
        """Spec 8.1: the books give it the partition and its commit would be accepted."""
        if x.fenced:
            return False
        if self.witness.recorded and recorded.untold(self, x):
            return recorded.entitled(self, x)
        return self.books.entitled(x.member, tp)

    def verdict(self, tp: TopicPartition) -> Verdict:
        """The first label of 8.2 that holds."""
        held = self.holders.get(tp) or {}
        if len(held) == 1:  # mostly: one has it, and serves it
            (x,) = held.values()
            if self.serving(x, tp) and self.entitled(x, tp):
                return self._ok(x)
        holders = held.values() if len(held) < 2 else [held[name] for name in sorted(held)]
        serving = [x for x in holders if self.serving(x, tp)]
        if serving:
            return self._served(serving, [x for x in serving if self.entitled(x, tp)])
        owner = self.books.owner(tp)
        process = self.processes.of(owner)
        if process is None or not process.alive or tp not in process.view:
            process = next((x for x in holders if self._lets_go(x, tp, owner)), process)
        if process is not None and process.alive and tp in process.view:
            return self._held(process, tp)
        return recorded.verdict(self, tp, owner, process) or self._not_held(process, tp)

    def _served(self, serving: list[Process], entitled: list[Process]) -> Verdict:
        if len(serving) == 1 and entitled:
            return self._ok(entitled[0])
        zombies = [x for x in serving if x not in entitled]
        trouble = next((of_process(x) for x in zombies if x.trouble), None) or self.causes.now
        if len(serving) > 1:
            sub = (NONE_ENTITLED, ZOMBIE_AND_OWNER, BOTH_ENTITLED)[min(len(entitled), 2)]
            return Verdict(DOUBLE, sub, (entitled or serving)[0].id, trouble)
        return Verdict(ZOMBIE_ONLY, None, zombies[0].id, trouble)

    def _ok(self, x: Process) -> Verdict:
        return Verdict(OK, recorded.word(self) if self.witness.recorded else None, x.id)

    def _lets_go(self, x: Process, tp: TopicPartition, owner: MemberId | None) -> bool:
        """At the end of a cooperative round it runs the revoked callback of what nobody was given yet (spec: 8.3).

        In a recorded run it may be the owner, too, if the books don't tell who is.
        """
        if not x.alive or owner is not None:
            return False
        if self.witness.recorded and recorded.untold(self, x):
            return self.entitled(x, tp)
        return not x.fenced and self.books.may_commit(x.member) and self.busy(x) and x.callback == "revoked"

    def _held(self, x: Process, tp: TopicPartition) -> Verdict:
        """The owner has it in its view and does not serve it."""
        cause = self.causes.now
        if self.busy(x) or tp in x.pending:
            return Verdict(PAUSED_CALLBACK, None, x.id, cause)
        if tp in x.paused:
            return Verdict(PAUSED_APP, None, x.id, "paused")
        if x.frozen:
            return Verdict(OWNER_STALLED, None, x.id, of_process(x))
        if not self.connected(x):
            return Verdict(OWNER_STALLED, DATA_CUT, x.id, f"cut {x.id}")
        return Verdict(RESTORING, None if tp in x.restoring else POSITION, x.id, cause)

    def _not_held(self, x: Process | None, tp: TopicPartition) -> Verdict:
        """Nobody has it in its view, or only who may not; `x` is the process of the owner by the books."""
        cause = self.causes.now
        if x is not None and not x.alive:
            return Verdict(OWNER_DEAD, None, x.id, of_process(x))
        if x is not None and self._in_flight(x, tp):
            return Verdict(GRANT_IN_FLIGHT, None, x.id, cause)
        if self.books.rebalancing and self.books.subscribed(tp.topic):
            return Verdict(WITHHELD, None, None, cause)
        if self.books.state in (STABLE, DEAD) and (tp in self.owed or x is not None):
            return Verdict(WITHHELD, None, None, (of_process(x) if x is not None else None) or cause)
        return Verdict(UNOWNED, None, None, cause)

    def _in_flight(self, x: Process, tp: TopicPartition) -> bool:
        """The owner will apply this grant, unless it has asked to join again or has given the partition up since."""
        if x.released:
            return False
        return self.books.state == STABLE or (self.books.state in (PREPARING, DEAD) and tp not in x.surrendered)


def _who(event: Event) -> MemberId | None:
    """The one member that comes or goes by this fact; None for all other facts."""
    return event.member if isinstance(event, classic.MemberAdded | classic.MemberRemoved) else None
