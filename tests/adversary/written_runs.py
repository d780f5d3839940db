"""Runs written as Kafka's logs and as its topic, and read again: the true unavailable time is within what is said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, Label
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events.base import Recorded
from groupsim.incidents.default_settings import LEAST_CONSUMER_SESSION_MS, LEAST_SESSION_MS
from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import instant
from groupsim.storage.memory import MemoryStore
from tests.adversary.called import Finding
from tests.adversary.consumer_truth import logs_differ
from tests.adversary.damaged_files import emptied
from tests.incidents.drawn_groups import GROUP, DrawnGroup, drawn, drawn_consumer, simulated
from tests.incidents.offsets_topic.simulated_topic import write_dump
from tests.incidents.offsets_topic.truth import clipped, measure
from tests.incidents.written_consumer_logs import write_consumer_logs
from tests.incidents.written_logs import BEGINS_MS, coarsened, shifted, write_logs

_KNOWN = 0.3
"""How often the user gives the session's length though it need not be given."""
_SLOW = 0.3
_LEADERS = 0.7
"""How often leaders print what they assign, which alone names the members if no broker's log is given."""
_ALL_BUT_ONE = 0.5
"""Of some logs, how often one alone is missing."""
_COARSE = 0.2
"""How often some or all of the logs have coarse times."""
_CLOCK_OFF = 0.15
"""How often the clock of one log is off."""
_CUT = 0.15
"""How often the log of one client begins late or ends early."""
_EXPIRED = k.LossCause.SESSION_EXPIRED
NEAR_MS = 20
"""Partition-milliseconds: clocks of logs are in whole milliseconds, and lines stand beside what they report."""
_NEXT_LINE_MS = 5
"""So long after the callback the client joins again, where it has to give partitions up."""
_UNSEEN = (Label.RESTORING, Label.PAUSED_CALLBACK)
"""No line of these logs says when a position was found, or that a callback ran; so it may count or not."""


def _unseen(facts: Sequence[Recorded]) -> Callable[[Interval], bool]:
    """Whether an interval may count or not: also where a process stopped and the broker never missed it.

    A log cannot tell a stop that is shorter than a session from a group in which nothing happens.
    """
    process_of = {f.event.member: f.event.process for f in facts if isinstance(f.event, p.JoinOk | p.EpochReceived)}
    missed: dict[str, list[int]] = defaultdict(list)
    for fact in facts:
        if isinstance(fact.event, c.MemberRemoved | k.ConsumerMemberRemoved) and fact.event.cause == _EXPIRED:
            missed[process_of.get(fact.event.member, "")].append(fact.at_ms)

    def unseen(each: Interval) -> bool:
        stalled = each.label == Label.OWNER_STALLED
        return each.label in _UNSEEN or (stalled and each.to_ms not in missed[each.member or ""])

    return unseen


def counted(facts: Sequence[Recorded], from_ms: int, to_ms: int, *, coordinator: bool = True) -> tuple[int, int]:
    """The true unavailable partition-milliseconds of a period: without what may count or not, and with it.

    `coordinator`: the coordinator's own word is given. Without it nothing shows that a process died whose partitions
    nobody has taken when the period ends.
    """
    usual = _unseen(facts)

    def unseen(each: Interval) -> bool:
        return usual(each) or (not coordinator and each.label == Label.OWNER_DEAD and each.to_ms >= to_ms)

    parts = [each for each in clipped(intervals(facts), from_ms, to_ms) if each.unavailable]
    return sum(each.duration_ms for each in parts if not unseen(each)), sum(each.duration_ms for each in parts)


def _nothing_new(facts: Sequence[Recorded]) -> int:
    """Partition-ms by which an import may count too much: a callback that gives nothing new ends with the next line."""
    views: dict[str, int] = {}
    found = 0
    for fact in facts:
        match fact.event:
            case p.ViewChanged(process=process, partitions=partitions):
                views[process] = len(partitions)
            case p.CallbackStart(process=process, kind="assigned", partitions=()):
                found += _NEXT_LINE_MS * views.get(process, 0)
    return found


def numbers(rng: Random, folder: Path) -> None:
    """A drawn classic group, as logs, as its topic, or as both."""
    assignor, here = rng.choice(("range", "cooperative-sticky")), emptied(folder / "written-runs")
    group = replace(drawn(rng.randrange(1_000_000)), assignor=assignor)
    which = rng.choice(("logs", "logs", "some logs", "no broker's log", "topic", "both", "the topic and some logs"))
    facts = simulated(group)
    printed, leaders = group.true if group.prints else {}, rng.random() < _LEADERS
    files = [] if which == "topic" else write_logs(_printed(facts), GROUP, here, printed, leaders=leaders)
    files = _chosen(rng, which, files, facts, here)
    hold(
        rng,
        facts,
        files,
        which,
        _given(rng, group, LEAST_SESSION_MS),
        f"{which} of the drawn {assignor} group {group.seed}",
    )


