"""The same client joins and vanishes again and again."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Departure, Going
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.times import duration

_AGAIN = 3
_DO = (
    Remedy(
        "find out why the process ends: its own last lines, its exit code, the platform's events",
        brief="close it on SIGTERM, and find out why it ends",
    ),
    Remedy(
        "and close the consumer on SIGTERM (terminationGracePeriodSeconds), so that nobody waits for"
        " session.timeout.ms",
        ("terminationGracePeriodSeconds", "session.timeout.ms"),
    ),
)
_DO_SEVERAL = (_DO[0]._replace(brief="close them on SIGTERM, and find out why they end"), *_DO[1:])


def _find(log: GroupLog) -> Finding | None:
    lost: dict[str, list[Departure]] = defaultdict(list)
    for departure in log.departures:
        if departure.going in (Going.EXPIRED, Going.CUT_OFF):
            lost[departure.who].append(departure)
    again = [d for gone in lost.values() if len(gone) >= _AGAIN for d in gone]
    many = sorted((d for gone in lost.values() for d in gone), key=lambda d: d.first.nth)
    if 2 * len(again) > len(many) or (
        not again and len(many) >= 2 * _AGAIN and len(names(d.who for d in many)) <= len(many) // 2
    ):  # those that vanished less often are of the same processes, under other names
        again = many
    leaves = sum(d.going in (Going.CLOSED, Going.LEFT) for d in log.departures)
    if not again or leaves > len(again) // 3:
        return None
    who = names(d.who for d in again)
    said = [d.first for d in again]
    return Finding(
        code=Code.CRASH_LOOP,
        certainty=Certainty.LIKELY,
        what=_sentence(log, who, again),
        members=who,
        times=len(again),
        evidence=evidence_of(said),
        do=_DO if len(who) == 1 else _DO_SEVERAL,
        confirm="the process's own log and exit status",
        harm_ms=15_000 * len(again),
    )


def _sentence(log: GroupLog, who: tuple[str, ...], again: list[Departure]) -> str:
    """How often; and by the client's own log, how long it had nothing each time."""
    name = one_or_many(log.called(who), "clients")
    name = f"{name} of {log.group}" if log.group and log.group not in name else name
    away = [ms for d in again if (ms := _away_ms(log, d)) is not None]
    if len(away) != len(again) or not away:
        return f"{name} vanished and came back {len(again)} times without leaving"
    least, most = duration(min(away)), duration(max(away))
    long = least if least == most else f"{least} to {most}"
    return f"{name} ended {len(again)} times without leaving: no partitions for {long} each time"


def _away_ms(log: GroupLog, departure: Departure) -> int | None:
    """From the last line of a process to the next assignment of its client, by its own log; None if none shows it."""
    if departure.going is not Going.CUT_OFF or departure.at is None:
        return None
    own = log.clients.get(departure.who, [])
    place = bisect_right(own, departure.said[-1].nth, key=lambda line: line.nth)
    back = next((line.at for line in own[place:] if line.row.kind is RowKind.ASSIGNED), None)
    return None if back is None else back - departure.at


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
