"""MemberHistory: a fold of one group's facts into the incarnations of its processes that have a log."""

from __future__ import annotations

from collections.abc import Iterable

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Recorded, group_of, group_stream
from groupsim.events.streams import PROCESS_ID
from groupsim.events.types import MemberId, ProcessId, RejoinCause
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.replay.reconstruct.applications.callbacks import Callback
from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, Stall, StallKind
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, NATIVE, STREAMS

LATE_MS = 150
"""A process that acts on a rebalance later than this after it heard of it was busy (a poll of 100 ms is not)."""


class MemberHistory:
    """The incarnations of one group by process, and by member id. `unlogged_members` adds those without a log."""

    def __init__(self, group: str) -> None:
        self._group = group
        self._folds: dict[ProcessId, _ProcessFold] = {}
        self.by_member_id: dict[MemberId, Incarnation] = {}

    @property
    def incarnations(self) -> list[Incarnation]:
        """In order of their first fact."""
        return [fold.incarnation for fold in self._folds.values()]

    def apply(self, facts: Iterable[Recorded]) -> None:
        """Fold the facts of the run, in order."""
        started_ms = 0
        for fact in facts:
            if isinstance(fact.event, p.ClientEvent) and group_of(fact.stream) == self._group:
                fold = self._fold(fact.event.process)
                fold.apply(fact.event, fact.at_ms, started_ms)
                self.by_member_id.update(dict.fromkeys(fold.new_ids, fold.incarnation))
                fold.new_ids.clear()
            elif fact.stream == group_stream(self._group) and isinstance(fact.event, c.RebalanceStarted):
                started_ms = fact.at_ms

    def _fold(self, process: ProcessId) -> _ProcessFold:
        if process not in self._folds:
            client = process.rpartition(".")[0] or process
            self._folds[process] = _ProcessFold(Incarnation(process, client, logged=True))
        return self._folds[process]


