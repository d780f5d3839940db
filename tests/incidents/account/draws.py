"""Drawn groups with some of their logs, and whether their account holds the truth."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from groupsim.events import classic as c
from groupsim.events import consumer as k
from groupsim.events.base import Recorded
from groupsim.events.types import TopicPartition
from groupsim.incidents.account.accounts import accounts_of
from groupsim.incidents.account.group import Account
from groupsim.incidents.account.incarnation import Incarnation
from groupsim.incidents.account.spans import EVER, INF, Span, Spans, both, length, union, without
from groupsim.incidents.account.unavailable import counts, unavailable
from groupsim.incidents.default_settings import LEAST_CONSUMER_SESSION_MS, LEAST_SESSION_MS
from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.only_group import with_groups
from groupsim.incidents.logs.reading import Wanted, read_files
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.logs.times import iso
from groupsim.simulation.clients.config import CLASSIC, CONSUMER
from groupsim.storage.log_gaps import Counts
from tests.incidents.account.truth import Process, Truth
from tests.incidents.drawn_groups import GROUP, DrawnGroup, drawn, drawn_consumer, simulated
from tests.incidents.offsets_topic.simulated_topic import write_dump
from tests.incidents.offsets_topic.truth import measure
from tests.incidents.written_consumer_logs import write_consumer_logs
from tests.incidents.written_logs import BEGINS_MS, coarsened, shifted, write_logs

SUBSETS = ("all logs", "some logs", "no broker's log", "broker alone", "one client", "all but one")
DAMAGES = ("a cut log", "coarse times", "a clock that is off")
_KNOWN = 0.3
_LEADERS = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """A group, which of its logs are given, whether leaders print what they assign, and the session the user gives.

    `pick`: which logs are chosen. `without`: logs that are left out. `damage`: one of DAMAGES. `topic`: with a dump of
    `__consumer_offsets`.
    """

    group: DrawnGroup
    subset: str
    leaders: bool
    session_ms: int | None
    pick: int
    without: frozenset[str] = frozenset()
    damage: str = ""
    topic: bool = False

    def __str__(self) -> str:
        left_out = f" without {sorted(self.without)}" if self.without else ""
        left_out += f" with {self.damage}" if self.damage else ""
        left_out += " and the topic" if self.topic else ""
        return f"{self.subset}{left_out} of {self.group}, leaders {self.leaders}, session {self.session_ms}"


class Broken(NamedTuple):
    """A property that is surely so and was not, or was so and is not possible, in a span from the run's start, ms."""

    what: str
    name: str
    spans: Spans

    def __str__(self) -> str:
        shown = ", ".join(f"{a - BEGINS_MS}..{b - BEGINS_MS}" for a, b in self.spans[:4])
        return f"{self.name}: {self.what}: {shown}"


class Checked(NamedTuple):
    """What the account of a draw is worth: partition-milliseconds, by the account and in truth."""

    broken: list[Broken]
    at_least_ms: int
    at_most_ms: int | None
    truth_ms: int
    named: int


@lru_cache(maxsize=1)
def _run(group: DrawnGroup) -> tuple[list[Recorded], Truth]:
    """The facts of a group's run, and what was so in it: each group is drawn with all subsets."""
    facts = simulated(group)
    return facts, Truth(facts)


def draw(number: int, protocol: str) -> Draw:
    """The draw of a number: each group with every subset of its logs, one after the other."""
    of_group, subset = divmod(number, len(SUBSETS))
    rng = Random(f"{protocol} {of_group}")
    seed = rng.randrange(1_000_000_000)
    if protocol == CLASSIC:
        group = replace(drawn(seed), assignor=rng.choice(("range", "cooperative-sticky")))
    else:
        group = drawn_consumer(seed, slow=rng.random() < 0.3)
    least = LEAST_SESSION_MS if protocol == CLASSIC else LEAST_CONSUMER_SESSION_MS
    known = group.session_ms < least or rng.random() < _KNOWN
    return Draw(
        group=group,
        subset=SUBSETS[subset],
        leaders=rng.random() < _LEADERS,
        session_ms=group.session_ms if known else None,
        pick=rng.randrange(1_000_000),
    )


def written(one: Draw, facts: Sequence[Recorded], folder: Path) -> list[Path]:
    """The logs of the subset."""
    found = _given(one, _write(one.group, one.leaders, facts, folder))
    _damage(Random(one.pick), one.damage, found)
    return [*found, write_dump(facts, GROUP, folder / "dump.txt")] if one.topic else found


def _write(group: DrawnGroup, leaders: bool, facts: Sequence[Recorded], folder: Path) -> list[Path]:
    """All logs of a group."""
    shown = [fact for fact in facts if not fact.event.noise]
    if group.protocol == CONSUMER:
        return write_consumer_logs(shown, GROUP, folder, group.heartbeat_ms)
    return write_logs(shown, GROUP, folder, group.true if group.prints else {}, leaders=leaders)