def consumer_logs(rng: Random, folder: Path) -> None:
    """A drawn consumer group (KIP-848), as logs; with all of them, also what they say of its epochs and members.

    Not of groups whose members are slow: what a member says of its target then comes after the next one.
    """
    slow, here = rng.random() < _SLOW, emptied(folder / "written-runs")
    group = drawn_consumer(rng.randrange(1_000_000), slow=slow)
    which = rng.choice(("logs", "logs", "some logs", "both", "the topic and some logs"))
    facts = simulated(group)
    files = write_consumer_logs(_printed(facts), GROUP, here, group.heartbeat_ms)
    what, session_ms = (
        f"{which} of the {'slow ' * slow}drawn consumer group {group.seed}",
        _given(rng, group, LEAST_CONSUMER_SESSION_MS),
    )
    if which == "logs" and not slow:
        store = MemoryStore()
        run = import_run(read_files(files), store, name=None, topics={}, session_timeout_ms=session_ms).run
        for each in logs_differ(facts, list(store.read(run.id)), instant(str(run.origin)) - BEGINS_MS):
            raise Finding(f"{what}: {each}")
    hold(rng, facts, _chosen(rng, which, files, facts, here), which, session_ms, what)


def _given(rng: Random, group: DrawnGroup, least_ms: int) -> int | None:
    """What the user says of the session, sometimes: always where it is shorter than brokers allow by default."""
    return group.session_ms if group.session_ms < least_ms or rng.random() < _KNOWN else None


def _chosen(rng: Random, which: str, logs: list[Path], facts: Sequence[Recorded], here: Path) -> list[Path]:
    """All logs or some of them, and the topic, by the words of `which`."""
    if "some" in which and len(logs) > 1:
        least = len(logs) - 1 if rng.random() < _ALL_BUT_ONE else 1
        logs = rng.sample(logs, rng.randint(least, len(logs) - 1))
    if which == "no broker's log":
        return [each for each in logs if each.name != "broker.log"]
    topic = "topic" in which or which == "both"
    return [*logs, write_dump(facts, GROUP, here / "dump.txt")] if topic else logs


def _made_coarse(rng: Random, logs: Sequence[Path]) -> str:
    """Take away parts of seconds from some or all of the logs, sometimes; what was done."""
    if not logs or rng.random() >= _COARSE:
        return ""
    digits, zeros = rng.choice(((0, 0), (0, 3), (1, 0), (2, 0)))
    chosen = rng.sample(logs, rng.choice((len(logs), rng.randint(1, len(logs)))))
    for log in chosen:
        coarsened(log, digits, zeros)
    return f", with {digits} digits and {zeros} zeros in {', '.join(path.name for path in chosen)}"


class _Clock(NamedTuple):
    """One log's clock was moved by `off_ms`, and with a broker's log the common time by `base_ms`."""

    off_ms: int = 0
    base_ms: int = 0
    what: str = ""


def _clock_off(rng: Random, logs: Sequence[Path], *, topic: bool) -> _Clock:
    """Move one log's clock, sometimes; `__consumer_offsets` has the clock of the broker's log."""
    logs = [log for log in logs if not (topic and log.name == "broker.log")]
    if not logs or rng.random() >= _CLOCK_OFF:
        return _Clock()
    log, seconds = rng.choice(logs), rng.choice((-1, 1)) * rng.choice((0.05, 0.4, 3, 20, 45))
    shifted(log, log, seconds)
    off_ms = round(1_000 * seconds)
    return _Clock(off_ms, off_ms * (log.name == "broker.log"), f", with {log.name} {seconds:+} s")


def _cut(rng: Random, logs: Sequence[Path]) -> str:
    """Take lines away from the head or the tail of one client's log, sometimes; what was done."""
    clients = [log for log in logs if log.name != "broker.log"]
    if not clients or rng.random() >= _CUT:
        return ""
    log, head = rng.choice(clients), rng.random() < 0.5
    lines = log.read_text().splitlines(keepends=True)
    if len(lines) < 2:
        return ""
    at = rng.randrange(1, len(lines))
    log.write_text("".join(lines[at:] if head else lines[:at]))
    return f", with {log.name} {'from' if head else 'up to'} line {at}"


def _printed(facts: Sequence[Recorded]) -> list[Recorded]:
    return [fact for fact in facts if not fact.event.noise]


def hold(
    rng: Random, facts: Sequence[Recorded], files: list[Path], which: str, session_ms: int | None, what: str
) -> None:
    """From the first assignment on, as long as there are lines: an import says nothing of what follows.

    A clock that is off need not show in the logs; if it does, the bounds have to hold the truth.
    """
    first = next((f.at_ms for f in facts if isinstance(f.event, c.AssignmentStored | k.TargetComputed)), None)
    if first is None:
        return
    end = facts[-1].at_ms
    what += f" ({', '.join(path.name for path in files)}), session {session_ms}"
    logs = [path for path in files if path.suffix == ".log"]
    topic = len(logs) < len(files)
    clock = _clock_off(rng, logs, topic=topic)
    what += clock.what + _made_coarse(rng, logs)
    what += "" if clock.off_ms else _cut(rng, logs)
    begins = BEGINS_MS + clock.base_ms
    try:
        until = begins + end + abs(clock.off_ms)
        found, _ = measure(files, GROUP, until, (begins + first, begins + end), session_ms)
    except LogError as error:
        if which in ("some logs", "no broker's log"):
            return
        raise Finding(f"{what}: {error}") from error
    coordinator = topic or any(path.name == "broker.log" for path in logs)
    least, most = counted(
        facts, max(first, found.begins - begins), min(end, found.ends - begins), coordinator=coordinator
    )
    said = found.rests_on
    if clock.off_ms and not said.precision.clocks_ms:
        return
    if said.at_least_ms > most + NEAR_MS + _nothing_new(facts) or (
        said.at_most_ms is not None and said.at_most_ms < least - NEAR_MS
    ):
        raise Finding(f"{what}: between {said.at_least_ms} and {said.at_most_ms}, in truth {least} to {most}")
