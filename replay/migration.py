"""A change to the other group protocol as a what-if: what it costs a recorded group, in one of two forms.

The group's members, programs and settings, in a quiet time. `ROLLING`: each member closes and comes back with the other
protocol, one after the other, each when the group has settled again. `STOP_ALL`: all close together, and come back
together. Beside it the same without another protocol, which any deployment costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from groupsim.replay.choice import Choice
from groupsim.replay.choice_result import Range, range_of
from groupsim.replay.cost import Cost, replayed_cost
from groupsim.replay.player import replay_incident
from groupsim.replay.reconstruct.client_library import offered_assignors
from groupsim.replay.reconstruct.incarnation import Ending, Incarnation
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, INITIAL_DELAY, SESSION
from groupsim.replay.reconstruct.members import Member
from groupsim.replay.replayed_group import GROUP
from groupsim.replay.window import Window
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, LIBRDKAFKA, REFUSED
from groupsim.simulation.clients.traits import CONSUMER_TRAITS

DOWNTIME_MS = 2_000
"""How long a restarted member is away, where the record shows no restart."""
_START_MS, _SETTLE_MS, _BEATS = 200, 5_000, 3
_BEFORE_MS, _AFTER_MS = 100, 1_000
_AS_RECORDED = "as in the record"
ROLLING, STOP_ALL = "rolling", "stop-all"
FORMS = (ROLLING, STOP_ALL)
OTHER_CLIENT = LIBRDKAFKA
"""What members become whose client does not speak the consumer protocol."""
GROUP_HEARTBEAT = "group.consumer.heartbeat.interval.ms"


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """What a change to `protocol` costs, by seed, and `plain`, the same without another protocol.

    `downtime_ms`: how long each member is away; `away`: why so long; `recorded`: as the record's restarts were;
    `step_ms`: from one close to the next of a roll. `failures`: why simulations could not go on, or ended too early.
    """

    protocol: str
    form: str
    costs: tuple[Cost, ...]
    plain: tuple[Cost, ...]
    downtime_ms: int
    away: str
    recorded: bool
    step_ms: int
    members: int
    failures: tuple[str, ...] = ()

    def measured(self, name: str, *, plain: bool = False) -> Range:
        """One measure of `Cost` over the seeds; `plain`: without another protocol."""
        return range_of([getattr(cost, name) for cost in (self.plain if plain else self.costs)])


def migrate(incident: Incident, choice: Choice, seeds: Sequence[int], form: str = ROLLING) -> Migration:
    """Change a recorded group to the protocol of a choice, and restart it without a change. Raises GroupsimError.

    A group of a client without the consumer protocol comes back as one of `OTHER_CLIENT`.
    """
    protocol = choice.protocol or CONSUMER
    downtime, away = _downtime(incident, choice, form)
    step = downtime + _SETTLE_MS + _BEATS * _slowest_beat_ms(incident, choice)
    failures: list[str] = []
    changed = replace(incident, client=client_after(incident, protocol))
    return Migration(
        protocol=protocol,
        form=form,
        costs=tuple(_costs(_planned(changed, protocol, downtime, step, form), choice, seeds, failures)),
        plain=tuple(
            _costs(_planned(incident, None, downtime, step, form), _without(incident, choice), seeds, failures)
        ),
        downtime_ms=downtime,
        away=away,
        recorded=away == _AS_RECORDED,
        step_ms=step,
        members=len(incident.members),
        failures=tuple(dict.fromkeys(failures)),
    )


def _downtime(incident: Incident, choice: Choice, form: str) -> tuple[int, str]:
    """How long (ms) each member is away, and why."""
    recorded = _recorded_downtime_ms(incident)
    if choice.restart_ms is not None:
        return choice.restart_ms, "as given"
    if form == STOP_ALL and user_data(incident) and static(incident, choice):
        session = max([incident.settings[SESSION], *incident.open_settings.get(SESSION, ())])
        return session + _AFTER_MS, "until their session has passed: static members stay in the group"
    return (DOWNTIME_MS, "assumed: the record has no restart") if recorded is None else (recorded, _AS_RECORDED)


def static(incident: Incident, choice: Choice) -> bool:
    """Whether members are static with a choice, so that one that closes stays in the group until its session ends."""
    return any(member.instance for member in incident.members) if choice.static is None else choice.static


def user_data(incident: Incident) -> bool:
    """Whether members put data of their own into assignments, so that a coordinator does not convert their group."""
    classic = [incarnation for incarnation in incident.incarnations if incarnation.protocol == CLASSIC]
    offered = {name for incarnation in classic for name in offered_assignors(incarnation, incident.generations)}
    return incident.client == LIBRDKAFKA and "cooperative-sticky" in offered


def client_after(incident: Incident, protocol: str) -> str:
    """The client library after a change of protocol: another one, if this has not got it."""
    return OTHER_CLIENT if protocol == CONSUMER and incident.client not in CONSUMER_TRAITS else incident.client


def _slowest_beat_ms(incident: Incident, choice: Choice) -> int:
    chosen = [str(choice.settings.get(name, "")) for name in (HEARTBEAT, GROUP_HEARTBEAT)]
    known = [incident.settings[HEARTBEAT], *incident.open_settings.get(HEARTBEAT, ())]
    return max([*known, *(int(text) for text in chosen if text.isdigit())])


def _without(incident: Incident, choice: Choice) -> Choice:
    """A choice without what members of the recorded protocol do not take."""
    used = {each.protocol for each in incident.incarnations}
    refused = {name for protocol in used for name in REFUSED[protocol]} if len(used) == 1 else set()
    return replace(choice, settings={name: value for name, value in choice.settings.items() if name not in refused})


def _costs(planned: Incident, choice: Choice, seeds: Sequence[int], failures: list[str]) -> Iterator[Cost]:
    """From just before the first close to the end."""
    begins = min(member.incarnations[0].ends_ms or 0 for member in planned.members) - _BEFORE_MS
    as_it_is = replace(choice, protocol=None, restart_ms=None)
    for seed in seeds:
        played = replay_incident(planned, as_it_is, seed)
        if played.failure is not None:
            failures.append(played.failure)
        cost = replayed_cost(
            played.facts, GROUP, Window(begins, planned.ends_ms, given=True), played.from_ms, played.to_ms
        )
        if cost.cut:
            failures.append("a simulation ends before all partitions are held again: the amounts are lower bounds")
        yield cost


def _planned(incident: Incident, to: str | None, downtime_ms: int, step_ms: int, form: str) -> Incident:
    """The incident of a change to a protocol; None: each member keeps its own."""
    begins = 2 * step_ms + 2 * incident.settings[INITIAL_DELAY]
    apart = step_ms if form == ROLLING else 0
    members = tuple(
        Member(member.name, tuple(_twice(member, number, to, begins + number * apart, downtime_ms)), member.program)
        for number, member in enumerate(incident.members)
    )
    return replace(
        incident,
        members=members,
        topics={**incident.topics, **{growth.topic: growth.partitions for growth in incident.growths}},
        growths=(),
        failovers=(),
        rejoins=(),
        ends_ms=begins + (len(members) - 1) * apart + 2 * step_ms,
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
