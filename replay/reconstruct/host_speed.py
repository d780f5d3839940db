"""How slow the hosts of a recorded group are, from its own steps: a what-if is simulated on hosts like them.

Two numbers: one of what a process does again and again, one of what it does for the first time, when classes are
loaded, unless its Java machine ran the same code before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from groupsim.replay.reconstruct.incarnation import Incarnation
from groupsim.replay.reconstruct.members import Member
from groupsim.replay.reconstruct.rebalances import Generation
from groupsim.simulation.host_speed import USUAL_MS, Step, on_host, slowness
from groupsim.simulation.latencies import LATENCIES, Latencies

WAITED_MS = 1_000
"""A step of so long has waited for something else."""
LEAST_START_MS = 5
"""No consumer joins so soon after it subscribed: its log begins later."""


class Host(NamedTuple):
    """How many times as long as usual its steps take: `again`, and those that a process does for the first time."""

    again: float = 1.0
    first: float = 1.0

    def latencies(self, library: str) -> Latencies:
        """Those of a client library on such a host."""
        return on_host(LATENCIES[library], self.again, self.first)


def host_of(library: str, members: Sequence[Member], generations: Sequence[Generation]) -> Host:
    """The host that fits the steps which the record shows; of few steps, one that is nearer to the usual one."""
    if library not in USUAL_MS:
        return Host()
    led = list(led_steps(members, generations))
    first = [step for step in led if step[0] is Step.FIRST_LED]
    again = [step for step in led if step[0] is Step.LED]
    both = ([(library, *step) for step in found] for found in (again, [*first, *starts(members)]))
    return Host(*map(slowness, both))


def host_notes(library: str, members: Sequence[Member], generations: Sequence[Generation]) -> list[str]:
    """A sentence on hosts of which the record shows nothing, or only how fast consumers start."""
    if library in USUAL_MS and any(True for _ in led_steps(members, generations)):
        return []
    if library in USUAL_MS and any(True for _ in starts(members)):
        return ["hosts are assumed to be as fast as usual, but for the starts of consumers: the logs show nothing else"]
    return ["hosts are assumed to be as fast as usual: no log shows how long their steps take"]


def led_steps(members: Sequence[Member], generations: Sequence[Generation]) -> Iterable[tuple[Step, float]]:
    """From each completed join phase to the leader's assignment, both by the coordinator's clock.

    Leaders that come late to the answer because they work, or that wait for the metadata of topics of others, are left
    out, and so are whole seconds.
    """
    incarnations = [incarnation for member in members for incarnation in member.incarnations]
    if len({incarnation.topics for incarnation in incarnations if incarnation.topics}) > 1:
        return
    busy = {
        name for member in members if any(member.program.gaps_ms) for i in member.incarnations for name in i.member_ids
    }
    timed = [
        (generation.leader, generation.sync_ms)
        for generation in generations
        if generation.leader is not None and generation.sync_ms is not None
    ]
    if all(ms % WAITED_MS == 0 for _, ms in timed):
        return
    known = set()
    for leader, ms in timed:
        if leader not in busy and ms < WAITED_MS:
            yield Step.LED if leader in known else Step.FIRST_LED, ms
            known.add(leader)


def starts(members: Sequence[Member]) -> Iterable[tuple[Step, float]]:
    """From the first line of each process to its first JoinGroup."""
    for member in members:
        for incarnation in member.incarnations:
            took_ms = _start_ms(incarnation)
            if took_ms is not None and LEAST_START_MS <= took_ms < WAITED_MS:
                yield Step.SUBSCRIBED, took_ms


def _start_ms(incarnation: Incarnation) -> int | None:
    if not incarnation.line_times or incarnation.starts_ms is None:
        return None
    return incarnation.starts_ms - incarnation.line_times[0]
