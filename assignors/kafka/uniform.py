"""uniform: the server's default (KIP-848), for equal subscriptions; unequal ones go to `uniform_heterogeneous`."""

from __future__ import annotations

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.kafka.server_side import Target
from groupsim.assignors.kafka.uniform_heterogeneous import assign_heterogeneous
from groupsim.assignors.spec import Answer, Spec

REFUSED = "org.apache.kafka.coordinator.group.api.assignor.PartitionAssignorException"


def uniform(spec: Spec) -> Answer:
    """Kafka's UniformAssignor over the previous target (`Member.owned`). Lists are sorted: Kafka returns sets.

    AssignorError where Java throws, as after a topic was recreated with fewer partitions.
    """
    target = Target.of(spec)
    if not target.group.members or not any(target.subscribed):
        return {member.id: () for member in target.group.members}
    if target.homogeneous:
        return target.answer(_assign_homogeneous(target))
    return target.answer(assign_heterogeneous(target))


def _assign_homogeneous(target: Target) -> list[dict[int, set[int]]]:
    """UniformHomogeneousAssignmentBuilder.build: members in map order, the first ones get one more."""
    group = target.group
    ranks = list(target.subscribed[0])
    topics = target.in_set_order(ranks, _copied_capacity(len(ranks)))
    held = {(rank, number) for mine in target.owned for rank, numbers in mine.items() for number in numbers}
    free = [
        (rank, number) for rank in topics for number in range(int(group.counts[rank])) if (rank, number) not in held
    ]
    total = int(group.counts[ranks].sum())
    each, extra = divmod(total, len(group.members))
    sets: list[dict[int, set[int]]] = []
    room: list[int] = []
    for i, mine in enumerate(target.owned):
        kept, revoked, left = _within_quota(mine, set(ranks), each + (i < extra))
        sets.append(kept)
        free.extend(revoked)
        room.append(left)
    rest = iter(free)
    for kept, left in zip(sets, room, strict=True):
        for _, (rank, number) in zip(range(left), rest, strict=False):
            kept.setdefault(rank, set()).add(number)
    if next(rest, None) is not None:
        raise AssignorError(REFUSED, "Partitions were left unassigned")
    return sets


def _within_quota(
    mine: dict[int, list[int]], subscribed: set[int], quota: int
) -> tuple[dict[int, set[int]], list[tuple[int, int]], int]:
    """What a member keeps, what it must revoke, and the quota it has left (maybeRevokePartitions)."""
    kept: dict[int, set[int]] = {}
    revoked: list[tuple[int, int]] = []
    for rank, numbers in mine.items():
        if rank not in subscribed:
            continue
        keep = min(quota, len(numbers))
        quota -= keep
        if keep:
            kept[rank] = set(numbers[:keep])
        revoked.extend((rank, number) for number in numbers[keep:])
    return kept, revoked, quota


def _copied_capacity(size: int) -> int:
    """The table of `new HashSet<>(collection)`: a power of two above size / 0.75 + 1, at least 16."""
    wanted = max(int(size / 0.75) + 1, 16)
    return 1 << (wanted - 1).bit_length()
