"""Who is in the group, by its coordinator's word: each member id over time.

Also of members without a log: when one was surely a member, and when possibly. What it may have served meanwhile is in
`others`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groupsim.events.types import MemberId
from groupsim.incidents.account.hidden import Removal
from groupsim.incidents.account.incarnation import Said
from groupsim.incidents.account.rules import Rule, Why
from groupsim.incidents.account.spans import INF
from groupsim.incidents.account.track import OPEN, Track
from groupsim.incidents.account.when import When
from groupsim.incidents.facts.typed_fields import text_in
from groupsim.incidents.logs.row_kinds import RowKind

ADDED = Rule("added", "the coordinator says that it added the member", "GroupMetadataManager.consumerGroupJoin")
PENDING = Rule("pending", "it was given an id, and is a member when it asks with that", "KIP-394")
GONE = Rule("gone", "the coordinator says that it removed the member, or that it left", "GroupMetadataManager")
_ADDS = frozenset([RowKind.MEMBER_JOINED, RowKind.PENDING_MEMBER_JOINS, RowKind.STATIC_MEMBER_REPLACED])


def members_of(brokers: Sequence[Said], removals: Mapping[MemberId, Sequence[Removal]]) -> dict[MemberId, Track[bool]]:
    """By member id, for all that a broker's log or the topic names; a member that left for a time is still one."""
    found: dict[MemberId, Track[bool]] = {}
    ends = {id(removal.said): removal for gone in removals.values() for removal in gone if not removal.away}
    for said in brokers:
        row = said.row
        comes = row.kind in _ADDS or row.kind == RowKind.MEMBER_ID_CREATED
        for member in (row.member, text_in(row.detail.get("old_member"))):
            if member is not None and member not in found:
                found[member] = Track(False if comes and member == row.member else OPEN)
        if row.member is not None and row.kind in _ADDS:
            found[row.member].set(said.when, True, Why(ADDED, (said.place,)))
        elif row.member is not None and comes:
            static = row.detail.get("instance") is not None
            found[row.member].set(said.when if static else When(said.when.lo, INF), True, Why(PENDING, (said.place,)))
        removal = ends.get(id(said))
        if removal is not None:
            found[removal.member].set(removal.when, False, Why(GONE, (said.place,)))
    return found
