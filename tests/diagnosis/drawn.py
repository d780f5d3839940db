"""Drawn groups and their faults, cut into fragments as people paste them: what is called shown must have happened, and
the group must have been stopped for a time within the bounds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.finding import Diagnosis
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events import group as g
from groupsim.events.base import Recorded
from groupsim.incidents.logs.reading import read_files
from tests.diagnosis.oracle import stopped_in
from tests.incidents.drawn_groups import GROUP, DrawnGroup, drawn, drawn_consumer, simulated, with_logs
from tests.incidents.written_consumer_logs import write_consumer_logs
from tests.incidents.written_logs import BEGINS_MS

_TIME = re.compile(r"^\[[\d-]+ [\d:]+,\d{3}\] ", re.MULTILINE)
_EXPIRED = ("session-expired", "rebalance-timeout", "join-timeout", "sync-timeout")


@dataclass(frozen=True)
class Contradiction:
    """A finding that is called shown though nothing of the kind happened, or false bounds of the stopped time."""

    seed: int
    code: str
    what: str
    cut: str


def _removed(facts: list[Recorded]) -> bool:
    return any(
        isinstance(f.event, c.MemberRemoved | k.ConsumerMemberRemoved) and str(f.event.cause) in _EXPIRED for f in facts
    )


def _any(*kinds: type) -> Callable[[list[Recorded]], bool]:
    return lambda facts: any(isinstance(fact.event, kinds) for fact in facts)


HAPPENED: dict[Code, Callable[[list[Recorded]], bool]] = {
    Code.POLL_TIMEOUT: _any(p.PollExpired),
    Code.SESSION_EXPIRED: lambda facts: _removed(facts) or _any(p.Frozen)(facts),
    Code.COMMIT_FAILED: _any(p.CommitFailed, g.CommitRefused),
    Code.STATIC_UNRELEASED: lambda facts: any(
        isinstance(f.event, p.RequestFailed) and "UNRELEASED" in f.event.error for f in facts
    ),
    Code.MIGRATION: _any(k.GroupUpgraded, k.GroupDowngraded),
    Code.COORDINATOR_MOVED: _any(g.CoordinatorUnloaded, g.CoordinatorLoaded),
    Code.PENDING_MEMBER: _any(c.PendingMemberRemoved),
}
"""Whether what a code says happened in a run; codes that are not here can't happen in these groups."""


def _happened(code: Code, facts: list[Recorded]) -> bool:
    known = HAPPENED.get(code)
    return known is not None and known(facts)


def contradictions(seeds: range) -> Iterator[Contradiction]:
    """What is called shown and did not happen, of one drawn group a seed, as one drawn fragment of its logs."""
    for seed in seeds:
        with TemporaryDirectory() as folder:
            yield from contradictions_of(seed, Path(folder))


def contradictions_of(seed: int, folder: Path) -> list[Contradiction]:
    """The same of one seed."""
    rng = Random(seed)
    facts, logs = _logs(rng, folder)
    cut = _cut(rng, logs)
    explanation = explain_reading(read_files(logs))
    if explanation is None:
        return []
    found = [
        Contradiction(seed, finding.code, finding.what, cut)
        for group in explanation.groups
        for finding in group.findings
        if finding.certainty is Certainty.SHOWN and not _happened(finding.code, facts)
    ]
    return found + [
        Contradiction(seed, "stopped_ms", said, cut)
        for group in explanation.groups
        if (said := _false_bounds(group, facts)) is not None
    ]


def _false_bounds(group: Diagnosis, facts: list[Recorded]) -> str | None:
    """What is said of a group's stopped time, and what is true, if these contradict each other."""
    if group.stopped_ms is None or group.first_ms is None or group.last_ms is None:
        return None
    least, most = stopped_in(facts, group.first_ms - BEGINS_MS, group.last_ms - BEGINS_MS)
    at_least, at_most = group.stopped_ms
    if (at_least or 0) <= most and (at_most is None or at_most >= least):
        return None
    return f"{group.stopped_ms}, and it was {least} to {most} ms"


def _logs(rng: Random, folder: Path) -> tuple[list[Recorded], list[Path]]:
    seed = rng.randrange(1_000_000)
    if rng.random() < 0.5:
        group: DrawnGroup = replace(drawn(seed), assignor=rng.choice(("range", "cooperative-sticky")))
        if rng.random() < 0.4:
            slow = tuple(replace(fault, kind=rng.choice((fault.kind, "slow"))) for fault in group.faults)
            group = replace(group, faults=slow, poll_ms=rng.choice((6_000, 10_000)))
        return with_logs(group, folder, leaders=rng.random() < 0.5)
    group = drawn_consumer(seed, slow=rng.random() < 0.5)
    facts = simulated(group)
    shown = [fact for fact in facts if not fact.event.noise]
    return facts, write_consumer_logs(shown, GROUP, folder, group.heartbeat_ms)


def _cut(rng: Random, logs: list[Path]) -> str:
    """Keeps some of the logs, and of each some lines in a row; half of the fragments lose their times."""
    kept = rng.sample(logs, rng.randint(1, len(logs)))
    timeless = rng.random() < 0.3
    for log in kept:
        lines = log.read_text().splitlines(keepends=True)
        begin = rng.choice((0, rng.randrange(len(lines) + 1)))
        end = rng.choice((len(lines), rng.randrange(begin, len(lines) + 1)))
        text = "".join(lines[begin:end])
        log.write_text(_TIME.sub("", text) if timeless else text)
    logs[:] = kept
    return f"{len(kept)} logs{', without times' if timeless else ''}: {', '.join(sorted(log.name for log in kept))}"
