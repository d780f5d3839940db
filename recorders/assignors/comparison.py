"""Kafka's Java assignors and ours on random problems: how many answers are equal, to the partition."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.errors import AssignorError
from groupsim.assignors.spec import Spec
from recorders.assignors.java_harness import JavaAnswer, as_coordinator, lines, read_answers, write_problem
from recorders.assignors.random_problems import problem
from recorders.broker import fetch

CLIENT_SIDE = ("range", "roundrobin", "sticky", "cooperative-sticky")
SERVER_SIDE = ("uniform-4.1", "server-range")


def ours(spec: Spec, assignor: str) -> tuple[str, JavaAnswer]:
    """`ok` or the exception as Java prints it, and the answer."""
    try:
        return "ok", lines(ASSIGNORS[assignor].assign(spec))
    except AssignorError as error:
        return str(error), {}


def compare(seeds: range, version: str = fetch.VERSION) -> dict[str, Any]:
    """Per assignor how many answers were equal, how many of these were exceptions, and which seeds differ."""
    specs = {seed: problem(seed) for seed in seeds}
    by_assignor: dict[str, Any] = {}
    folder = Path(tempfile.mkdtemp(prefix="groupsim-assignors-"))
    try:
        source, target = folder / "problems.txt", folder / "answers.txt"
        for assignor in (*CLIENT_SIDE, *SERVER_SIDE):
            server = assignor in SERVER_SIDE
            asked = {seed: as_coordinator(spec) for seed, spec in specs.items()} if server else specs
            with source.open("w") as file:
                for seed, spec in asked.items():
                    write_problem(file, f"{seed} {assignor} 0 1", spec)
            main = "ServerAssignorBench" if server else "AssignorBench"
            fetch.run_java(main, str(source), str(target), version=version)
            answers = {int(name): (status, answer) for name, (_, status, answer) in read_answers(target).items()}
            different = [seed for seed in seeds if ours(asked[seed], assignor) != answers.get(seed)]
            errors = sum(status != "ok" for status, _ in answers.values())
            by_assignor[assignor] = {"equal": len(specs) - len(different), "exceptions": errors, "different": different}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {"kafka": version, "seeds": [seeds.start, seeds.stop], "assignors": by_assignor}
