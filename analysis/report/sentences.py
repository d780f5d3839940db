"""A run in plain words: which partitions were unavailable, for how long, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.blame.blame import Blame
from groupsim.analysis.blame.lever import lever
from groupsim.analysis.blame.steps import Step
from groupsim.analysis.report.reasons import sums
from groupsim.analysis.runs import Run
from groupsim.analysis.tables.bounds import Support
from groupsim.analysis.tables.headline import amount
from groupsim.wording.names import shown
from groupsim.wording.numbers import counted, partition_seconds, short_percent
from groupsim.wording.times import duration, moment

_SMALLEST_SHARE = 0.005
"""Smaller shares get no sentence."""

_WAITED_FOR = {
    "poll gap": "whose application did not poll for up to {}",
    "callback": "whose rebalance listener ran for up to {}",
    "commit": "which committed for up to {} before it revoked partitions",
    "assignor": "whose assignor ran for up to {}",
    "restore": "which rebuilt state for up to {}",
    "freeze": "whose process was frozen for up to {}",
    "pause": "whose application paused partitions for up to {}",
    "session.timeout.ms": "which was gone for up to {} before its session timed out",
    "heartbeat.interval.ms": "which got to know of the rebalance at its next heartbeat, up to {} later",
    "group.consumer.session.timeout.ms": "which was gone for up to {} before its session timed out",
    "group.consumer.heartbeat.interval.ms": "which was informed of the target at its next heartbeat, up to {} later",
    "max.poll.interval.ms": "which did not rejoin for up to {}, until the rebalance timeout",
    "retry.backoff.ms": "which waited up to {} before it retried a request",
    "group.instance.id": "a static member that restarted within {}",
    "network": "whose messages took up to {}",
}
"""What decides a duration -> what the member did meanwhile, with a placeholder for how long."""


def sentences(
    run: Run, summary: dict[str, Any], intervals: Sequence[Interval], support: Support | None = None
) -> tuple[list[str], list[str]]:
    """The lead (how much, and what could be changed), and further sentences, the larger reasons first.

    All of the time after start-up: `intervals` are without it, `summary` has it, too. `support`: what the total rests
    on.
    """
    pieces, origin = run.reasons_after_start, run.info.origin
    about = "about " if support is not None and support.bounded else ""
    shares = sorted([*_waited(pieces, run.steps, about), *_start(pieces)], reverse=True)
    why = [f"{short_percent(share)} of this time was {text}" for share, text in shares]
    much = _much(run, summary, intervals)
    if support is not None and support.precision.resolution_ms:
        return [much], [*_rest(summary)]  # what is short has the lengths that an import gave to coarse times
    most = lever(((piece.configuration, piece.member, piece.duration_ms) for piece in pieces), "this time")
    return [much, *([] if most is None else [most])], [*why, *_longest(intervals, origin, about), *_rest(summary)]


def _much(run: Run, summary: dict[str, Any], intervals: Sequence[Interval]) -> str:
    """The headline of the run as a sentence; of a total that is unknown, what the logs tell of it."""
    if not run.intervals:
        return "No log names a partition: export the logs of the clients, too."
    if run.unknown is None:
        return f"Unavailable: {run.headline}."
    if not any(i.unavailable for i in intervals):
        return "No time is known in which a partition was unavailable."
    return f"Unavailable, as far as the logs tell: {amount(summary['unavailable'])}."


def _waited(pieces: Sequence[Blame], steps: Sequence[Step], about: str) -> Iterator[tuple[float, str]]:
    total = sum(piece.duration_ms for piece in pieces)
    rows = sums(pieces, lambda b: None if b.member is None else f"{b.member}\0{b.configuration or ''}")
    largest = [row for row in rows if row[0] is not None and row[1] >= _SMALLEST_SHARE * total][:3]
    for key, partition_ms, _, longest_ms in largest:
        member, _, configuration = str(key).rpartition("\0")
        worst = _step_ms(member, configuration, pieces, steps) or longest_ms
        meanwhile = _WAITED_FOR.get(configuration.replace("group.streams.", "group.consumer."))
        clause = f", {meanwhile.format(f'{about}{duration(worst)}')}" if meanwhile else ""
        yield partition_ms / total, f"spent waiting for {shown(member, 60)}{clause}."


def _step_ms(member: str, configuration: str, pieces: Sequence[Blame], steps: Sequence[Step]) -> int:
    """The longest time for which the others waited for this member without a break."""
    if configuration in ("poll gap", "callback"):
        wanted = "poll" if configuration == "poll gap" else "callback"
        return max((s.to_ms - s.from_ms for s in steps if s.member == member and s.step == wanted), default=0)
    mine = (p.duration_ms for p in pieces if p.member == member and (p.configuration or "") == configuration)
    return max(mine, default=0)


def _longest(intervals: Sequence[Interval], origin: str | None, about: str) -> Iterator[str]:
    worst: Interval | None = None
    for i in intervals:
        if i.unavailable and (worst is None or i.duration_ms > worst.duration_ms):
            worst = i
    if worst is not None:
        where = f"{shown(worst.topic, 60)}-{worst.partition}"
        why = f" after {shown(worst.cause, 80)}" if worst.cause else ""
        yield (
            f'The longest interval: {where} of group "{shown(worst.group, 60)}", {about}{duration(worst.duration_ms)} '
            f"{worst.label}{why}, from {moment(worst.from_ms, origin)} on."
        )


def _start(pieces: Sequence[Blame]) -> Iterator[tuple[float, str]]:
    total = sum(piece.duration_ms for piece in pieces)
    starting = sum(piece.duration_ms for piece in pieces if piece.cause == START)
    if starting and starting >= _SMALLEST_SHARE * total:
        yield starting / total, "before the groups' first assignment, which includes the initial rebalance delay."


def _rest(summary: dict[str, Any]) -> Iterator[str]:
    if unknown := summary["unavailable"].get("unknown_ms"):
        yield f"For {partition_seconds(unknown)} the logs say too little (UNKNOWN); they are not counted."
    if again := summary["reprocessed_records"]:
        yield f"{counted(again, 'record')} {'was' if again == 1 else 'were'} read twice."
    if refused := summary["commits"]["refused"]:
        yield f"{counted(refused, 'commit')} {'was' if refused == 1 else 'were'} refused."
