"""simple: the group coordinator's assignor for share groups (KIP-932), as Kafka 4.4 has it.

A partition may have several members. Which ones depends on the order of hash sets of partitions and of members'
numbers, so on the ids of topics and members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.java.hash_order import MASK, computed_order, hash_order, table_size
from groupsim.assignors.java.topic_ids import hash_code
from groupsim.assignors.kafka.server_side import first_topics, id_bits, in_map_order, topics_by_name
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, code_of, flatten
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec


def share_simple(spec: Spec) -> Answer:
    """SimpleAssignor of Kafka 4.4 over the previous target (`Member.owned`). Lists are sorted: Kafka returns sets.

    Only partitions in `Spec.assignable` are given away. AssignorError (NoSuchElementException) where Java throws: the
    members that may have more run out while a partition still wants some.
    """
    group = Group.of(spec)
    owned = group.all_owned_codes()
    hashes = list(map(hash_code, id_bits(group, flatten(owned)[1])))
    had = [in_map_order(group, hashes, codes) for codes in owned]
    named = [
        [rank for rank in dict.fromkeys(group.rank[topic] for topic in member.topics) if group.counts[rank]]
        for member in group.members
    ]
    same = spec.equal_subscriptions
    if same is None:
        same = len({frozenset(ranks) for ranks in named}) < 2
    if not any(named):
        return {member.id: () for member in group.members}
    if same:
        # The coordinator's set of ids is not copied; a set of ids that somebody else gives is a HashSet already.
        coordinator = bool(group.spec.topic_ids)
        topics = topics_by_name(group, named[0]) if coordinator else first_topics(group, hashes, named[0])
        held = [[code_of(r, n) for r, numbers in mine.items() if r in topics for n in numbers] for mine in had]
        targets = [code for rank in topics for code in _assignable(group, rank)]
        result = _share(
            targets, range(len(held)), held, lambda code: 31 * hashes[code >> TOPIC_SHIFT] + (code & NUMBER)
        )
        return group.answer_of([sorted(codes) for codes in result])
    known = {rank for ranks in named for rank in ranks}
    result = [[code_of(r, n) for r, numbers in mine.items() if r not in known for n in numbers] for mine in had]
    for rank in sorted(known):
        takers = [i for i, ranks in enumerate(named) if rank in ranks]
        held = [[code_of(rank, number) for number in mine.get(rank, ())] for mine in had]
        shared = _share(_assignable(group, rank), takers, held, lambda code: code & NUMBER)
        for codes, more in zip(result, shared, strict=True):
            codes.extend(more)
    return group.answer_of([sorted(codes) for codes in result])


def _assignable(group: Group, rank: int) -> list[int]:
    """The partitions of a topic that may be given away."""
    numbers: Iterable[int] = range(int(group.counts[rank]))
    if group.spec.assignable is not None:
        initialised = group.spec.assignable.get(group.names[rank], ())
        numbers = (number for number in numbers if number in initialised)
    return [code_of(rank, number) for number in numbers]


def _share(
    targets: Sequence[int], takers: Sequence[int], held: Sequence[Sequence[int]], hash_of: Callable[[int], int]
) -> list[list[int]]:
    """Who gets which of `targets`, by member: what was kept of `held`, and what is new. `takers` may get some.

    `hash_of`: the hash code of a partition in Kafka's sets. Kafka: SimpleHomogeneousAssignmentBuilder over all topics,
    SimpleHeterogeneousAssignmentBuilder topic by topic; the steps are the same.
    """
    sharing = -(-len(takers) // len(targets)) if targets else 0
    due = [0] * len(held)
    precise = sharing * len(targets) / len(takers)
    for k, member in enumerate(takers):
        due[member] = ceil(precise * (k + 1)) - ceil(precise * k)
    holders: dict[int, list[int]] = {}
    for member, codes in enumerate(held):
        for code in codes:
            holders.setdefault(code, []).append(member)
    tables = {code: hash_order(members) for code, members in holders.items()}
    in_order = {code: [members[i] for i in tables[code]] for code, members in holders.items()}
    last_is_new = bool(targets) and targets[-1] not in holders
    mine = [list(codes) for codes in held]
    for member, codes in enumerate(mine):
        if len(codes) > due[member]:
            order = hash_order([hash_of(code) & MASK for code in codes])
            for at in order[: len(codes) - due[member]]:
                in_order[codes[at]].remove(member)
            mine[member] = [codes[at] for at in order[len(codes) - due[member] :]]
    for code, members in in_order.items():
        while len(members) > sharing:
            mine[members.pop(0)].remove(code)
    keys = list(dict.fromkeys((*holders, *targets)))
    capacity = table_size(int((len(targets) + 1) / 0.75 + 1))
    places = computed_order([hash_of(code) & MASK for code in keys], last_is_new, capacity)
    wanting = {keys[at]: in_order.get(keys[at], []) for at in places}
    _fill(wanting, sharing, [member for member in takers if len(mine[member]) < due[member]], due, mine)
    return mine


def _fill(
    wanting: Mapping[int, Sequence[int]], sharing: int, unfilled: list[int], due: Sequence[int], mine: list[list[int]]
) -> None:
    """Partitions with fewer than `sharing` holders, in map order, go round the members that have less than is due.

    `wanting`: partition -> its holders before. A member that meets the same partition twice in one circle counts
    twice, as in Kafka, and is given it once.
    """
    at, given = 0, False
    for code, members in wanting.items():
        missing = sharing - len(members)
        while missing > 0:
            if at >= len(unfilled):
                if not given:
                    break
                at, given = 0, False
                if not unfilled:
                    raise AssignorError("java.util.NoSuchElementException", "null")
            member = unfilled[at]
            at += 1
            if member in members:
                continue
            if code not in mine[member]:
                mine[member].append(code)
            missing -= 1
            given = True
            if len(mine[member]) >= due[member]:
                at -= 1
                del unfilled[at]
        if not unfilled:
            break