class _ProcessFold:
    """Folds the facts of one process into its incarnation.

    `_heard` since its last JoinGroup was answered, it heard that the group is rebalancing: at `_heard_ms`, which is
    None as soon as it has acted on it. `_acted_ms`: when its application thread last took part in a rebalance.
    `_callback`: kind, start and number of partitions of the one that runs; `_last_callback`: start and end of the last.
    `_revoking_ms`: when it began to give partitions up, since its last JoinGroup.
    """

    def __init__(self, incarnation: Incarnation) -> None:
        self.incarnation = incarnation
        self.new_ids: list[MemberId] = []
        self._rebalance_started_ms = 0
        self._heard = False
        self._joining = False
        self._heard_ms: int | None = None
        self._acted_ms: int | None = None
        self._callback: tuple[str, int, int] | None = None
        self._last_callback: tuple[int, int] | None = None
        self._revoking_ms: int | None = None

    def apply(self, event: p.ClientEvent, at: int, rebalance_started_ms: int) -> None:
        """Fold one fact. `rebalance_started_ms`: when the group's latest rebalance began."""
        self._rebalance_started_ms = rebalance_started_ms
        if not isinstance(event, p.Crashed | p.Frozen):  # the import dates these: no line shows them
            self.incarnation.line_times.append(at)
        self._apply_to_membership(event, at)
        self._apply_to_partitions(event, at)
        self._apply_to_ending(event, at)

    def _apply_to_membership(self, event: p.ClientEvent, at: int) -> None:
        incarnation = self.incarnation
        match event:
            case p.ProcessStarted():
                incarnation.client, incarnation.instance = event.client_id, event.instance_id
                incarnation.topics, incarnation.library = event.topics, event.library
                process_id = event.config.get(PROCESS_ID)
                incarnation.disk = None if process_id is None else str(process_id)
                incarnation.protocol = str(event.config.get("group.protocol", CLASSIC)).lower()
            case p.StateChanged(state=p.MemberPhase.JOINING | p.MemberPhase.RECONCILING as state):
                incarnation.protocol = STREAMS if incarnation.protocol == STREAMS else CONSUMER
                incarnation.received += [at] * (state == p.MemberPhase.RECONCILING)
            case p.JoinSent():
                self._join_sent(event, at)
            case p.JoinOk(member=member):
                self._use(member)
                incarnation.joins_answered.append(at)
                incarnation.generation_at[at] = event.generation
                incarnation.led_at += [at] * bool(event.leader)
                self._heard, self._heard_ms = False, None
                if event.protocol and event.protocol not in incarnation.protocols[-1:]:
                    incarnation.protocols.append(event.protocol)
            case p.EpochReceived(member=member, epoch=epoch):
                self._use(member)
                incarnation.received.append(at)
                if self._joining or not incarnation.joins_answered:
                    incarnation.joins_answered.append(at)
                    incarnation.generation_at[at] = epoch
                    self._joining = False
            case p.StateChanged(state=p.MemberPhase.ACKNOWLEDGING | p.MemberPhase.STABLE):
                incarnation.beats_from.append(at)
            case p.RejoinRequested():
                self._rejoin_requested(event, at)
            case p.CoordinatorLost():
                incarnation.coordinator_losses.append(at)
            case p.RequestFailed(api="Metadata") if incarnation.joins_sent or incarnation.coordinator_losses:
                incarnation.brokers_lost.append(at)
            case p.PollExpired():
                incarnation.stalls.append(Stall(StallKind.BUSY, None, None, expired_ms=at))
            case _:
                pass

    def _join_sent(self, event: p.JoinSent, at: int) -> None:
        incarnation = self.incarnation
        if self._heard and self._revoking_ms is not None and not event.owned:
            incarnation.revokes_all = True
        log_begins_later = self._acted_ms is not None and not incarnation.member_ids
        self._joining = incarnation.protocol in NATIVE
        if self._joining:
            incarnation.joins_sent.append(at)
            if incarnation.starts_ms is None and not incarnation.joins_answered:
                incarnation.starts_ms = at
            self._use(event.member)
            self._act(at)
            return
        is_member = incarnation.joins_answered or log_begins_later or (event.member and not incarnation.member_ids)
        if incarnation.starts_ms is None and not is_member:
            incarnation.starts_ms = at
        elif not incarnation.joins_answered and event.member:
            incarnation.rejoined_with_id = True
        incarnation.joins_sent.append(at)
        self._use(event.member)
        self._act(at)
        self._revoking_ms = None

    def _rejoin_requested(self, event: p.RejoinRequested, at: int) -> None:
        incarnation = self.incarnation
        if event.cause is not None:
            incarnation.rejoin_causes.add(event.cause)
        if event.cause is RejoinCause.GROUP_REBALANCING:
            if not self._heard:
                self._heard, self._heard_ms = True, at
                if incarnation.joins_answered:
                    incarnation.heartbeats.append((incarnation.joins_answered[-1], at))
        elif event.topics is not None:
            incarnation.subscriptions.append((at, event.topics))
        elif event.cause is RejoinCause.METADATA_CHANGED:
            incarnation.metadata_changes.append(at)

    def _apply_to_partitions(self, event: p.ClientEvent, at: int) -> None:
        incarnation = self.incarnation
        match event:
            case p.CallbackStart(kind=kind, partitions=partitions):
                if partitions:
                    self._callback = kind, at, len(partitions)
                if kind != RowKind.ASSIGNED:
                    self._act(at)
                    self._revoking_ms = at
            case p.CallbackEnd(kind=kind) if self._callback is not None:
                (started_kind, since, number), self._callback = self._callback, None
                self._last_callback = since, at
                if started_kind == kind:
                    incarnation.callbacks.setdefault(kind, []).append(Callback(number, at - since))
            case p.ViewChanged(partitions=partitions):
                if partitions and not incarnation.joins_answered and incarnation.starts_ms is None:
                    incarnation.line_times.insert(0, at)
                    self._acted_ms = at
            case p.SyncOk(member=member):
                self._use(member)
                incarnation.syncs_answered.append(at)
                self._revoking_ms = None
            case _:
                pass

    def _apply_to_ending(self, event: p.ClientEvent, at: int) -> None:
        incarnation = self.incarnation
        match event:
            case p.Closed():
                since = at if self._revoking_ms is None else self._revoking_ms
                incarnation.ending = Ending.CLOSE
                incarnation.ends_ms = since if since >= max(incarnation.joins_answered, default=0) else at
            case p.Crashed():
                incarnation.ending, incarnation.ends_ms = Ending.KILL, at
            case _:
                pass

    def _use(self, member: MemberId) -> None:
        if member and member not in self.incarnation.member_ids:
            self.incarnation.member_ids.append(member)
            self.new_ids.append(member)

    def _act(self, at: int) -> None:
        """Its application thread takes part in the rebalance: perhaps late, or after a batch that was too long."""
        incarnation, heard_ms = self.incarnation, self._heard_ms
        stall = incarnation.stalls[-1] if incarnation.stalls else None
        if heard_ms is not None and at - heard_ms <= LATE_MS and incarnation.joins_answered:
            incarnation.reactions.append((incarnation.joins_answered[-1], at - heard_ms))
        if stall is not None and stall.expired_ms is not None and stall.to_ms is None:
            stall.to_ms = at  # the batch that cost the membership made it late, too
        elif heard_ms is not None and at - heard_ms > LATE_MS and not self._was_in_callback(heard_ms, at):
            last_join = max(incarnation.joins_answered, default=0)
            idle_ms = max(self._rebalance_started_ms, last_join, self._acted_ms or 0)
            incarnation.stalls.append(Stall(StallKind.BUSY, min(idle_ms, heard_ms), at))
        self._heard_ms = None  # hearing the same again, during a long callback for example, is nothing new
        self._acted_ms = at

    def _was_in_callback(self, heard_ms: int, at: int) -> bool:
        """The time since it heard of the rebalance was spent in a callback."""
        since, until = self._last_callback or (at, 0)
        return since <= heard_ms and until >= at - LATE_MS
