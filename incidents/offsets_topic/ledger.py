"""What the records of one group say of its members: who came and went, who held which partition, and how sure that is.

Times are milliseconds since 1970, by the broker's clock.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from groupsim.events.types import NO_GENERATION, MemberId, TopicPartition
from groupsim.incidents.logs.row_kinds import RowKind


class Said(NamedTuple):
    """What a broker's log would say of a step: a kind of row with its details."""

    at_ms: int
    kind: RowKind
    member: MemberId | None
    detail: dict[str, object]
    place: str


class View(NamedTuple):
    """What a member held from an instant on, and its generation or epoch; NO_GENERATION: it is not in the group.

    `waited`: it asked to be in that generation some time before, and may have been gone when it began.
    """

    at_ms: int
    generation: int
    partitions: frozenset[TopicPartition]
    place: str
    waited: bool = False


class MemberFields(NamedTuple):
    """What a record says of a member; None and nothing where it does not."""

    client: str | None = None
    host: str | None = None
    instance: str | None = None
    topics: tuple[str, ...] = ()


@dataclass(slots=True)
class Membership:
    """One member id from its first record to its last; `gone_ms` is None while it is in the group."""

    member: MemberId
    client: str | None
    host: str | None
    instance: str | None
    topics: tuple[str, ...]
    since_ms: int
    place: str
    views: list[View] = field(default_factory=list)
    gone_ms: int | None = None
    gone_place: str = ""


class Pause(NamedTuple):
    """Time in which a holder may not have served: from its last commit before `from_ms`, or from there if `exact`.

    It lasts until the next commit of any of the member's partitions after `to_ms`.
    """

    from_ms: int
    to_ms: int
    exact: bool


@dataclass(slots=True)
class Holding:
    """A partition given to a member: certainly not before `from_ms`, certainly not after `to_ms` (None: it still is).

    `served_to_ms`: it was certainly not given up before; what lies between there and `to_ms` is not known. `proven`: it
    was served at `from_ms`.
    """

    member: MemberId
    partition: TopicPartition
    from_ms: int
    served_to_ms: int
    to_ms: int | None = None
    pauses: list[Pause] = field(default_factory=list)
    proven: bool = False


class Ledger:
    """Collects memberships, holdings and what a broker would have said, in order of time.

    `missing`: the generations and epochs without a record, first and last of each gap.
    """

    def __init__(self) -> None:
        self.said: list[Said] = []
        self.memberships: dict[MemberId, Membership] = {}
        self.holdings: list[Holding] = []
        self.notes: dict[str, None] = {}
        self.missing: dict[str, list[tuple[int, int]]] = {}
        self._open: dict[tuple[MemberId, TopicPartition], Holding] = {}
        self._views: dict[MemberId, frozenset[TopicPartition]] = {}

    def say(self, at_ms: int, place: str, kind: RowKind, member: MemberId | None = None, **detail: object) -> None:
        """Add what a broker would have said."""
        self.said.append(Said(at_ms, kind, member, detail, place))

    def lacks(self, what: str, first: int, last: int) -> None:
        """Generations or epochs (`what`) that have no record."""
        if first <= last:
            self.missing.setdefault(what, []).append((first, last))

    def appear(self, at_ms: int, place: str, member: MemberId, said: MemberFields) -> None:
        """A member is in the group (again)."""
        known = self.memberships.get(member)
        if known is None:
            self.memberships[member] = Membership(
                member, said.client, said.host, said.instance, said.topics, at_ms, place
            )
        else:
            known.gone_ms = None

    def held(self, member: MemberId) -> frozenset[TopicPartition]:
        """What a member holds now."""
        return self._views.get(member, frozenset())

    def hold(
        self,
        member: MemberId,
        at_ms: int,
        partitions: Set[TopicPartition],
        generation: int,
        place: str,
        *,
        waited: bool = False,
    ) -> None:
        """From now on the member holds exactly these; `waited`: see View."""
        before, now = self.held(member), frozenset(partitions)
        for partition in sorted(before - now):
            self._open.pop((member, partition)).to_ms = at_ms
        for partition in sorted(now - before):
            holding = Holding(member, partition, at_ms, at_ms)
            self._open[member, partition] = holding
            self.holdings.append(holding)
        self._views[member] = now
        views = self.memberships[member].views
        if not views or views[-1].partitions != now or views[-1].generation != generation:
            views.append(View(at_ms, generation, now, place, waited))

    def pause(
        self, member: MemberId, partitions: Collection[TopicPartition], from_ms: int, to_ms: int, *, exact: bool
    ) -> None:
        """The member may not have served these partitions, which it kept."""
        for partition in partitions:
            if (holding := self._open.get((member, partition))) is not None:
                holding.pauses.append(Pause(from_ms, to_ms, exact))

    def served_to(self, member: MemberId, partitions: Collection[TopicPartition], at_ms: int) -> None:
        """The member had not given these partitions up before this instant."""
        for partition in partitions:
            if (holding := self._open.get((member, partition))) is not None:
                holding.served_to_ms = max(holding.served_to_ms, at_ms)

    def gone(self, member: MemberId, at_ms: int, place: str, *, said: bool = True, by: str | None = None) -> None:
        """The member is no longer in the group; `by` what that is known, if not by its own record."""
        known = self.memberships.get(member)
        if known is None or known.gone_ms is not None:
            return
        self.hold(member, at_ms, frozenset(), NO_GENERATION, place)
        known.gone_ms, known.gone_place = at_ms, place
        if said:
            self.say(at_ms, place, RowKind.MEMBER_GONE, member, by=by)

    def has(self, member: MemberId) -> bool:
        """Whether the member is in the group now."""
        known = self.memberships.get(member)
        return known is not None and known.gone_ms is None

    def present(self) -> list[MemberId]:
        """The members in the group now, in order of their first coming."""
        return [member for member, known in self.memberships.items() if known.gone_ms is None]
