"""A client process's rows as facts of its stream: the requests it sent and the answers it got, by either protocol.

In the consumer protocol (KIP-848) Java prints its states and targets, librdkafka (`debug=cgrp`) its heartbeats and
targets. An epoch that brings nothing new is printed by librdkafka alone.
"""

from __future__ import annotations

from groupsim.events import client as c
from groupsim.events.client import MemberPhase
from groupsim.events.types import RejoinCause
from groupsim.incidents.facts.causes import announces_leave, given_member_id, new_subscription, rejoin_cause
from groupsim.incidents.facts.client_workers import WorkerFacts
from groupsim.incidents.facts.settings import consumer_settings
from groupsim.incidents.facts.typed_fields import int_in, partitions_in, text_in
from groupsim.incidents.logs.row_kinds import RowKind


class ConsumerClientFacts(WorkerFacts):
    """The facts of one process as a member of the consumer protocol. A handler `_on_KIND` for each kind of row."""

    _joining = False

    def _of_group(self) -> dict[str, int | str]:
        return consumer_settings(self.process)

    def _on_state_change(self, detail: dict[str, object]) -> None:
        self._use(detail)
        before, state = detail.get("from"), str(detail.get("to"))
        epoch = int_in(detail.get("epoch"))
        if state == MemberPhase.JOINING:
            self._join()
            return
        if epoch and epoch > 0 and (self._joining or epoch != self._generation) and before != MemberPhase.FENCED:
            self._received(epoch)
        self._add(c.StateChanged(process=self.process.name, state=state))

    def _on_client_reconciling(self, detail: dict[str, object]) -> None:
        """The answer to a heartbeat gave a Java consumer a new target."""
        self._use(detail)
        self._given(detail)

    def _on_client_subscribed(self, detail: dict[str, object]) -> None:
        """A running member subscribes to something else; its first subscription stands at its start."""
        topics = detail.get("topics")
        if self._generation is not None and self._of_group() and isinstance(topics, list):
            named = tuple(sorted(map(str, topics)))
            cause = RejoinCause.SUBSCRIPTION_CHANGED
            self._add(c.RejoinRequested(process=self.process.name, reason="subscribed", cause=cause, topics=named))

    def _on_consumer_heartbeat(self, detail: dict[str, object]) -> None:
        """librdkafka sends a heartbeat: with epoch 0 it joins."""
        self._use(detail)
        if int_in(detail.get("epoch")) == 0 and not self._joining:
            self._join()

    def _on_consumer_heartbeat_answered(self, detail: dict[str, object]) -> None:
        self._use(detail)
        epoch = int_in(detail.get("epoch"))
        if epoch and epoch > 0 and (self._joining or epoch != self._generation):
            self._received(epoch)

    def _on_client_target(self, detail: dict[str, object]) -> None:
        self._add(c.StateChanged(process=self.process.name, state=MemberPhase.RECONCILING))
        self._given(detail)

    def _on_client_target_acked(self, _: dict[str, object]) -> None:
        self._add(c.StateChanged(process=self.process.name, state=MemberPhase.STABLE))

    def _on_client_fatal(self, detail: dict[str, object]) -> None:
        self._add(c.Failed(process=self.process.name, error="FATAL"))

    def _use(self, detail: dict[str, object]) -> None:
        row = self.process.rows[self._current][1].row
        self._member = row.member or text_in(detail.get("member")) or self._member

    def _join(self) -> None:
        self._joining = True
        self._add(c.StateChanged(process=self.process.name, state=MemberPhase.JOINING))
        self._add(c.JoinSent(process=self.process.name, member=self._member, owned=self.held))

    def _received(self, epoch: int) -> None:
        self._joining, self._generation = False, epoch
        self._add(c.EpochReceived(process=self.process.name, member=self._member, epoch=epoch))

    def _given(self, detail: dict[str, object]) -> None:
        if self._generation is not None and "assigned" in detail:
            given = tuple(sorted(partitions_in(detail["assigned"])))
            name, member = self.process.name, self._member
            self._add(c.TargetReceived(process=name, member=member, epoch=self._generation, partitions=given))


