"""Client ids that several members have at once, as the default ids of most libraries: each has a name of its own then.

A process that starts again under its client id is the same client, so only members that were there together count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import PurePath

from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.client_libraries import client_of
from groupsim.incidents.logs.row_kinds import RowKind

_COMES = frozenset([RowKind.PENDING_MEMBER_JOINS, RowKind.MEMBER_JOINED])
_GOES = frozenset([RowKind.MEMBER_FAILED, RowKind.MEMBER_LEFT])
_PART = 8


def names_by_file(said: Sequence[Said]) -> dict[tuple[str, str], str]:
    """By file and client id: the names of clients whose id another member has, in another file at the same time."""
    members: dict[tuple[str, str], set[str]] = defaultdict(set)
    times: dict[tuple[str, str], list[int]] = defaultdict(list)
    files: dict[str, set[str]] = defaultdict(set)
    for line in said:
        if line.client and line.row.member is not None and line.at is not None:
            members[line.row.file, line.client].add(line.row.member)
            times[line.row.file, line.client].append(line.at)
            files[line.client].add(line.row.file)
    found: dict[tuple[str, str], str] = {}
    for client, its in files.items():
        for one, other in combinations([(file, client) for file in sorted(its)], 2):
            together = min(times[one]) < max(times[other]) and min(times[other]) < max(times[one])
            if together and members[one].isdisjoint(members[other]):
                found |= {each: f"{client} in {PurePath(each[0]).name}" for each in (one, other)}
    return found


def names_by_member(broker: Sequence[Said]) -> dict[str, str]:
    """By member id: the names of members whose client id another member of a generation had.

    Only in a log that has the group's first rebalance: in another, a dead member may take the place of an unknown one.
    """
    starts = (line.row.detail.get("old_generation") for line in broker if line.row.kind is RowKind.REBALANCE_START)
    if next(starts, None) != 0:
        return {}
    live: dict[str, str] = {}
    mentioned: dict[str, str] = {}
    shared: set[str] = set()
    for line in broker:
        member, client = line.row.member, client_of(line.row.member)
        if member is not None and client is not None:
            mentioned[member] = client
            if line.row.kind in _COMES:
                live[member] = client
            elif line.row.kind in _GOES:
                live.pop(member, None)
        if line.row.kind is RowKind.STABILIZED and line.row.detail.get("members") == len(live):
            shared |= {client for client, members in Counter(live.values()).items() if members > 1}
    return {member: named_apart(client, member) for member, client in mentioned.items() if client in shared}


def named_apart(client: str, member: str) -> str:
    """A member's client id with the first digits of its UUID: it tells it from others, and finds it in a log."""
    return f"{client}-{member.removeprefix(client).lstrip('-')[:_PART]}"
