"""The coordinator's sticky assignor for streams groups beside Kafka's class, 1,000 members x 10,000 tasks.

`python -m benchmarks.streams_assignor`.
CPU times of one thread on both sides, medians, taken in one run; answers are compared. Needs a JVM and Maven. What
members have before is the answer of the assignor itself.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from groupsim.assignors.kafka.streams_sticky import (
    MemberTasks,
    StreamsMember,
    StreamsProblem,
    Subtopology,
    streams_sticky,
)
from recorders.assignors.java_tasks import ask

MEMBERS, SUBTOPOLOGIES, PARTITIONS = 1_000, 10, 1_000
THREADS = 4
RUNS, WARM_UPS = 15, 200


def problems() -> Iterator[tuple[str, StreamsProblem]]:
    """Fresh, one member fewer, one more, and a tenth exchanged, without and with a standby of every stateful task."""
    rng = Random(1)
    names = [f"{rng.getrandbits(128):032x}" for _ in range(MEMBERS + MEMBERS // THREADS)]
    members = tuple(StreamsMember(names[i], names[MEMBERS + i // THREADS]) for i in range(MEMBERS))
    subtopologies = {str(i): Subtopology(PARTITIONS, stateful=i % 2 == 0) for i in range(SUBTOPOLOGIES)}
    for standbys in (0, 1):
        fresh = StreamsProblem(members, subtopologies, standbys)
        yield f"standbys={standbys}/fresh", fresh
        given = streams_sticky(fresh)
        had = tuple(replace(one, active=given[one.id].active, standby=given[one.id].standby) for one in members)
        yield f"standbys={standbys}/one-leaves", replace(fresh, members=had[1:])
        yield f"standbys={standbys}/one-joins", replace(fresh, members=(*had, StreamsMember("new", "new")))
        tenth = MEMBERS // 10
        others = tuple(StreamsMember(f"new-{i:03d}", f"new-{i // THREADS}") for i in range(tenth))
        yield f"standbys={standbys}/tenth-exchanged", replace(fresh, members=had[tenth:] + others)


def as_line(name: str, problem: StreamsProblem) -> dict[str, Any]:
    """The problem as StreamsBench.java reads it."""

    def numbers(of: Mapping[str, Any]) -> dict[str, list[int]]:
        return {subtopology: list(some) for subtopology, some in of.items()}

    members = [
        {"id": one.id, "process": one.process, "active": numbers(one.active), "standby": numbers(one.standby)}
        for one in problem.members
    ]
    topology = {of: {"partitions": one.tasks, "stateful": one.stateful} for of, one in problem.subtopologies.items()}
    return {
        "id": name,
        "assignor": "coordinator-sticky",
        "members": members,
        "subtopologies": topology,
        "num_standby_replicas": problem.standbys,
        "warmups": WARM_UPS,
        "runs": RUNS,
    }


def in_their_form(answer: Mapping[str, MemberTasks]) -> dict[str, dict[str, dict[str, list[int]]]]:
    """Our answer as StreamsBench.java writes Kafka's."""
    return {
        member: {
            kind: {of: list(numbers) for of, numbers in getattr(mine, kind).items()} for kind in ("active", "standby")
        }
        for member, mine in answer.items()
    }


def cpu_ms(problem: StreamsProblem) -> float:
    """The median CPU time of ours."""
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        streams_sticky(problem)
        times.append(time.process_time() - began)
    return statistics.median(times) * 1e3


def main() -> None:
    """Print one row per situation."""
    print("| group | ours ms | Java ms | ours / Java | equal |")
    print("|---|---:|---:|---:|---|")
    asked = dict(problems())
    answers = ask(as_line(name, problem) for name, problem in asked.items())
    for (name, problem), kafkas in zip(asked.items(), answers, strict=True):
        ours, java = cpu_ms(problem), kafkas["nanos"] / 1e6
        same = in_their_form(streams_sticky(problem)) == kafkas["members"]
        print(f"| {name} | {ours:.1f} | {java:.1f} | {ours / java:.1f} | {'yes' if same else '**no**'} |", flush=True)


if __name__ == "__main__":
    main()