class ClientFacts(ConsumerClientFacts):
    """The facts of one process, from its rows in order. A handler `_on_KIND` for each kind of row."""

    _asks_bootstrap = False

    def _on_coordinator_found(self, detail: dict[str, object]) -> None:
        self._asks_bootstrap = False
        self._add(c.CoordinatorFound(process=self.process.name))

    def _on_client_no_broker(self, detail: dict[str, object]) -> None:
        """It asks bootstrap.servers again, in vain: once for each time that it has no broker."""
        if not self._asks_bootstrap:
            self._asks_bootstrap = True
            self._add(c.RequestFailed(process=self.process.name, api="Metadata", error="DISCONNECTED"))

    def _on_coordinator_lost(self, detail: dict[str, object]) -> None:
        self._add(c.CoordinatorLost(process=self.process.name, cause=text_in(detail.get("reason")) or "unknown"))

    def _on_session_expired(self, detail: dict[str, object]) -> None:
        self._add(c.CoordinatorLost(process=self.process.name, cause="session expired"))

    def _on_rejoin_requested(self, detail: dict[str, object]) -> None:
        reason = text_in(detail.get("reason")) or ""
        if announces_leave(reason):
            return  # printed on every leave; no join follows
        self._member = given_member_id(reason) or self._member
        self._add(
            c.RejoinRequested(
                process=self.process.name,
                reason=reason,
                cause=rejoin_cause(reason),
                topics=new_subscription(reason),
            )
        )

    def _on_heartbeat_says_rebalancing(self, detail: dict[str, object]) -> None:
        self._add(
            c.RejoinRequested(
                process=self.process.name,
                reason="group is already rebalancing",
                cause=RejoinCause.GROUP_REBALANCING,
            )
        )

    def _on_member_id_created(self, detail: dict[str, object]) -> None:
        self._member = text_in(detail.get("member")) or self._member

    def _on_joining(self, detail: dict[str, object]) -> None:
        self._add(c.JoinSent(process=self.process.name, member=self._member, owned=self.held))

    def _on_joined(self, detail: dict[str, object]) -> None:
        timed = self.process.rows[self._current][1]
        generation = int_in(detail.get("generation"))
        self._generation = self._generation if generation is None else generation
        self._member = text_in(detail.get("member")) or self._member
        known = self._generation if self._generation is not None else -1
        led = self._index.led(self.process.group, known, timed.at, timed.row.file, timed.row.client)
        name, protocol = self.process.name, text_in(detail.get("protocol"))
        self._add(c.JoinOk(process=name, member=self._member, generation=known, protocol=protocol, leader=led))
        if not led:
            self._add(c.SyncSent(process=name, member=self._member, generation=known))

    def _on_leader_computed_assignment(self, detail: dict[str, object]) -> None:
        generation = int_in(detail.get("generation"))
        known = generation if generation is not None else self._generation if self._generation is not None else -1
        name = self.process.name
        assignor = text_in(detail.get("protocol")) or self._index.protocol(self.process.group, known)
        self._add(c.AssignorRan(process=name, generation=known, assignor=assignor))
        self._add(c.SyncSent(process=name, member=self._member, generation=known))

    def _on_synced(self, detail: dict[str, object]) -> None:
        self._member = self.process.rows[self._current][1].row.member or self._member  # its log may begin here
        later = self._next(
            kinds=frozenset(
                {
                    RowKind.CLIENT_NOTIFIED,
                    RowKind.ASSIGNED,
                    RowKind.WORKER_ASSIGNED,
                    RowKind.CLIENT_BLOCK,
                    RowKind.JOINING,
                }
            )
        )
        assignment = None
        if later is not None:
            row = self.process.rows[self._current + later][1].row
            if row.kind == RowKind.CLIENT_NOTIFIED:
                assignment = partitions_in(row.detail.get("partitions"))
            elif "assigned" in row.detail:
                assignment = partitions_in(row.detail["assigned"])
        generation = int_in(detail.get("generation"))
        known = generation if generation is not None else self._generation if self._generation is not None else -1
        self._add(c.SyncOk(process=self.process.name, member=self._member, generation=known, assignment=assignment))

    def _on_join_failed(self, detail: dict[str, object]) -> None:
        self._failed("JoinGroup", detail)

    def _on_rebalance_failed(self, detail: dict[str, object]) -> None:
        if detail.get("error"):
            self._failed("SyncGroup", detail)

    def _on_leave_failed(self, detail: dict[str, object]) -> None:
        self._failed("LeaveGroup", detail)

    def _on_client_heartbeat_refused(self, detail: dict[str, object]) -> None:
        api = "ConsumerGroupHeartbeat" if self.process.group in self._index.consumer_groups else "Heartbeat"
        self._failed(api, {"error": detail.get("reason")})

    def _failed(self, api: str, detail: dict[str, object]) -> None:
        error = text_in(detail.get("error")) or "unknown"
        self._add(c.RequestFailed(process=self.process.name, api=api, error=error))

    def _on_generation_reset(self, detail: dict[str, object]) -> None:
        self._add(
            c.GenerationReset(
                process=self.process.name,
                reason=text_in(detail.get("reason")) or "unknown",
                member_id_too=bool(detail.get("member_id_too")),
            )
        )

    def _on_poll_timeout(self, detail: dict[str, object]) -> None:
        self._add(c.PollExpired(process=self.process.name))

    def _on_leave_sent(self, detail: dict[str, object]) -> None:
        member = text_in(detail.get("member")) or self._member
        reason = text_in(detail.get("reason")) or "unknown"
        self._add(c.LeaveSent(process=self.process.name, member=member, reason=reason))

    def _on_commit_failed(self, detail: dict[str, object]) -> None:
        error = text_in(detail.get("error")) or "unknown"
        self._add(c.CommitFailed(process=self.process.name, error=error, local=bool(detail.get("local"))))
