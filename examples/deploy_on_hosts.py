"""What one deploy costs under each assignor, by the host and the age of the group: `python deploy_on_hosts.py SEEDS`.

Prints a table: unavailable partition-seconds after start-up, the median of the seeds, and the least and the most.
"""

from __future__ import annotations

import sys
from statistics import median

import groupsim

STRATEGY = "partition.assignment.strategy"
WAYS: dict[str, dict[str, str]] = {
    "range": {STRATEGY: "range"},
    "cooperative-sticky": {STRATEGY: "cooperative-sticky"},
    "consumer protocol": {"protocol": "consumer"},
}
GROUPS: dict[str, dict[str, str]] = {
    "ideal": {"host": "ideal"},
    "quiet, young": {"host": "quiet"},
    "quiet, after 8 hours": {"host": "quiet", "quiet.ms": "28800000"},
    "half-busy, young": {"host": "half-busy"},
    "half-busy, after 8 hours": {"host": "half-busy", "quiet.ms": "28800000"},
    "busy, young": {"host": "busy"},
    "busy, after 8 hours": {"host": "busy", "quiet.ms": "28800000"},
}


@groupsim.scenario(lasts=groupsim.minutes(5))
def deploy(
    world: groupsim.World, members: int = 10, partitions: int = 50, protocol: str = "classic"
) -> groupsim.Script:
    """Members are stopped and started one after the other."""
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", protocol=protocol)
    running = group.join(members, topics=[orders], spread=groupsim.seconds(1))
    yield group.stable(members=members, within=groupsim.minutes(1))
    yield world.sleep(groupsim.seconds(30))
    for member in running:
        yield member.restart(downtime=groupsim.seconds(3))
        yield group.stable(members=members, within=groupsim.minutes(2))


def main(seeds: int) -> None:
    print("| host, group |", " | ".join(WAYS), "|")
    print("| --- |", " | ".join("---:" for _ in WAYS), "|")
    for group, where in GROUPS.items():
        cells = []
        for way in WAYS.values():
            runs = [groupsim.run(deploy, seed=seed, settings=way | where) for seed in range(seeds)]
            costs = [float(run.measures["after_start_ms"] or 0) / 1_000 for run in runs]
            cells.append(f"{median(costs):.0f} ({min(costs):.0f}–{max(costs):.0f})")
        print(f"| {group} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
