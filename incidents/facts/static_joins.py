"""When static members joined classic groups, from a broker's lines: those of a return do not name the new member id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from groupsim.incidents.logs.rows import Row, is_broker
from groupsim.incidents.logs.times import instant

_Instance = tuple[str | None, str]
_REPLACED = "static_member_replaced"


def static_joins(rows: Sequence[Row]) -> Iterator[tuple[str | None, str, int]]:
    """(group, member id, UTC ms) of each static member that replaced one.

    Its id is the one that the next return replaces. The last one's is the only id that the clients of that instance
    name and the broker does not.
    """
    chains: dict[_Instance, list[Row]] = defaultdict(list)
    of_clients: dict[_Instance, set[str]] = defaultdict(set)
    for row in rows:
        instance = row.detail.get("instance")
        if row.at is None or not isinstance(instance, str):
            continue
        if is_broker(row) and row.kind in (_REPLACED, "member_id_created"):
            chains[row.group, instance].append(row)
        elif row.kind == "joined" and row.member is not None:
            of_clients[row.group, instance].add(row.member)
    for key, chain in chains.items():
        chain.sort(key=lambda row: row.at or "")
        others = of_clients[key] - {each for row in chain for each in (row.member, row.detail.get("old_member"))}
        last = others.pop() if len(others) == 1 else None
        for each, following in zip(chain, [*chain[1:], None], strict=True):
            named = each.member or (last if following is None else following.detail.get("old_member"))
            if each.kind == _REPLACED and isinstance(named, str):
                yield key[0], named, instant(each.at or "")