def _given(one: Draw, logs: list[Path]) -> list[Path]:
    return [log for log in _chosen(Random(one.pick), one.subset, logs) if log.name not in one.without]


def _wanted(facts: Sequence[Recorded]) -> Wanted:
    return Wanted(frozenset([GROUP]), None, iso(BEGINS_MS + facts[-1].at_ms))


@lru_cache(maxsize=1)
def _read_each(group: DrawnGroup, leaders: bool) -> dict[Path, Reading]:
    """What each log of a group says: each is read once, for all subsets."""
    facts, _ = _run(group)
    with TemporaryDirectory() as folder:
        logs = _write(group, leaders, facts, Path(folder))
        return {log: read_files([log], wanted=_wanted(facts), whole=False) for log in logs}


def _read(one: Draw, facts: Sequence[Recorded], folder: Path) -> Reading | None:
    """The logs of the subset; None if there is none."""
    wanted = _wanted(facts)
    if one.damage or one.topic:
        files = written(one, facts, folder)
        return read_files(files, wanted=wanted) if files else None
    each = _read_each(one.group, one.leaders)
    whole = Reading(asked=tuple(sorted(wanted.groups)), since=wanted.since, until=wanted.until)
    for log in sorted(_given(one, list(each))):
        whole.add(each[log])
    return with_groups(whole, wanted.groups) if whole.files else None


def _damage(rng: Random, damage: str, logs: Sequence[Path]) -> None:
    """What is done to the logs: a client's is cut, some have coarse times, or one has another clock."""
    clients = [log for log in logs if log.name != "broker.log"]
    if damage == "a cut log" and clients:
        log, head = rng.choice(clients), rng.random() < 0.5
        lines = log.read_text().splitlines(keepends=True)
        at = rng.randrange(1, max(2, len(lines)))
        log.write_text("".join(lines[at:] if head else lines[:at]))
    elif damage == "coarse times" and logs:
        digits, zeros = rng.choice(((0, 0), (0, 3), (1, 0), (2, 0)))
        for log in rng.sample(logs, rng.randint(1, len(logs))):
            coarsened(log, digits, zeros)
    elif damage == "a clock that is off" and clients:
        log = rng.choice(clients)
        shifted(log, log, rng.choice((-1, 1)) * rng.choice((0.05, 0.4, 3, 20)))


def _chosen(rng: Random, subset: str, logs: list[Path]) -> list[Path]:
    clients = [log for log in logs if log.name != "broker.log"]
    match subset:
        case "no broker's log":
            return clients
        case "broker alone":
            return [log for log in logs if log.name == "broker.log"]
        case "one client":
            return [rng.choice(clients)]
        case "all but one":
            gone = rng.choice(clients)
            return [log for log in logs if log != gone]
        case "some logs":
            return rng.sample(logs, rng.randint(1, max(1, len(logs) - 1)))
        case _:
            return logs


def shrunk(one: Draw, check: Callable[[Draw], bool]) -> Draw:
    """The smallest draw that is like this one and still fails `check`: fewer logs, faults, members."""
    found = True
    while found:
        found = False
        for smaller in _smaller(one):
            if check(smaller):
                one, found = smaller, True
                break
    return one


def _smaller(one: Draw) -> Iterator[Draw]:
    group = one.group
    for place in range(len(group.faults)):
        faults = group.faults[:place] + group.faults[place + 1 :]
        yield replace(one, group=replace(group, faults=faults))
    last = group.members - 1
    if last > 0 and all(fault.member != last for fault in group.faults):
        yield replace(one, group=replace(group, members=last, static=min(group.static, last)))
    if group.static:
        yield replace(one, group=replace(group, static=0))
    if group.busy:
        yield replace(one, group=replace(group, busy=False))
    with TemporaryDirectory() as folder:
        logs = [log.name for log in written(one, _run(group)[0], Path(folder))]
    for name in logs if len(logs) > 1 else ():
        yield replace(one, without=one.without | {name})


def fails(one: Draw) -> bool:
    """Whether the account of a draw does not hold the truth."""
    with TemporaryDirectory() as folder:
        found = checked(one, Path(folder))
    return found is not None and bool(found.broken)


def checked(one: Draw, folder: Path) -> Checked | None:
    """Simulate, write, read, and compare; None if there is nothing to compare."""
    facts, truth = _run(one.group)
    first = _first_stored(facts)
    if first is None:
        return None
    reading = _read(one, facts, folder)
    if reading is None:
        return None
    until = BEGINS_MS + facts[-1].at_ms
    accounts = accounts_of(reading, session_timeout_ms=one.session_ms)
    if not accounts:
        return None
    (account,) = accounts
    if one.damage == "a clock that is off" and not account.off_ms:  # no line need show it
        return None
    window = max(account.begins, BEGINS_MS + first), min(account.ends, until)
    unseen = {tp: truth.unseen(tp, coordinator=account.broker, ends=window[1]) for tp in truth.available}
    broken = [part for each in compare(account, truth, unseen) if (part := _clip(each, window)).spans]
    begin, end = window
    span = max(0, end - begin)
    broken += [each for each in _of_counts(account, truth, unseen, window) if each.spans] if span else []
    most = sum(span - length(account.surely_available(tp), begin, end) for tp in account.named)
    least = sum(span - length(account.possibly_available(tp), begin, end) for tp in account.named)
    seen = {tp: union(spans, unseen[tp]) for tp, spans in truth.available.items()}
    true = sum(span - length(spans, begin, end) for spans in seen.values())
    whole = account.whole and bool(account.named)
    return Checked(broken, least, most if whole else None, true, len(account.named))


