"""A client process's rows as facts of its stream: the requests it sent and the answers it got."""

from __future__ import annotations

from groupsim.events import client as c
from groupsim.events.types import RejoinCause
from groupsim.incidents.facts.causes import announces_leave, given_member_id, new_subscription, rejoin_cause
from groupsim.incidents.facts.consumer_client import ConsumerClientFacts
from groupsim.incidents.facts.typed_fields import int_in, partitions_in, text_in
from groupsim.incidents.logs.row_kinds import RowKind


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
            kinds=frozenset({RowKind.CLIENT_NOTIFIED, RowKind.ASSIGNED, RowKind.CLIENT_BLOCK, RowKind.JOINING})
        )
        assignment = None
        if later is not None:
            row = self.process.rows[self._current + later][1].row
            if row.kind == RowKind.CLIENT_NOTIFIED:
                assignment = partitions_in(row.detail.get("partitions"))
            elif RowKind.ASSIGNED in row.detail:
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
