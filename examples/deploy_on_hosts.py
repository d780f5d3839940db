"""What one deploy costs under each assignor, by the host and the age of the group: `python deploy_on_hosts.py SEEDS`.

Prints a table of unavailable partition-seconds after start-up (the median of the seeds, the least and the most), and
one of pairs: which of two costs less; bold where that is not the same everywhere. `--small` is a deploy that was
recorded: 3 members, 12 partitions, one every 4 s, away for 1.5 s. `--members`, `--partitions` and `--client` ask for a
group of your own; assignors that its client does not have are left out. `--recorded FOLDER...` prints what it cost in
these recordings of Java members (each a `recording.json`).
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import combinations
from pathlib import Path
from statistics import median

import groupsim

STRATEGY = "partition.assignment.strategy"
CLASSIC = ("range", "roundrobin", "sticky", "cooperative-sticky", "RoundRobinAssigner")
WAYS: dict[str, dict[str, str]] = {name: {STRATEGY: name} for name in CLASSIC} | {
    "consumer protocol": {"protocol": "consumer"}
}
OLD = {"quiet.ms": "28800000"}
GROUPS: dict[str, dict[str, str]] = {
    "ideal": {"host": "ideal"},
    "quiet, young": {"host": "quiet"},
    "quiet, 8 h old": {"host": "quiet", **OLD},
    "busy, young": {"host": "busy"},
    "busy, 8 h old": {"host": "busy", **OLD},
}
TIMEOUTS = {"session.timeout.ms": "6000", "heartbeat.interval.ms": "1000"}
OF_GROUP = {f"group.consumer.{least}{name}": value for name, value in TIMEOUTS.items() for least in ("", "min.")}
SMALL: dict[str, str] = {"members": "3", "partitions": "12", "away_ms": "1500", "every_ms": "4000"}
Costs = dict[str, list[float]]


@groupsim.scenario(lasts=groupsim.minutes(5))
def deploy(
    world: groupsim.World,
    members: int = 10,
    partitions: int = 50,
    protocol: str = "classic",
    away_ms: int = 3_000,
    every_ms: int = 0,
) -> groupsim.Script:
    """Members are stopped and started one after the other: when all is settled, or every so many ms."""
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", protocol=protocol)
    running = group.join(members, topics=[orders], spread=groupsim.seconds(1))
    yield group.stable(members=members, within=groupsim.minutes(1))
    yield world.sleep(groupsim.seconds(30))
    for member in running:
        began = world.now
        yield member.restart(downtime=away_ms)
        if every_ms:
            yield world.sleep(max(0, began + every_ms - world.now))
        else:
            yield group.stable(members=members, within=groupsim.minutes(2))
    yield group.stable(members=members, within=groupsim.minutes(2))


def ways_of(own: dict[str, str]) -> dict[str, dict[str, str]]:
    """Those that the members of this group can have: client libraries differ. Raises GroupsimError if there is none."""
    found, refused = {}, groupsim.GroupsimError()
    for name, way in WAYS.items():
        try:
            groupsim.run(deploy, settings=way | own | {"duration.ms": "1"})
            found[name] = way
        except groupsim.GroupsimError as error:
            refused = error
            if "client" in own:
                print(f"left out: {name}: {error}", file=sys.stderr)
    if not found:
        raise refused
    return found


def costs(way: dict[str, str], where: dict[str, str], seeds: int, small: bool, own: dict[str, str]) -> list[float]:
    """Partition-seconds, sorted. `own`: settings of a group of one's own."""
    timeouts = OF_GROUP if "protocol" in way else TIMEOUTS
    settings = way | where | (SMALL | timeouts if small else {}) | own
    runs = [groupsim.run(deploy, seed=seed, settings=settings) for seed in range(seeds)]
    return sorted(float(run.measures["after_start_ms"] or 0) / 1_000 for run in runs)


