"""A roll to the other group protocol as a what-if: what it costs a recorded group, member by member.

The group's members, programs and settings, in a quiet time: each member closes and comes back with the other protocol,
one after the other, each when the group has settled again. Beside it the same roll without a change, which any
deployment costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from groupsim.replay.choice import Choice
from groupsim.replay.cost import Cost, replayed_cost
from groupsim.replay.player import GROUP, replay_incident
from groupsim.replay.reconstruct.incarnation import Ending, Incarnation
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, INITIAL_DELAY
from groupsim.replay.reconstruct.members import Member
from groupsim.replay.window import Window
from groupsim.simulation.clients.config import CLASSIC, CONSUMER

DOWNTIME_MS = 2_000
"""How long a restarted member is away, where the record shows no restart."""
_START_MS, _SETTLE_MS, _BEATS = 200, 5_000, 3
_BEFORE_MS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """What a roll to `protocol` costs, by seed, and `plain`, the same roll without another protocol.

    `downtime_ms`: how long each member is away, `recorded`: as the record's restarts were; `step_ms`: from one close to
    the next. `failures`: why simulations could not go on.
    """

    protocol: str
    costs: tuple[Cost, ...]
    plain: tuple[Cost, ...]
    downtime_ms: int
    recorded: bool
    step_ms: int
    members: int
    failures: tuple[str, ...] = ()


def migrate(incident: Incident, choice: Choice, seeds: Sequence[int]) -> Migration:
    """Roll a recorded group to the protocol of a choice, and without a change. Raises GroupSimError."""
    protocol = choice.protocol or CONSUMER
    recorded = _recorded_downtime_ms(incident)
    downtime = DOWNTIME_MS if recorded is None else recorded
    step = (
        downtime + _SETTLE_MS + _BEATS * max([incident.settings[HEARTBEAT], *incident.open_settings.get(HEARTBEAT, ())])
    )
    failures: list[str] = []
    costs = {
        to: tuple(_costs(_rolled(incident, to, downtime, step), choice, seeds, failures)) for to in (protocol, None)
    }
    return Migration(
        protocol=protocol,
        costs=costs[protocol],
        plain=costs[None],
        downtime_ms=downtime,
        recorded=recorded is not None,
        step_ms=step,
        members=len(incident.members),
        failures=tuple(dict.fromkeys(failures)),
    )


def _costs(rolled: Incident, choice: Choice, seeds: Sequence[int], failures: list[str]) -> Iterator[Cost]:
    """From just before the first close to the end."""
    begins = min(member.incarnations[0].ends_ms or 0 for member in rolled.members) - _BEFORE_MS
    as_it_is = replace(choice, protocol=None)
    for seed in seeds:
        played = replay_incident(rolled, as_it_is, seed)
        if played.failure is not None:
            failures.append(played.failure)
        window = Window(begins, rolled.ends_ms, given=True)
        yield replayed_cost(played.facts, GROUP, window, played.from_ms, played.to_ms)


def _rolled(incident: Incident, to: str | None, downtime_ms: int, step_ms: int) -> Incident:
    """The incident of a roll to a protocol; None: each member keeps its own."""
    begins = 2 * step_ms + 2 * incident.settings[INITIAL_DELAY]
    members = tuple(
        Member(member.name, tuple(_twice(member, number, to, begins + number * step_ms, downtime_ms)), member.program)
        for number, member in enumerate(incident.members)
    )
    return replace(
        incident,
        members=members,
        topics={**incident.topics, **{growth.topic: growth.partitions for growth in incident.growths}},
        growths=(),
        failovers=(),
        rejoins=(),
        ends_ms=begins + (len(members) + 1) * step_ms,
    )


def _twice(member: Member, number: int, to: str | None, closes_ms: int, downtime_ms: int) -> Iterator[Incarnation]:
    """A member before and after its restart; before with the protocol of its first process, unless that is the new."""
    first = member.incarnations[0]
    before = protocol_before(first.protocol, to)
    for back, starts_ms in ((False, number * _START_MS), (True, closes_ms + downtime_ms)):
        yield replace(
            first,
            name=f"{member.name}.{int(back)}",
            protocol=to or before if back else before,
            starts_ms=starts_ms,
            added_ms=None,
            ends_ms=None if back else closes_ms,
            ending=None if back else Ending.CLOSE,
            expired_ms=None,
            stalls=[],
            subscriptions=[],
            admissions=[],
            joins_sent=[],
            joins_answered=[],
            syncs_answered=[],
            beats_from=[],
            heartbeats=[],
            reactions=[],
            line_times=[],
        )


def protocol_before(recorded: str, to: str | None) -> str:
    """The protocol from which a member is rolled."""
    if to is None or recorded != to:
        return recorded
    return CLASSIC if to == CONSUMER else CONSUMER


def _recorded_downtime_ms(incident: Incident) -> int | None:
    """How long restarted members were away, in the median; None: no member was restarted."""
    found = [
        after.starts_ms - before.ends_ms
        for member in incident.members
        for before, after in pairwise(member.incarnations)
        if before.ending == Ending.CLOSE and before.ends_ms is not None and after.starts_ms is not None
    ]
    return max(1, round(median(found))) if found else None
