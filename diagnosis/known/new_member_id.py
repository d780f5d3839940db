"""A signature: a member syncs without a generation, and joins again as another member."""

from __future__ import annotations

from typing import NamedTuple

from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind


class NewMemberId(NamedTuple):
    """A client prints generation -1 where it synced, and its next join has another member id than its last one.

    aiokafka forgets both when a commit is refused during a join. Since 0.7.1 it still prints -1, but puts them back.
    """

    def lines(self, log: GroupLog) -> list[Said]:
        """Where it synced, and where it joined as another member."""
        shown: list[Said] = []
        for said in log.clients.values():
            member: str | None = None
            lost: Said | None = None
            for line in said:
                if line.row.kind is RowKind.SYNCED and line.row.detail.get("generation") == -1:
                    lost = line
                elif line.row.kind is RowKind.JOINED and line.row.member is not None:
                    if lost is not None and member not in (None, line.row.member):
                        shown += [lost, line]
                    member, lost = line.row.member, None
        return sorted(shown, key=lambda line: line.nth)
