"""The rebalances of a classic group, as its broker prints them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from groupsim.diagnosis.finding import Remedy
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind


@dataclass(slots=True)
class Rebalance:
    """A rebalance of a classic group as its broker prints it; any of the three lines may be missing."""

    start: Said | None = None
    stable: Said | None = None
    stored: Said | None = None
    members: int | None = None
    first: bool = False
    """Whether it is the group's first, of an empty group."""

    @property
    def reason(self) -> str:
        """Why it began, as the broker says it."""
        return self.start.reason if self.start is not None else ""

    @property
    def waited_ms(self) -> int | None:
        """From its start until all had joined."""
        if self.start is None or self.stable is None or self.start.at is None or self.stable.at is None:
            return None
        return self.stable.at - self.start.at

    @property
    def said(self) -> list[Said]:
        """Its lines."""
        return [line for line in (self.start, self.stable, self.stored) if line is not None]


OFTEN = 2_000
"""A generation or epoch that a group reaches in years, or because it rebalances all the time."""

WHY_SO_OFTEN = (
    Remedy(
        "read the broker's log from before: each rebalance begins with `Preparing to rebalance group`, and its reason",
        brief="read the reasons in the broker's log",
    ),
)


def rebalanced_times(said: Sequence[Said]) -> int:
    """How many rebalances a group has had by its highest generation or epoch; 0 where that is nothing to speak of."""
    highest = highest_number(said)
    return highest if highest >= OFTEN else 0


def never_assigned(rebalances: Sequence[Rebalance], founded: Sequence[int], removed: Said) -> int | None:
    """How long, ms, the only member of a generation was in it before it was `removed`, and no line says that it
    assigned it, as its leader does. `founded`: the numbers of the lines with which a member came into an empty group.
    """
    for rebalance in rebalances:
        stable = rebalance.stable
        if stable is None or rebalance.stored is not None or rebalance.members not in (None, 1):
            continue
        later = [r for r in rebalances if r.stable is not None and r.stable.nth > stable.nth]
        alone = rebalance.members == 1 or any(nth < stable.nth for nth in founded)
        if not later and alone and stable.nth < removed.nth and stable.at is not None and removed.at is not None:
            return removed.at - stable.at
    return None


def highest_number(said: Sequence[Said]) -> int:
    """The highest generation or epoch in sight; 0 where there is none."""
    numbers = (line.row.detail.get(name) for line in said for name in ("generation", "epoch"))
    return max((number for number in numbers if isinstance(number, int)), default=0)


def rebalances_of(broker: Sequence[Said]) -> Iterator[Rebalance]:
    current: Rebalance | None = None
    for line in broker:
        kind = line.row.kind
        if kind is RowKind.REBALANCE_START:
            if current is not None:
                yield current
            current = Rebalance(start=line, first=line.row.detail.get("old_generation") == 0)
        elif kind is RowKind.STABILIZED:
            if current is None or current.stable is not None:
                if current is not None:
                    yield current
                current = Rebalance()
            current.stable = line
            members = line.row.detail.get("members")
            current.members = members if isinstance(members, int) else None
        elif kind is RowKind.ASSIGNMENT_RECEIVED:
            if current is None or current.stored is not None:
                if current is not None:
                    yield current
                current = Rebalance()
            current.stored = line
        elif kind in (RowKind.GROUP_EMPTY, RowKind.GROUP_DEAD) and current is not None:
            yield current
            current = None
    if current is not None:
        yield current
