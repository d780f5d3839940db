"""Programs inferred from logs, against those of drawn groups: `python -m tests.incidents.inferred_programs`.

Groups whose members poll all the time, work a constant time on each batch, or a time that depends on its records, are
simulated while members come and go; their logs are written as Kafka would, and read again. Printed: how many inferred
poll gaps contain the true one (within 5 %, or 40 ms), how wide these ranges are, how many members that poll all the
time are said to, and how many groups that commit themselves, or automatically, are read as such.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import mean, median
from tempfile import TemporaryDirectory

from groupsim.events import client as p
from groupsim.events.base import Recorded
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.reconstruct.applications.polls import polls_of
from groupsim.replay.reconstruct.applications.program import Program
from groupsim.replay.reconstruct.incident import reconstruct
from groupsim.simulation.clients.config import JAVA, Application
from groupsim.simulation.clients.process import Script
from groupsim.simulation.latencies import LATENCIES
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.message_delays import Delays
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore
from tests.incidents.written_logs import write_logs

GROUP = "billing"
NEAR, NEAR_MS = 0.05, 40
SEEN_MS = 150
"""A wait for longer shows that a member was busy."""
SURE = 0.8
PARTITIONS = 6
_RATE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPrograms:
    """One group. `process_ms`, `record_ms`: by member, how long it works on a batch, and on each record of it.

    `moves`: after how many ms which member closes (if it runs) or starts again.
    """

    seed: int
    assignor: str
    process_ms: tuple[int, ...]
    record_ms: tuple[float, ...]
    commits_itself: bool
    moves: tuple[tuple[int, int], ...]

    def busy(self, member: int) -> bool:
        """Whether a member is busy all the time."""
        return self.process_ms[member] > 0


def drawn(seed: int) -> DrawnPrograms:
    """All members poll all the time, all are busy for the same time, or one of them is slow."""
    rng = Random(seed)
    members = rng.randint(2, 4)
    kind = rng.choice(["quick", "alike", "one", "one"])
    gap = round(100 * 50 ** rng.uniform(0.2, 1))
    slow = rng.randrange(members)
    process = tuple(gap if kind == "alike" or (kind == "one" and n == slow) else 0 for n in range(members))
    varied = rng.random() < 0.3
    share = rng.uniform(0.02, 0.12) if varied else 0.0
    return DrawnPrograms(
        seed=seed,
        assignor=rng.choice(["range", "cooperative-sticky"]),
        process_ms=process,
        record_ms=tuple(share * 1_000 / _RATE if ms else 0.0 for ms in process),
        commits_itself=rng.random() < 0.5,
        moves=tuple((rng.randrange(4_000, 15_000), rng.randrange(members + 1)) for _ in range(rng.randint(2, 7))),
    )


def simulated(group: DrawnPrograms) -> list[Recorded]:
    """The facts of the group's run. One more member than there are programs comes and goes; it polls all the time."""
    programs = [*zip(group.process_ms, group.record_ms, strict=True), (0, 0.0)]

    def story(world: World) -> Script:
        world.configure_broker({"group.initial.rebalance.delay.ms": 0, "group.coordinator.append.linger.ms": 10})
        world.host("ideal")  # what is slow is said here
        draw = lambda distribution, what: distribution.draw(world.rng.stream(what))  # noqa: E731
        delays = Delays(lambda _: LATENCIES[JAVA], draw, world.broker.address, lambda: world.now)
        world.network.add_rule(delays)
        world.heartbeat_timers.late, world.heartbeat_timers.nap_late = delays.heartbeat_late_ms, delays.nap_late_ms
        topic = world.topic("orders", PARTITIONS, rate=_RATE)
        own = world.group(GROUP, assignor=group.assignor, config={"enable.auto.commit": not group.commits_itself})
        members: list[MemberHandle] = []
        for number, (process_ms, record_ms) in enumerate(programs):
            sync = group.commits_itself and process_ms > 0
            application = Application(process_ms=process_ms, record_ms=record_ms, commit_sync=sync, empty_ms=0)
            members += own.join(f"m{number}", topics=[topic], application=application, after=None)
        for member in members[:-1]:
            yield member.start()
            yield world.sleep(400)
        for after_ms, number in group.moves:
            yield world.sleep(after_ms)
            if not members[number].running:
                yield members[number].start()
            elif not members[number].closing:
                members[number].close()
        yield world.sleep(10_000)

    lasts_ms = 30_000 + sum(after for after, _ in group.moves)
    store = MemoryStore()
    settings = {"session.timeout.ms": 10_000, "heartbeat.interval.ms": 1_000, "max.poll.interval.ms": 60_000}
    scenario = Scenario(name="drawn", story=story, seed=group.seed, lasts_ms=lasts_ms)
    result = run(scenario, store, settings=settings)
    assert result.failure is None, result.failure
    return list(store.read(result.info.id))


