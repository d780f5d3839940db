"""What the lines say of each group as a whole: who names it, its protocol, its timeouts."""

from __future__ import annotations

from collections.abc import Iterable

from groupsim.incidents.facts.typed_fields import int_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row, is_broker

_OF_CONSUMER_GROUPS = frozenset(
    [
        RowKind.CONSUMER_HEARTBEAT,
        RowKind.GROUP_CONVERTED,
        RowKind.GROUP_EPOCH_BUMPED,
        RowKind.MEMBER_JOINED,
        RowKind.MEMBER_RECONCILED,
        RowKind.MEMBER_STATE,
        RowKind.STATE_CHANGE,
        RowKind.TARGET_ASSIGNMENT,
    ]
)
"""Rows that only groups of the consumer protocol (KIP-848) have, or of the streams protocol (KIP-1071)."""
OF_CLASSIC_GROUPS = frozenset([RowKind.REBALANCE_START, RowKind.STABILIZED, RowKind.JOINED, RowKind.SYNCED])
"""Rows that only groups of the classic protocol have. Where a group has rows of both, what a line of the one leaves out
may stand in lines of the other."""


class GroupKinds:
    """Groups by what names them: `broker_groups` a broker or the topic, `client_groups` a client's line."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.broker_groups: set[str] = set()
        self.client_groups: set[str] = set()
        self.consumer_groups: set[str] = set()
        self._streams_groups: set[str] = set()
        self.session_timeouts: dict[str, int] = {}
        self._heartbeats: dict[str, int] = {}
        self._from_topic: set[str] = set()
        self._from_broker: set[str] = set()
        for row in rows:
            if row.group is not None:
                self._see(row.group, row)

    def _see(self, group: str, row: Row) -> None:
        if is_broker(row):
            self.broker_groups.add(group)
            (self._from_topic if row.program is Program.OFFSETS_TOPIC else self._from_broker).add(group)
        else:
            self.client_groups.add(group)
        if row.kind in _OF_CONSUMER_GROUPS:
            self.consumer_groups.add(group)
        if row.detail.get("group_type") == "streams" or "stream_tasks" in row.detail:
            self._streams_groups.add(group)
        timeout = int_in(row.detail.get("session_timeout_ms"))
        if timeout is not None:
            self.session_timeouts[group] = timeout
        settings = row.detail.get("settings")
        if row.kind == RowKind.CLIENT_CONFIGURED and isinstance(settings, dict):
            session = int_in(settings.get("session.timeout.ms"))
            if session is not None:
                self.session_timeouts.setdefault(group, session)
            heartbeat = int_in(settings.get("heartbeat.interval.ms"))
            if heartbeat is not None and heartbeat > 0:
                self._heartbeats.setdefault(group, heartbeat)

    def heartbeat_ms(self, group: str) -> int | None:
        """How far apart heartbeats of the group's classic members are, as one of them printed it."""
        return self._heartbeats.get(group)

    def protocol_of(self, group: str) -> str:
        """How the newer protocol of one of `consumer_groups` is called."""
        return "streams protocol (KIP-1071)" if group in self._streams_groups else "consumer protocol (KIP-848)"

    def groups(self) -> list[str]:
        """All groups that a log or the topic names, sorted."""
        return sorted(self.broker_groups | self.client_groups)

    def from_topic(self, group: str) -> bool:
        """Whether `__consumer_offsets` is given of the group."""
        return group in self._from_topic

    def from_broker(self, group: str) -> bool:
        """Whether a broker's own log names the group."""
        return group in self._from_broker
