"""Everything from Python, with `import groupsim` alone: `python from_python.py LOGS` (a folder with logs of a group).

A scenario of one's own under two assignors, an incident explained and asked about, a sweep on Spark, a report.
"""

from __future__ import annotations

import sys
from pathlib import Path

import groupsim

STRATEGY = "partition.assignment.strategy"


@groupsim.scenario(lasts=groupsim.minutes(3))
def deploy(world: groupsim.World, members: int = 4, partitions: int = 12) -> groupsim.Script:
    """Members are stopped and started one after the other."""
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing")
    running = group.join(members, topics=[orders], spread=groupsim.seconds(1))
    yield group.stable(members=members, within=groupsim.minutes(1))
    for member in running:
        yield member.restart(downtime=groupsim.seconds(5))
        yield group.stable(members=members, within=groupsim.minutes(1))


def main(logs: Path, out: Path) -> None:
    # One scenario, two assignors, side by side.
    eager = groupsim.run(deploy, settings={STRATEGY: "range"})
    cooperative = groupsim.run(deploy, settings={STRATEGY: "cooperative-sticky"})
    compared = groupsim.compare(eager=eager, cooperative=cooperative)
    print(compared[compared["measure"] == "outage"])

    # What happened in an incident, why, and what to change.
    print(groupsim.explain(logs).answer)
    incident = groupsim.import_logs(logs)
    print(incident.headline)
    print(incident.unavailable().groupby("label")["duration"].sum())

    # What would have helped, and which setting is the best.
    print(incident.what_if(assignor="cooperative-sticky", settings={"membership": "static"}, seeds=range(6)).answer)
    print(groupsim.advise(incident, vary={"session.timeout.ms": [6_000, 45_000]}, budget=6, jobs=1).answer)

    # Many runs on Spark, as one table.
    grid = {STRATEGY: ["range", "cooperative-sticky"]}
    runs = groupsim.sweep(deploy, grid=grid, seeds=range(3), to=out / "lake", master="local[2]").to_frame()
    print(runs.groupby(STRATEGY)["after_start_ms"].median())

    print(incident.report(out / "incident.html"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
