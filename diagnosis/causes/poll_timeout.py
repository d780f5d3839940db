"""A member took longer between two polls than max.poll.interval.ms allows, and left by itself."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from groupsim.diagnosis.cause import (
    Cause,
    Message,
    evidence_of,
    evidence_of_events,
    lines_with,
    names,
    one_or_many,
    span,
    until_back,
)
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Cost, Evidence, Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Departure, Going
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.times import without_partitions
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program
from groupsim.wording.numbers import often, seconds
from groupsim.wording.times import duration

_DO = (
    Remedy(
        "let a batch take less time: lower max.poll.records, or raise max.poll.interval.ms above the longest batch",
        ("max.poll.records", "max.poll.interval.ms"),
        trial=(("max.poll.interval.ms", "600000"),),
        brief="lower max.poll.records or raise max.poll.interval.ms",
    ),
    Remedy("or process outside the poll loop, and pause the partitions meanwhile", ("max.poll.interval.ms",)),
)
_DO_LIBRDKAFKA = (
    Remedy(
        "process outside the poll loop, or raise max.poll.interval.ms above the longest time between two polls",
        ("max.poll.interval.ms",),
        trial=(("max.poll.interval.ms", "600000"),),
        brief="process outside the poll loop or raise max.poll.interval.ms",
    ),
)
"""Without batches: librdkafka and franz-go have no max.poll.records."""
_DO_WORKER = (
    Remedy(
        "find which connector is slow to start, to stop or to be checked, and what it waits for; or raise"
        " rebalance.timeout.ms above that time, or share the work among more workers",
        ("rebalance.timeout.ms",),
        brief="find which connector is slow to start or stop, or raise rebalance.timeout.ms",
    ),
)
"""Kafka: WorkerCoordinator.handlePollTimeoutExpiry; the herder that polls starts and stops connectors, too."""
_DO_WATCHED = (
    Remedy(
        "find what kept the application from polling for so long (a slow target, an error), or raise the limit of its"
        " watchdog, which restarts the consumer (it may be called max.poll.interval.ms, too)",
        ("max.poll.interval.ms",),
        brief="find what kept it from polling, or raise that limit",
    ),
)
"""Where only the application says so: the limit is one of its own, and no member left."""
_CONFIRM = "the application's log just before: how long one record, or one batch, took"
_CONFIRM_WATCHED = "the application's log just before: what it last did with records, and which limit it prints"
_CONFIRM_WORKER = (
    "a thread dump of the worker meanwhile, or its last lines before: which connector, and what it waits for"
)
_RECORDS, _INTERVAL = "max.poll.records", "max.poll.interval.ms"
_OF_WORKERS = "rebalance.timeout.ms"
_AGAIN = ", and the same records probably come again"
_SHOWN_MS = 100
"""Less than that is not seen in seconds with one digit."""
_NO_BATCHES = (Program.LIBRDKAFKA, Program.FRANZ_GO)
_TAKEN = (RowKind.ASSIGNED, RowKind.LISTENER_ASSIGNED)
_POLLED = (RowKind.LOST, RowKind.REVOKED, RowKind.LISTENER_LOST, RowKind.LISTENER_REVOKED, RowKind.JOINING)
_ALIKE = 1.05
"""Times of one setting differ by less, as a ratio: the heartbeat thread looks ten times a second."""
_SECONDS_MS = 10_000
"""From here on a time that was read off between lines is said in whole seconds."""
_EXPIRED = "consumer group expired"
"""What clickhouse_sinker prints when it sees that max.poll.interval.ms is over."""
_NAMED = "MAX_POLL_EXCEEDED"
_OUT = re.compile(
    r"group has already\b|time between subsequent calls to poll\(\) was longer|not part of an active group"
)
"""What a client says of a commit that came too late (CommitFailedException)."""
_PRINTED = re.compile(r"poll interval \((\d{1,12})ms\) exceeded by (\d{1,12})ms")
_SAYS = ("poll timeout", "max.poll.interval.ms", "max poll interval")


def _find(log: GroupLog) -> Finding | None:
    gone = [d for d in log.departures if d.going is Going.POLL_TIMEOUT] or _same_process_returned(log)
    said = [line for d in gone for line in d.said] + _other_words(log)
    if not said:
        return _by_a_refused_commit(log)
    shown = any(d.going is Going.POLL_TIMEOUT for d in gone) or any(
        line.row.kind is RowKind.CLIENT_POLL_WAS_LATE or _is_reason(line) or _is_error(line) for line in said
    )
    said.sort(key=lambda line: (not _clear(line), line.nth))
    who = names(d.who for d in gone) or names(line.client or "" for line in said if line.client)
    times = max(1, len(gone))
    lost = without_partitions(log, who)
    limit = _limit(log, said, who)
    batch = _batch(log, gone, limit[0] if limit is not None else None) if len(who) == 1 else None
    watched = not gone and all(line.row.kind is RowKind.APPLICATION_SAID for line in said)
    worker = log.type is GroupType.CONNECT
    do = _DO_WORKER if worker else _DO_WATCHED if watched else _DO_LIBRDKAFKA if _without_batches(log, said) else _DO
    again = not worker and _comes_again(log, gone, batch)
    return Finding(
        code=Code.POLL_TIMEOUT,
        certainty=Certainty.SHOWN if shown else Certainty.LIKELY,
        what=_of_workers(log, who, times)
        if worker
        else _of_watch(log.called(who))
        if watched
        else _sentence(log.called(who), limit, times, batch) + (_AGAIN if again else ""),
        members=who,
        times=times,
        evidence=_evidence(log, gone, said),
        cost=Cost(member_without_partitions_ms=lost, processed_again=not (watched or worker), no_progress=again),
        do=do if batch is None else (_by_numbers(do[0], batch, _configured(log, who[0], _RECORDS)), *do[1:]),
        confirm=_CONFIRM_WORKER if worker else _CONFIRM_WATCHED if watched else _CONFIRM,
        harm_ms=20_000 * times,
    )


def _by_a_refused_commit(log: GroupLog) -> Finding | None:
    """Where a commit was refused and nothing says why its member was out: what most often puts one out."""
    said = [line for line in log.of(RowKind.COMMIT_FAILED) if not line.row.detail.get("local")]
    said = [line for line in [*said, *log.troubles] if _OUT.search(line.reason) is not None]
    if not said:
        return None
    who = names(line.client for line in said if line.client)
    its = one_or_many(log.called(who)) if who else "the consumer"
    return Finding(
        code=Code.POLL_TIMEOUT,
        certainty=Certainty.POSSIBLE,
        what=f"a commit of {its} was refused, as it was no longer a member: most often because a batch took longer than"
        " max.poll.interval.ms",
        members=who,
        times=len(said),
        evidence=evidence_of(said),
        cost=Cost(processed_again=True),
        do=_DO,
        confirm="its client's lines just before (poll timeout has expired, session, coordinator), at level INFO",
        last_resort=True,
        harm_ms=1_500,
    )


def _evidence(log: GroupLog, gone: list[Departure], said: list[Said]) -> Evidence:
    """Of each time: the clearest line that says so, and until it was back."""
    events = [[min(d.said, key=lambda line: (not _clear(line), line.nth)), *until_back(log, [d])] for d in gone]
    if not events:
        return evidence_of(said)
    first, last = span(said)
    return evidence_of_events(events, said if len(events) == 1 else said[:1])._replace(first_ms=first, last_ms=last)


def _same_process_returned(log: GroupLog) -> list[Departure]:
    """Under the consumer protocol a process keeps its member id (KIP-848): one that left and came back with it was
    not restarted. What a process does so is to miss its poll timeout.
    """
    if log.type is not GroupType.CONSUMER:
        return []
    return [
        d
        for d in log.departures
        if d.going is Going.LEFT
        and d.member is not None
        and any(a.said.row.member == d.member and a.said.nth > d.first.nth for a in log.joins)
    ]


def _limit(log: GroupLog, said: list[Said], who: tuple[str, ...]) -> tuple[int, int] | None:
    """What a client prints of max.poll.interval.ms, and by how much it was exceeded (0 if it does not say), in ms."""
    for line in said:
        limit, exceeded = line.row.detail.get("limit_ms"), line.row.detail.get("exceeded_by_ms", 0)
        if isinstance(limit, int) and isinstance(exceeded, int):
            return limit, exceeded
        if _is_error(line) and (printed := _PRINTED.search(line.reason)) is not None:
            return int(printed[1]), int(printed[2])
    configured = _configured(log, who[0], _INTERVAL) if len(who) == 1 else None
    return None if configured is None else (configured, 0)


class _Batch(NamedTuple):
    """By the times of its lines, in ms: how long a batch took, and how long `max.poll.interval.ms` is; `printed`:
    whether a line says that.
    """

    took_ms: int
    allowed_ms: int
    printed: bool


def _batch(log: GroupLog, gone: list[Departure], printed_ms: int | None) -> _Batch | None:
    """Where a client took records right after each assignment, the poll timeout is what lies between that and the line
    that it has expired (AbstractCoordinator.HeartbeatThread); the batch ends with the next poll, which gives up the
    partitions (ConsumerCoordinator.onJoinPrepare). None where the times do not agree: then it polled in between.
    """
    allowed, took = [], []
    for departure in gone:
        own = [
            line for line in log.said if line.client == departure.who or (line.client is None and len(log.clients) == 1)
        ]
        place = bisect_left(own, departure.first.nth, key=lambda line: line.nth)
        begin = next((line.at for line in reversed(own[:place]) if line.row.kind in _TAKEN), None)
        end = next((line.at for line in own[place:] if line.row.kind in _POLLED), None)
        if begin is not None and departure.at is not None:
            allowed.append(departure.at - begin)
            took += [end - begin] if end is not None else []
    known = [*allowed, *([] if printed_ms is None else [printed_ms])]
    if len(known) < 2 or len(allowed) < len(gone) or not took or max(known) > _ALIKE * min(known):
        return None
    found = _Batch(max(took), min(allowed) if printed_ms is None else printed_ms, printed_ms is not None)
    return found if found.took_ms > found.allowed_ms > 0 else None


def _by_numbers(remedy: Remedy, batch: _Batch, records: int | None) -> Remedy:
    """The remedy with what the lines show: above which time, and by how much less. `records`: max.poll.records, where
    the client printed it; its batch may have had fewer.
    """
    part = -(-batch.took_ms // batch.allowed_ms)
    what = f"raise max.poll.interval.ms well above {_about(batch.took_ms)}, the longest batch"
    if _RECORDS not in remedy.settings:
        return remedy._replace(what=what)
    most = 0 if records is None else records * batch.allowed_ms // batch.took_ms
    to = f"to {most} at most, and " if most else ""
    return remedy._replace(what=f"{what}, or lower max.poll.records {to}to less than 1/{part} of that batch's records")


def _configured(log: GroupLog, client: str, name: str) -> int | None:
    """A setting as the client last printed it; None if it did not."""
    own = (line for line in log.of(RowKind.CLIENT_CONFIGURED, RowKind.CLIENT_SETTING) if line.client == client)
    printed = [settings.get(name) for line in own if isinstance(settings := line.row.detail.get("settings"), dict)]
    return next((value for value in reversed(printed) if isinstance(value, int)), None)


def _without_batches(log: GroupLog, said: list[Said]) -> bool:
    """Whether the client that was late is of a library that takes single records."""
    own = {said[0].row.program} & set(Program) or log.libraries
    return _is_error(said[0]) or (bool(own) and all(program in _NO_BATCHES for program in own))


def _of_watch(who: tuple[str, ...]) -> str:
    name = one_or_many(who) if who else "the consumer"
    return f"the application's own watchdog found that {name} did not poll for longer than the watchdog allows"


def _of_workers(log: GroupLog, who: tuple[str, ...], times: int) -> str:
    """Workers of Connect: their herder polls, and does nothing else while it starts and stops connectors."""
    limits = {_configured(log, each, _OF_WORKERS) for each in who}
    (limit,) = limits if len(limits) == 1 else (None,)
    allowed = _OF_WORKERS if limit is None else f"{_OF_WORKERS} ({duration(limit)})"
    again = often(times) if times > len(who) else ""
    return f"{one_or_many(log.called(who))} left the group{again}: starting or stopping took longer than {allowed}"


def _sentence(who: tuple[str, ...], limit: tuple[int, int] | None, times: int, batch: _Batch | None = None) -> str:
    name = one_or_many(who)
    again = often(times)
    if batch is not None:
        allowed = f"max.poll.interval.ms allows {'' if batch.printed else 'about '}{_about(batch.allowed_ms)}"
        return f"{name} took about {_about(batch.took_ms)} between two polls, {allowed}: it left{again}"
    if limit is not None and limit[1] >= _SHOWN_MS and times == 1:  # when it saw it: the poll came later still
        took = f"took more than {seconds(sum(limit))} s between two polls"
        return f"{name} {took}: max.poll.interval.ms allows {seconds(limit[0])} s, so it left the group"
    allowed = f"max.poll.interval.ms ({duration(limit[0])})" if limit is not None else "max.poll.interval.ms"
    return f"{name} took longer between two polls than {allowed} allows and left the group{again}"


def _about(ms: int) -> str:
    """A time that was read off between lines: in whole seconds where it is long."""
    return f"{round(ms / 1_000)} s" if ms > _SECONDS_MS else duration(ms)


def _comes_again(log: GroupLog, gone: list[Departure], batch: _Batch | None) -> bool:
    """Whether each time the same records come again: a commit was refused after two of the departures, or each batch
    ended after its member had left, so that its commit came too late (ConsumerCoordinator.sendOffsetCommitRequest).
    """
    if len(gone) < 2 or batch is not None:
        return len(gone) > 1
    ends = [d.first.nth for d in gone[1:]] + [log.said[-1].nth + 1]
    commits = [line for line in log.of(RowKind.COMMIT_FAILED) if not line.row.detail.get("local")]
    refused = sum(
        any(d.first.nth < line.nth < end and line.client == d.who for line in commits)
        for d, end in zip(gone, ends, strict=True)
    )  # fmt: skip
    return refused > 1


def _other_words(log: GroupLog) -> list[Said]:
    """Lines that name the limit though no departure is in sight."""
    late = log.of(RowKind.CLIENT_POLL_WAS_LATE)
    late += [line for line in log.troubles if _is_reason(line)]
    if not log.of(RowKind.POLL_TIMEOUT):  # else an application repeats what its client says
        late += [line for line in log.troubles if _is_error(line)]
    late += [line for line in log.of(RowKind.APPLICATION_SAID) if line.row.detail.get("what") == _EXPIRED]
    return late + [line for line in lines_with(log, _SAYS) if line.row.kind is not RowKind.COMMIT_FAILED]


def _is_reason(line: Said) -> bool:
    """librdkafka gives it as the reason of a rebalance, maybe alone (rd_kafka_cgrp_max_poll_interval_check_tmr_cb)."""
    return line.row.kind is RowKind.REASON_GIVEN and any(word in line.reason for word in _SAYS)


def _is_error(line: Said) -> bool:
    """librdkafka gives it to the application as an error, too, which may be all that is printed."""
    return line.row.kind is RowKind.ERROR_NAMED and _NAMED in line.reason


def _clear(line: Said) -> bool:
    return line.row.kind is RowKind.POLL_TIMEOUT or "poll" in line.reason


CAUSE = Cause(
    code=Code.POLL_TIMEOUT,
    title="Poll timeout",
    means="A member took longer between two polls than `max.poll.interval.ms` and left the group by itself. What it had"
    " processed since its last commit is processed again by somebody else, or by itself after it joined again.",
    seen=(
        Message(
            "Java", "consumer poll timeout has expired. This means the time between subsequent calls to poll() was"
        ),
        Message("librdkafka", "MAXPOLL: Application maximum poll interval (300000ms) exceeded by 255ms"),
        Message("librdkafka", "an error of the consumer: _MAX_POLL_EXCEEDED"),
        Message(
            "Broker", "Member … has left group … through explicit `LeaveGroup`; client reason: consumer poll timeout"
        ),
        Message("kafka-python", "Heartbeat poll expired, leaving group"),
        Message("aiokafka", "Heartbeat failed: local member_id was not recognized"),
    ),
    do=_DO,
    find=_find,
    confirm="The time of the longest batch in the application.",
    symptoms=("my group rebalances all the time", "CommitFailedException", "the same records come again"),
    see=("docs/model/logs.md",),
)