def cheaper(one: str, other: str, of: dict[str, list[float]]) -> str:
    """The one that costs less, whatever the seeds; `either` where the ranges overlap."""
    if of[one][-1] < of[other][0]:
        return one
    return other if of[other][-1] < of[one][0] else "either"


def table(head: str, rows: dict[str, list[str]], align: str) -> None:
    print(f"| {head} | {' | '.join(GROUPS)} |")
    print(f"| --- | {' | '.join(align for _ in GROUPS)} |")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |")


def recorded(folders: list[Path]) -> None:
    """By assignor, release of Kafka and size: each recorded cost, and how busy the machine was."""
    print("| assignor | Kafka | members, partitions, heartbeat | partition-seconds | the machine was busy |")
    print("| --- | --- | --- | ---: | ---: |")
    found: dict[tuple[int, str, str], list[tuple[float, float]]] = {}
    for file in sorted(file for folder in folders for file in folder.glob("S07-*/recording.json")):
        _, name, what, _ = file.parent.name.split("__")
        run = json.loads(file.read_text())
        way = "consumer protocol" if name == "kip848-uniform" else name
        if way in WAYS and what in ("d0", "d0-f01"):
            given = run["config"]
            size = f"{given['members_started']}, {sum(given['partitions'].values())}"
            key = (
                list(WAYS).index(way),
                f"{size}, {given['heartbeat.interval.ms'] / 1_000:.0f} s",
                run["kafka_version"][:3],
            )
            cost = run["summary"]["unavailable_partition_ms"] / 1_000
            found.setdefault(key, []).append((cost, run["machine_cpu_busy"]["mean"]))
    for (way_number, size, release), runs in sorted(found.items()):
        costs, shares = zip(*sorted(runs), strict=True)
        said = ", ".join(f"{cost:.1f}" for cost in costs)
        print(f"| {list(WAYS)[way_number]} | {release} | {size} | {said} | {min(shares):.0%} to {max(shares):.0%} |")


def main(seeds: int, small: bool, own: dict[str, str]) -> None:
    ways = ways_of(own)
    found = {where: {n: costs(way, GROUPS[where], seeds, small, own) for n, way in ways.items()} for where in GROUPS}
    each = {way: [found[where][way] for where in GROUPS] for way in ways}
    digits = 1 if small else 0
    shown = {
        where: {way: [round(cost, digits) for cost in seen] for way, seen in ways.items()}
        for where, ways in found.items()
    }
    figure = "{:.1f} ({:.1f}–{:.1f})" if small else "{:.0f} ({:.0f}–{:.0f})"
    rows = {way: [figure.format(median(c), c[0], c[-1]) for c in cells] for way, cells in each.items()}
    table("assignor", rows, "---:")
    alike: dict[str, list[str]] = {}
    for way, cells in each.items():
        alike.setdefault(str(cells), []).append(way)
    pairs = {}
    for one, other in combinations([ways[0] for ways in alike.values()], 2):
        less = [cheaper(one, other, shown[where]) for where in GROUPS]  # as the first table has it
        sure = len(set(less)) == 1
        pairs[f"{one} or {other}" if sure else f"**{one} or {other}**"] = less
    if pairs:
        print()
        table("which costs less", pairs, "---")
    for first, *others in alike.values():
        if others:
            print(f"\n{' and '.join(others)} cost the same as {first} under every seed")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="?", default=12)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--recorded", type=Path, nargs="+")
    for option, kind in (("members", int), ("partitions", int), ("client", str)):
        parser.add_argument(f"--{option}", type=kind)
    asked = parser.parse_args()
    if asked.recorded:
        recorded(asked.recorded)
    else:
        given = {name: getattr(asked, name) for name in ("members", "partitions", "client")}
        try:
            main(asked.seeds, asked.small, {name: str(value) for name, value in given.items() if value is not None})
        except groupsim.GroupsimError as error:
            parser.error(str(error))