@dataclass(frozen=True, slots=True)
class Compared:
    """One member's program: 8 in 10 of its gaps are between `true_ms` (0: it polls all the time); and what was read.

    `longest_wait_ms` is in the logs.
    """

    group: DrawnPrograms
    member: str
    true_ms: tuple[int, int]
    program: Program
    longest_wait_ms: int

    @property
    def shown(self) -> bool:
        """Whether the logs show that it was busy."""
        return self.longest_wait_ms > SEEN_MS

    @property
    def inside(self) -> bool:
        """Whether the range contains a usual gap."""
        least, most = self.true_ms
        gaps, slack = self.program.gaps_ms, max(NEAR * most, NEAR_MS)
        return gaps[0] - slack <= most and least <= gaps[-1] + slack

    @property
    def busy(self) -> bool:
        """Whether it is busy all the time."""
        return self.true_ms[1] > 0

    @property
    def width(self) -> float:
        """The greatest of the gaps that nine in ten seeds draw, over the least."""
        gaps = [gap for gap in self.program.gaps_ms if gap] or [1]
        cut = len(gaps) // 20
        return gaps[-1 - cut] / gaps[cut]


def compared(seeds: Iterable[int]) -> Iterator[Compared]:
    """Every member of each group that was started."""
    for seed in seeds:
        group = drawn(seed)
        facts = simulated(group)
        gaps = _true_gaps(facts)
        with TemporaryDirectory() as folder:
            logs = write_logs([fact for fact in facts if not _noise(fact)], GROUP, Path(folder))
            store = MemoryStore()
            imported = import_run(read_files(logs), store, name=None, topics={})
        read = list(store.read(imported.run.id))
        longest = {name.rpartition(".")[0]: 0 for name in polls_of(read, GROUP)}
        for name, polls in polls_of(read, GROUP).items():
            client = name.rpartition(".")[0]
            longest[client] = max([longest[client], *(wait.wait_ms for wait in polls.waits)])
        for member in reconstruct(read, GROUP).members:
            number = int(member.name[1:])
            busy = number < len(group.process_ms) and group.busy(number)
            true = sorted(gaps.get(member.name, [])) if busy else [0]
            if true:
                cut = len(true) // 10
                yield Compared(group, member.name, (true[cut], true[-1 - cut]), member.program, longest[member.name])


def _noise(fact: Recorded) -> bool:
    return isinstance(fact.event, p.PollStart | p.PollEnd)


def _true_gaps(facts: Iterable[Recorded]) -> dict[str, list[int]]:
    """By client, how long its program worked on each batch and committed."""
    since: dict[str, int] = {}
    found: dict[str, list[int]] = {}
    for fact in facts:
        if isinstance(fact.event, p.PollEnd):
            since[fact.event.process] = fact.at_ms
        elif isinstance(fact.event, p.PollStart) and fact.event.process in since:
            client = fact.event.process.rpartition(".")[0]
            found.setdefault(client, []).append(fact.at_ms - since.pop(fact.event.process))
    return found


def figures(found: list[Compared]) -> list[str]:
    """Lines with the shares."""
    lines = []
    shown = [each for each in found if each.busy and each.shown]
    hidden = [each for each in found if each.busy and not each.shown]
    quick = [each for each in found if not each.busy]
    if shown:
        inside, width = mean(each.inside for each in shown), median(each.width for each in shown)
        idle = mean(each.program.gaps_ms.count(0) / len(each.program.gaps_ms) for each in shown)
        lines.append(
            f"busy, and seen to be: {len(shown)}; gap inside {inside:.1%}; median width ×{width:.2f};"
            f" said to be seldom busy {idle:.1%}"
        )
    if hidden:
        lines.append(f"busy, but never seen to be: {len(hidden)}; gap inside {mean(e.inside for e in hidden):.1%}")
    if quick:
        right = mean(each.program.gap_ms == 0 for each in quick)
        lines.append(f"polling all the time: {len(quick)}; said to be {right:.1%}")
    groups = {each.group.seed: each for each in found}.values()
    for itself in (True, False):
        said = [each.program.commits_sync for each in groups if each.group.commits_itself is itself]
        right = sum((share > SURE) if itself else (share < 1 - SURE) for share in said)
        wrong = sum((share < 1 - SURE) if itself else (share > SURE) for share in said)
        how = "themselves" if itself else "automatically"
        lines.append(f"groups that commit {how}: {len(said)}; read as such {right}, as the opposite {wrong}")
    return lines


def main(arguments: list[str]) -> int:
    """Print the shares; with `-v` also what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.incidents.inferred_programs", description=__doc__)
    parser.add_argument("--groups", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first group")
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args(arguments)
    found = []
    for each in compared(range(given.first, given.first + given.groups)):
        found.append(each)
        if given.v and not each.inside:
            gaps = each.program.gaps_ms
            print(
                f"seed {each.group.seed} {each.group.assignor} {each.member}: {each.true_ms} ms is read as"
                f" {gaps[0]} … {gaps[len(gaps) // 2]} … {gaps[-1]} ms; longest wait {each.longest_wait_ms} ms"
            )
    print("\n".join(figures(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
