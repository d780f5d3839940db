"""constrained-cooperative-sticky: the linear algorithm for equal subscriptions of a rejected KIP."""

from __future__ import annotations

import numpy as np

from groupsim.assignors.errors import Refused
from groupsim.assignors.kafka.java_order import java_sorted
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes
from groupsim.assignors.prior_ownership import settle
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec


def constrained_cooperative_sticky(spec: Spec) -> Answer:
    """Sizes differ by one at most; unchanged input gives unchanged output; what moves is withheld for the follow-up.

    Members of an older generation than the newest keep nothing, partitions claimed twice are kept by nobody. Where
    partitions run out, each full member gives its first one, as the only released code of this algorithm did
    (Kafka 2.4.1). Refused if two members subscribe differently.
    """
    group = Group.of(spec)
    _equal_or_refused(group)
    if not group.members:
        return {}
    lists, rest = _keep(group)
    floor = int(group.counts.sum()) // len(group.members)
    full = [i for i in _sorted(group) if len(lists[i]) > floor]
    kept = [set(codes) for codes in lists]
    queue = iter(rest)
    for i in _sorted(group):
        while len(lists[i]) < floor:
            code = next(queue, None)
            if code is None:
                code = lists[full.pop(0)].pop(0)
            lists[i].append(code)
    one_more = iter([i for i in _sorted(group) if len(lists[i]) == floor])
    for code in queue:
        lists[next(one_more)].append(code)
    _withhold(group, lists, kept)
    owners = np.repeat(np.arange(len(lists), dtype=np.int64), [len(codes) for codes in lists])
    return group.answer(owners, np.array([code for codes in lists for code in codes], np.int64))


def _equal_or_refused(group: Group) -> None:
    sets: dict[frozenset[str], str] = {}
    for member in group.spec.members:
        sets.setdefault(frozenset(member.topics), member.id)
    if len(sets) > 1:
        one, other = list(sets.values())[:2]
        raise Refused(
            "constrained-cooperative-sticky takes only groups in which all members subscribe to the same topics; "
            f"{one!r} and {other!r} differ (cooperative-sticky takes both)"
        )


def _sorted(group: Group) -> list[int]:
    place = {member.id: i for i, member in enumerate(group.members)}
    return [place[name] for name in java_sorted(place)]


def _keep(group: Group) -> tuple[list[list[int]], list[int]]:
    """What each member keeps (up to the ceiling), and the rest: t0p0, t1p0, t0p1, ..."""
    claims = settle(group, grouped=False)
    ceiling = -(-int(group.counts.sum()) // len(group.members))
    every = group.all_codes()
    exists = (claims.codes & NUMBER) < group.counts[claims.codes >> TOPIC_SHIFT]
    lists: list[list[int]] = [[] for _ in group.members]
    for owner, code in zip(claims.owners[exists].tolist(), claims.codes[exists].tolist(), strict=True):
        if group.members[owner].generation == claims.generation and len(lists[owner]) < ceiling:
            lists[owner].append(code)
    kept = np.array([code for codes in lists for code in codes], np.int64)
    rest: Codes = every[~np.isin(every, kept)]
    return lists, rest[np.lexsort((rest >> TOPIC_SHIFT, rest & NUMBER))].tolist()


def _withhold(group: Group, lists: list[list[int]], kept: list[set[int]]) -> None:
    """Leave out what is new to a member while somebody else says it owns it: that member must revoke it first."""
    claimants: dict[int, set[int]] = {}
    for i, member in enumerate(group.members):
        for code in group.owned_codes(member).tolist():
            claimants.setdefault(code, set()).add(i)
    for i, codes in enumerate(lists):
        lists[i] = [code for code in codes if code in kept[i] or not claimants.get(code, set()) - {i}]