def _first_stored(facts: Sequence[Recorded]) -> int | None:
    """When the first assignment came into force, or the first target was computed: ms from the run's start."""
    return next((f.at_ms for f in facts if isinstance(f.event, c.AssignmentStored | k.TargetComputed)), None)


def _clip(broken: Broken, window: tuple[int, int]) -> Broken:
    return broken._replace(spans=both(broken.spans, [window] if window[0] < window[1] else []))


def compare(account: Account, truth: Truth, unseen: Mapping[TopicPartition, Spans]) -> Iterator[Broken]:
    """By process and partition: surely is a part of truly, and that of possibly; `unseen`: as of Truth."""
    for own in account.incarnations:
        yield from _of_process(account, own, truth.processes[Path(own.process.file).name.removesuffix(".log")])
    for tp in account.named:
        available = truth.available.get(tp, ())
        most = union(available, unseen.get(tp, ()))
        surely, possibly = account.surely_available(tp), account.possibly_available(tp)
        yield from _within(str(tp), "available", surely, most, available, possibly)


def _of_counts(
    account: Account, truth: Truth, unseen: Mapping[TopicPartition, Spans], window: Span
) -> Iterator[Broken]:
    """At each instant, as many partitions are unavailable as the account says, at least and at most."""
    found = unavailable(account, window)
    never = [(1, without([window], spans)) for spans in truth.available.values()]
    known = [(1, without([window], union(spans, unseen[tp]))) for tp, spans in truth.available.items()]
    yield Broken("group", "unavailable, at least", _above(found.least, counts(never, window), window))
    if found.most is not None:
        yield Broken("group", "unavailable, at most", _above(counts(known, window), found.most, window))


def _above(more: Counts, less: Counts, window: Span) -> Spans:
    """When the one count is above the other."""
    edges = sorted({*window, *(at for each in (more, less) for at, _ in each)})
    return union((a, b) for a, b in pairwise(edges) if _at(more, a) > _at(less, a))


def _at(found: Counts, at: int) -> int:
    place = bisect_right(found, at, key=itemgetter(0))
    return found[place - 1][1] if place else 0


def _of_process(account: Account, own: Incarnation, real: Process) -> Iterator[Broken]:
    """A stop may be taken for running if the coordinator missed nobody: no log tells it from a quiet process."""
    alive, runs, member = real.alive.done(), real.runs.done(), real.member.done()
    dead = without(EVER, alive)
    hidden = real.unnoticed
    hidden += [] if real.died is None else [(real.died, INF)]
    sure, may = own.runs.surely(True), own.runs.possibly(True)
    yield from _within(own.name, "runs", sure, union(runs, hidden), runs, may)
    sure, may = account.membership(own)
    yield from _within(own.name, "is a member", sure, member, member, may)
    called = both(real.callback.done(), alive)
    yield from _within(
        own.name,
        "callback",
        own.callback.surely(True),
        called,
        called,
        own.callback.possibly(True),
    )
    for tp in set(real.holds) | set(own.holds):
        held, track = real.holds[tp].done(), own.holding(tp)
        sure, may = track.surely(True), track.possibly(True)
        yield from _within(f"{own.name} {tp}", "holds", sure, union(held, dead), held, may)
    entitled = account.entitled[own.name]
    for tp in set(real.entitled) & set(account.named):
        right = real.entitled[tp].done()
        sure, may = entitled.surely(tp), entitled.possibly(tp)
        yield from _within(f"{own.name} {tp}", "entitled", sure, union(right, dead), both(right, alive), may)


def _within(name: str, what: str, surely: Spans, most: Spans, least: Spans, possibly: Spans) -> Iterator[Broken]:
    if wrong := without(surely, most):
        yield Broken(f"surely {what}, in truth not", name, wrong)
    if missed := without(least, possibly):
        yield Broken(f"{what}, and that is not possible", name, missed)


def beside(one: Draw, folder: Path) -> tuple[int, int | None] | None:
    """The import's bounds of the same logs in the same time, partition-milliseconds; None if it refuses them."""
    facts, _ = _run(one.group)
    files, until = written(one, facts, folder), BEGINS_MS + facts[-1].at_ms
    try:
        found, _ = measure(files, GROUP, until, (BEGINS_MS + (_first_stored(facts) or 0), until), one.session_ms)
    except LogError:
        return None
    return found.rests_on.at_least_ms, found.rests_on.at_most_ms
