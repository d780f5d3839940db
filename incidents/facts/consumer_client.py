"""Rows of a client that speaks the consumer protocol (KIP-848) as facts: its state, epochs and targets.

Java prints its states and targets, librdkafka (`debug=cgrp`) its heartbeats and targets. An epoch that brings nothing
new is printed by librdkafka alone.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from groupsim.events import client as c
from groupsim.events.client import MemberPhase
from groupsim.events.types import RejoinCause
from groupsim.incidents.default_settings import STEP_MS
from groupsim.incidents.facts.client_partitions import PartitionFacts
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.facts.typed_fields import int_in, partitions_in, text_in
from groupsim.incidents.logs.row_kinds import RowKind

HEARTBEAT_INTERVAL = "consumer.heartbeat.interval.ms"
"""How a group's own setting is called (`kafka-configs --group`)."""


_SPEAKS = frozenset([RowKind.STATE_CHANGE, RowKind.CONSUMER_HEARTBEAT])
_LEAST_INTERVALS = 3


def consumer_settings(process: ProcessLog) -> dict[str, int | str]:
    """What a log shows of settings that no member of the consumer protocol has itself; empty for a classic one.

    The heartbeat interval, as the coordinator gave it (Java), or as most heartbeats followed each other (librdkafka).
    """
    rows = [timed for _, timed in process.rows]
    if not any(timed.row.kind in _SPEAKS for timed in rows):
        return {}
    found: dict[str, int | str] = {"group.protocol": "consumer"}
    given = [int_in(t.row.detail.get("interval_ms")) for t in rows if t.row.kind == RowKind.CONSUMER_HEARTBEAT_INTERVAL]
    sent = [timed.at for timed in rows if timed.row.kind == RowKind.CONSUMER_HEARTBEAT]
    steps = Counter(round((after - before) / STEP_MS) * STEP_MS for before, after in pairwise(sent))
    usual, times = max(steps.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    named = [interval for interval in given if interval]  # 0 is the answer to its leaving
    if named:
        found[HEARTBEAT_INTERVAL] = named[-1]
    elif usual and times >= _LEAST_INTERVALS:
        found[HEARTBEAT_INTERVAL] = usual
    return found


class ConsumerClientFacts(PartitionFacts):
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
        if self._generation is not None and RowKind.ASSIGNED in detail:
            given = tuple(sorted(partitions_in(detail["assigned"])))
            name, member = self.process.name, self._member
            self._add(c.TargetReceived(process=name, member=member, epoch=self._generation, partitions=given))
