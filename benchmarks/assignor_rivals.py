"""What the assignors are measured against: Kafka's own Java classes and kafka-python, fetched into a cache folder.

Nothing here is needed to use the project; what cannot be fetched or run is left out with a note.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groupsim.assignors.spec import Spec
from recorders.assignors.java_harness import SOURCE, JavaAnswer, read_answers, write_problem

KAFKA_CLIENTS = "org.apache.kafka:kafka-clients:3.9.0"
SLF4J = "org.slf4j:slf4j-api:1.7.36"
KAFKA_PYTHON = "kafka-python==3.0.12"
CACHE = Path(os.environ.get("GROUPSIM_BENCH_CACHE", Path.home() / ".cache" / "groupsim-bench"))


class LeftOut(Exception):
    """Why a column is left out, in one sentence."""


@dataclass(frozen=True, slots=True)
class Timed:
    """The median of `runs` runs in ms; `answer` is each member's partitions as topic:number, in order, or empty."""

    ms: float
    runs: int
    answer: JavaAnswer


def java_classpath() -> str:
    """Compile the harness against kafka-clients, fetched by Maven if it is not there yet. LeftOut if that fails."""
    jars = [CACHE / f"{c.split(':')[1]}-{c.split(':')[2]}.jar" for c in (KAFKA_CLIENTS, SLF4J)]
    for coordinates, jar in zip((KAFKA_CLIENTS, SLF4J), jars, strict=True):
        if not jar.exists():
            _run("mvn", "-q", "dependency:copy", f"-Dartifact={coordinates}", f"-DoutputDirectory={CACHE}")
    path = os.pathsep.join([str(CACHE / "classes"), *map(str, jars)])
    _run("javac", "-d", str(CACHE / "classes"), "-cp", path, str(SOURCE))
    return path


def java(problems: Mapping[str, Spec], assignor: str, runs: int) -> dict[str, Timed]:
    """Each problem's median in a warm JVM (up to 200 warm-up runs for small ones). LeftOut without a JVM."""
    runs_of_java = _harness(problems, assignor, runs, warm=True)
    return {name: Timed(nanos / 1e6, runs, answer) for name, (nanos, _, answer) in runs_of_java.items()}


def java_answers(problems: Mapping[str, Spec], assignor: str) -> dict[str, tuple[str, JavaAnswer]]:
    """`ok` or the exception (class and message), and the answer, of each problem. LeftOut without a JVM."""
    runs_of_java = _harness(problems, assignor, 1, warm=False)
    return {name: (status, answer) for name, (_, status, answer) in runs_of_java.items()}


def _harness(
    problems: Mapping[str, Spec], assignor: str, runs: int, *, warm: bool
) -> dict[str, tuple[int, str, JavaAnswer]]:
    path = java_classpath()
    source, target = CACHE / "problems.txt", CACHE / "answers.txt"
    with source.open("w") as file:
        for name, spec in problems.items():
            warmups = (200 if sum(spec.partitions.values()) < 20_000 else 15) if warm else 0
            write_problem(file, f"{name} {assignor} {warmups} {runs}", spec)
    # without the option a hot NullPointerException loses its message
    _run("java", "-XX:-OmitStackTraceInFastThrow", "-Xmx4g", "-cp", path, "AssignorBench", str(source), str(target))
    return read_answers(target)


def _run(*command: str) -> None:
    if shutil.which(command[0]) is None:
        raise LeftOut(f"no {command[0]} on this machine")
    CACHE.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
    if done.returncode:
        raise LeftOut(f"{command[0]} failed: {done.stderr.strip().splitlines()[-1:] or done.returncode}")


def kafka_python_folder() -> Path:
    """The folder that holds kafka-python, installed by pip if it is not there yet. LeftOut if that fails."""
    folder = CACHE / "kafka-python"
    if not (folder / "kafka").exists():
        _run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder), KAFKA_PYTHON)
    return folder


def kafka_python(spec: Spec) -> Callable[[], object]:
    """A call of kafka-python's StickyPartitionAssignor on the problem, everything prepared."""
    folder = str(kafka_python_folder())
    if folder not in sys.path:
        sys.path.append(folder)
    from kafka.coordinator.assignors.sticky.sticky_assignor import (  # type: ignore[import-untyped]
        StickyPartitionAssignor,
    )
    from kafka.structs import TopicPartition  # type: ignore[import-untyped]

    class Cluster:
        def topics(self) -> list[str]:
            return sorted(spec.partitions)

        def partitions_for_topic(self, topic: str) -> set[int]:
            return set(range(spec.partitions[topic]))

    @dataclass
    class Member:
        member_id: str
        metadata: Any

    members = []
    for m in spec.members:
        owned = [TopicPartition(topic, number) for topic, number in m.owned] if m.generation >= 0 else None
        # The stub is that of an older kafka-python.
        metadata = StickyPartitionAssignor._metadata(m.topics, owned, m.generation)  # pyright: ignore[reportAttributeAccessIssue]
        members.append(Member(m.id, metadata))
    return lambda: StickyPartitionAssignor().assign(Cluster(), members)


def median_ms(call: Callable[[], object], runs: int, budget_s: float) -> tuple[float, int]:
    """The median of up to `runs` runs; fewer, but one at least, when they would take longer than the budget."""
    times: list[float] = []
    while len(times) < runs and (not times or sum(times) * (1 + 1 / len(times)) < budget_s):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * 1e3, len(times)
