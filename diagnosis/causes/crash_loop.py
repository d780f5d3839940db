"""The same client joins and vanishes again and again."""

from __future__ import annotations

from collections import defaultdict

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Departure, Going
from groupsim.diagnosis.times import between

_AGAIN = 3
_DO = (
    Remedy(
        "find out why the process ends: its own last lines, its exit code, the platform's events",
        brief="find out why it ends",
    ),
    Remedy(
        "and close the consumer on SIGTERM (terminationGracePeriodSeconds), so that nobody waits for"
        " session.timeout.ms",
        ("terminationGracePeriodSeconds", "session.timeout.ms"),
    ),
)


def _find(log: GroupLog) -> Finding | None:
    lost: dict[str, list[Departure]] = defaultdict(list)
    for departure in log.departures:
        if departure.going in (Going.EXPIRED, Going.CUT_OFF):
            lost[departure.who].append(departure)
    again = [d for gone in lost.values() if len(gone) >= _AGAIN for d in gone]
    many = [d for gone in lost.values() for d in gone]
    if not again and len(many) >= 2 * _AGAIN and len(names(d.who for d in many)) <= len(many) // 2:
        again = many
    leaves = sum(d.going in (Going.CLOSED, Going.LEFT) for d in log.departures)
    if not again or leaves > len(again) // 3:
        return None
    who = names(d.who for d in again)
    said = [d.first for d in again]
    name = one_or_many(who, "clients")
    return Finding(
        code=Code.CRASH_LOOP,
        certainty=Certainty.LIKELY,
        what=f"{name} joined and vanished {len(again)} times{between(said)}, each time without leaving the group",
        members=who,
        times=len(again),
        evidence=evidence_of(said),
        do=_DO,
        confirm="the process's own log and exit status",
        harm_ms=15_000 * len(again),
    )


CAUSE = Cause(
    code=Code.CRASH_LOOP,
    title="Crash loop",
    means="The same client joins and vanishes again and again, each time found only when its session ends. Its old"
    " memberships pile up, and each new start waits for them.",
    seen=(Message("Broker", "Member … has failed, removing it from the group, repeated for one client id"),),
    do=_DO,
    find=_find,
    symptoms=("my group rebalances all the time",),
)
