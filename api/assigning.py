"""`groupsim.assign`: what an assignor answers, without a simulation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from groupsim.api import html
from groupsim.api.errors import BadRequest
from groupsim.api.values import mapping_of, one_or_more

if TYPE_CHECKING:
    import pandas as pd

MemberLike: TypeAlias = "Iterable[str] | Mapping[str, Any]"
"""The topics that a member subscribes to, or a dict: `topics`, and `owned` ([topic, partition] pairs), `generation`,
`group_instance_id`, `rack`."""
_OF_A_MEMBER = ("topics", "owned", "generation", "group_instance_id", "rack", "stale")

ASSIGNED = {"member": "string", "topic": "string", "partition": "int64"}
"""One row a partition that a member gets."""


@dataclass(frozen=True, repr=False)
class Assignment:
    """What one assignor answered. `partitions`: by member the (topic, partition) pairs; `metrics`: balance, moves."""

    assignor: str
    partitions: Mapping[str, list[tuple[str, int]]]
    metrics: Mapping[str, Any]

    def __getitem__(self, member: str) -> list[tuple[str, int]]:
        return self.partitions[member]

    def to_dict(self) -> dict[str, Any]:
        """By member a list of [topic, partition], as `groupsim assign` prints it."""
        return {member: [list(each) for each in owned] for member, owned in self.partitions.items()}

    def to_frame(self) -> pd.DataFrame:
        """One row a partition: columns `ASSIGNED`."""
        from groupsim.analysis.tables.frames import table

        rows = [(member, *each) for member, owned in self.partitions.items() for each in owned]
        return table((dict(zip(ASSIGNED, row, strict=True)) for row in rows), ASSIGNED)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{member}: {len(owned)}" for member, owned in self.partitions.items())
        return f"<Assignment by {self.assignor}: {sizes}>"

    def _repr_html_(self) -> str:
        rows = [(m, len(owned), ", ".join(f"{t}-{n}" for t, n in owned)) for m, owned in self.partitions.items()]
        return html.page(self.assignor, html.table(("member", "number", "partitions"), rows))


def assign(
    assignor: str,
    *,
    topics: Mapping[str, int],
    members: Mapping[str, MemberLike],
    racks: Mapping[str, Any] | None = None,
) -> Assignment:
    """What Kafka's assignor of this name gives each member.

    Args:
        assignor: such as "range", "cooperative-sticky"; `groupsim assignors` lists them.
        topics: the number of partitions of each topic: `{"orders": 6}`.
        members: by member id the topics that it subscribes to; or a dict, to say more of it:
            `{"m1": {"topics": ["orders"], "owned": [("orders", 0)]}}` (also `generation`, `group_instance_id`, `rack`).
        racks: by topic the racks of each partition's replicas.

    Raises:
        GroupsimError: for a group that can't be, and where the assignor itself fails.

    >>> import groupsim
    >>> groupsim.assign("range", topics={"orders": 3}, members={"m1": ["orders"], "m2": ["orders"]})["m1"]
    [('orders', 0), ('orders', 1)]
    """
    from groupsim.assignors import ASSIGNORS
    from groupsim.assignors.problem_files import answer, read
    from groupsim.coordinator.config import near

    if assignor not in ASSIGNORS:
        raise BadRequest(f"unknown assignor {assignor!r}{near(assignor, ASSIGNORS)}; known: {', '.join(ASSIGNORS)}")
    mapping_of(topics, "topics", '{"orders": 6}')
    mapping_of(members, "members", '{"m1": ["orders"]}')
    problem = {"topics": dict(topics), "members": [_member(name, each) for name, each in members.items()]}
    problem |= {"partition_racks": racks} if racks else {}
    found = answer(read(msgspec.json.encode({"id": "", "problem": problem})), [assignor])
    if errors := found.get("errors"):
        raise BadRequest(errors[assignor])
    owned = {m: [(topic, number) for topic, number in each] for m, each in found["assignments"][assignor].items()}
    return Assignment(assignor, owned, found["metrics"][assignor])


def _member(name: str, given: MemberLike) -> dict[str, Any]:
    if isinstance(given, Mapping):
        if strange := sorted(set(given) - set(_OF_A_MEMBER)):
            raise BadRequest(f"members[{name!r}] has no {strange[0]!r}; it may have {', '.join(_OF_A_MEMBER)}")
        return {"id": name, **given}
    return {"id": name, "topics": one_or_more(given)}
