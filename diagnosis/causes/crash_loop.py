"""The same client joins and vanishes again and again."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, one_or_many, span, until_back
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Departure, Going
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program
from groupsim.wording.times import duration

_AGAIN = 3
_SPREAD = 0.01
"""Lives that differ by less, as a share, were ended by a timer."""
_DO = (
    Remedy(
        "find out why the process ends: its own last lines, its exit code, the platform's events",
        brief="find out why it ends; on SIGTERM call close()",
    ),
    Remedy(
        "and call close() before the process ends (on SIGTERM; terminationGracePeriodSeconds), so that nobody waits for"
        " session.timeout.ms",
        ("terminationGracePeriodSeconds", "session.timeout.ms"),
    ),
)
_DO_SEVERAL = (_DO[0]._replace(brief="find out why they end; on SIGTERM call close()"), *_DO[1:])


_TIMER = Remedy(
    "find what ends the process after that time (a limit of a job, a script, a loop that ends), and remove it or"
    " make it longer",
    brief="find that timer, and call close()",
)
_TIMER_PYTHON = Remedy(
    "find what ends the process after that time (consumer_timeout_ms, a limit of a job, a script), and remove it or"
    " make it longer",
    brief="find that timer (consumer_timeout_ms?), and call close()",
)


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
    lives = _like_a_timer(log, who)
    said = [line for line, _ in lives] or [d.first for d in again]
    return Finding(
        code=Code.CRASH_LOOP,
        certainty=Certainty.LIKELY,
        what=_sentence(log, who, again, lives),
        members=who,
        times=max(len(again), len(lives)),
        evidence=evidence_of(said)._replace(last_ms=span([*said, *until_back(log, again)])[1]),
        do=_remedies(log, who, timer=bool(lives)),
        confirm="the process's own log and exit status",
        harm_ms=15_000 * len(again),
    )


def _remedies(log: GroupLog, who: tuple[str, ...], *, timer: bool) -> tuple[Remedy, ...]:
    if timer:
        return _TIMER_PYTHON if Program.KAFKA_PYTHON in log.libraries else _TIMER, *_DO[1:]
    return _DO if len(who) == 1 else _DO_SEVERAL


def _sentence(log: GroupLog, who: tuple[str, ...], again: list[Departure], lives: list[tuple[Said, int]]) -> str:
    """How often; and by the client's own log, how long it had nothing each time."""
    name = one_or_many(log.called(who), "clients")
    name = f"{name} of {log.group}" if log.group and log.group not in name else name
    ended = f"{name} ended {max(len(again), len(lives))} times without close()"
    if lives:
        return f"{ended}, each time {duration(sum(ms for _, ms in lives) / len(lives))} after its start, like a timer"
    away = [ms for d in again if (ms := _away_ms(log, d)) is not None]
    if len(away) != len(again) or not away:
        beside = _had_another(log, again) if len(who) == 1 else 0
        if not beside and all(log.came_back(d) is not None for d in again):
            return f"{name} vanished and came back {len(again)} times without close()"
        there = "another member of its client id was there before the old one was removed"
        how_often = "each time" if beside == len(again) else f"{beside} of these times"
        return f"{ended}; {how_often} {there}" if beside else ended
    least, most = duration(min(away)), duration(max(away))
    long = least if least == most else f"{least} to {most}"
    return f"{ended}: no partitions for {long} each time"


def _had_another(log: GroupLog, again: list[Departure]) -> int:
    """How many of the only client's members went while another one of its client id was in the group."""
    came = {join.member: join.said.nth for join in log.joins}
    went = {departure.member: departure.removed.nth for departure in again}
    times = [
        (member, came.get(member, -1), went.get(member, -1 if member in came else last))
        for member, (_, last) in log.mentions.items()
        if log.who(member) == again[0].who
    ]
    return sum(
        departure.by_broker
        and any(
            member != departure.member and begin < departure.removed.nth and (end < 0 or end > departure.removed.nth)
            for member, begin, end in times
        )
        for departure in again
    )


def _like_a_timer(log: GroupLog, who: tuple[str, ...]) -> list[tuple[Said, int]]:
    """The last line of each process of the only client, and how long it ran, where all ran equally long: no crash does
    so. The last process counts where its log ends with the same kind of line as the others'.
    """
    processes = log.incarnations.get(who[0], []) if len(who) == 1 else []
    alike = len({process.said[-1].row.kind for process in processes}) == 1
    ended = processes if alike else processes[:-1]
    lives = [
        (end, end.at - begin.at)
        for process in ended
        if process.begins and not process.closed
        for begin, end in [(process.said[0], process.said[-1])]
        if begin.at is not None and end.at is not None
    ]
    times = [ms for _, ms in lives]
    regular = len(times) >= _AGAIN and max(times) - min(times) < _SPREAD * min(times)
    return lives if regular and len(lives) == len(ended) else []


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
