"""When static members joined classic groups, from a broker's lines: those of a return do not name the new member id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row, is_broker
from groupsim.incidents.logs.times import instant

_Instance = tuple[str | None, str]
_REPLACED = RowKind.STATIC_MEMBER_REPLACED


def static_joins(rows: Sequence[Row]) -> Iterator[tuple[str | None, str, int]]:
    """(group, member id, UTC ms) of each static member that replaced one.

    Its id is the one that the next return replaces. Where none does, it is the only id that the clients of that
    instance name and the broker's joins do not, and that the broker otherwise names between this join and the next.
    """
    chains: dict[_Instance, list[Row]] = defaultdict(list)
    of_clients: dict[_Instance, set[str]] = defaultdict(set)
    named: dict[tuple[str | None, object], list[int]] = defaultdict(list)
    for row in rows:
        if row.at is None:
            continue
        instance = row.detail.get("instance")
        if is_broker(row):
            for member in {row.member, row.detail.get("leader")} - {None}:
                named[row.group, member].append(instant(row.at))
            if row.kind in (_REPLACED, RowKind.MEMBER_ID_CREATED) and isinstance(instance, str):
                chains[row.group, instance].append(row)
        elif row.kind == RowKind.JOINED and row.member is not None and isinstance(instance, str):
            of_clients[row.group, instance].add(row.member)
    for key, chain in chains.items():
        chain.sort(key=lambda row: row.at or "")
        others = of_clients[key] - {each for row in chain for each in (row.member, row.detail.get("old_member"))}
        for each, following in zip(chain, [*chain[1:], None], strict=True):
            if each.kind != _REPLACED:
                continue
            at, until = instant(each.at or ""), None if following is None else instant(following.at or "")
            fitting = [member for member in sorted(others) if _fits(named[key[0], member], at, until)]
            replaced = each.member or (None if following is None else following.detail.get("old_member"))
            its = replaced or (fitting[0] if len(fitting) == 1 else None)
            if isinstance(its, str):
                yield key[0], its, at


def _fits(named: Sequence[int], at: int, until: int | None) -> bool:
    """Whether a member that the broker names at these times can have joined then; one that is gone `until` is named."""
    if until is None:
        return all(time >= at for time in named)
    return bool(named) and at <= min(named) and max(named) <= until
