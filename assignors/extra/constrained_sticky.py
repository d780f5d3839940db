"""constrained-cooperative-sticky: the linear algorithm for equal subscriptions of a rejected KIP."""

from __future__ import annotations

import numpy as np

from groupsim.assignors.errors import Refused
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec
from groupsim.events.types import NO_GENERATION


def constrained_cooperative_sticky(spec: Spec) -> Answer:
    """Sizes differ by one at most; unchanged input gives unchanged output; what moves is withheld for the follow-up.

    Members of an older generation than the newest keep nothing, nobody keeps partitions reported twice. Where
    partitions run out, each full member gives its first one, as the only released code of this algorithm did
    (Kafka 2.4.1). Refused if two members subscribe differently.
    """
    group = Group.of(spec)
    _equal_or_refused(group)
    if not group.members:
        return {}
    lists, rest = _keep(group)
    floor = int(group.counts.sum()) // len(group.members)
    members = group.by_id()
    full = [i for i in members if len(lists[i]) > floor]
    kept = [set(codes) for codes in lists]
    queue = iter(rest)
    for i in members:
        while len(lists[i]) < floor:
            code = next(queue, None)
            if code is None:
                code = lists[full.pop(0)].pop(0)
            lists[i].append(code)
    one_more = iter([i for i in members if len(lists[i]) == floor])
    for code in queue:
        lists[next(one_more)].append(code)
    _withhold(group, lists, kept)
    return group.answer_of(lists)


def _equal_or_refused(group: Group) -> None:
    sets: dict[frozenset[str], str] = {}
    for member in group.spec.members:
        sets.setdefault(frozenset(member.topics), member.id)
    if len(sets) > 1:
        first, second = list(sets.values())[:2]
        raise Refused(
            "constrained-cooperative-sticky takes only groups in which all members subscribe to the same topics; "
            f"{first!r} and {second!r} differ (cooperative-sticky takes both)"
        )


def _keep(group: Group) -> tuple[list[list[int]], list[int]]:
    """The partitions each member keeps (up to the ceiling), and the rest: t0p0, t1p0, t0p1, ..."""
    ceiling = -(-int(group.counts.sum()) // len(group.members))
    every = group.all_codes()
    newest = max(max(member.generation for member in group.members), NO_GENERATION)
    # By partition, not as reported: the answer does not depend on the order of the input.
    reported = [np.unique(group.owned_codes(m)) if m.generation == newest else every[:0] for m in group.members]
    codes, counts = np.unique(np.concatenate(reported), return_counts=True)
    once = codes[(counts == 1) & group.exists(codes)]
    lists = [own[np.isin(own, once)][:ceiling].tolist() for own in reported]
    kept = np.array([code for codes in lists for code in codes], np.int64)
    rest: Codes = every[~np.isin(every, kept)]
    return lists, rest[np.lexsort((rest >> TOPIC_SHIFT, rest & NUMBER))].tolist()


def _withhold(group: Group, lists: list[list[int]], kept: list[set[int]]) -> None:
    """Leave out what is new to a member while another member reports it: that one must revoke it first."""
    reporters: dict[int, set[int]] = {}
    for i, member in enumerate(group.members):
        for code in group.owned_codes(member).tolist():
            reporters.setdefault(code, set()).add(i)
    for i, codes in enumerate(lists):
        lists[i] = [code for code in codes if code in kept[i] or not reporters.get(code, set()) - {i}]
