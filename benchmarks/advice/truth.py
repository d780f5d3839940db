"""A thousand seeds of every choice of the problems, simulated once and kept: `truth/NNN.npz`.

`python -m benchmarks.advice.truth [--jobs N]` goes on where it was stopped: problem after problem, the
quickest first, each written at once. The values of a seed do not depend on what else is simulated.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.advice import bare
from benchmarks.advice.problems import HERE, Problem, find, listed
from groupsim.events.errors import GroupsimError
from groupsim.pipeline.parallel import streamed
from groupsim.storage.rare_collections import rare_collections

SEEDS = 1_000
FOLDER = Path(os.environ.get("GROUPSIM_ADVICE_TRUTH", HERE / "truth"))
Values = dict[str, npt.NDArray[np.float64]]
"""By measure: a row for each choice, a column for each seed."""


def simulated(problem: Problem, seeds: int = SEEDS) -> Values:
    """The goal, and the measure that has a bound. Raises GroupsimError or ValueError for a run that fails."""
    names, scenario, choices = [problem.minimise, *problem.bounds], find(problem.scenario), problem.choices()
    values = {name: np.zeros((len(choices), seeds)) for name in names}
    with rare_collections():
        for i, choice in enumerate(choices):
            for seed in range(seeds):
                row = bare.measure(scenario, problem.settings(choice, seed), seed)
                for name in names:
                    values[name][i, seed] = row[name]
    return values


def place(problem: Problem) -> Path:
    """Where its truth is kept."""
    return FOLDER / f"{problem.id:03}.npz"


def keep(problem: Problem) -> str:
    """Simulate it and write its truth; what came of it."""
    try:
        truth = simulated(problem)
    except (GroupsimError, ValueError) as error:
        place(problem).with_suffix(".failed").write_text(f"{error}\n", encoding="utf-8")
        return f"{problem.id}: {error}"
    half = place(problem).with_suffix(".half")
    whole: dict[str, Any] = {name: values.astype(np.int32) for name, values in truth.items()}
    with half.open("wb") as file:
        np.savez_compressed(file, **whole)
    half.replace(place(problem))
    means = {name: values.mean(axis=1).round(1).tolist() for name, values in truth.items()}
    return f"{problem.id}: {json.dumps(means)}"


def main() -> None:
    """Simulate what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1)
    jobs = parser.parse_args().jobs
    FOLDER.mkdir(parents=True, exist_ok=True)
    done = {path.stem for path in FOLDER.iterdir() if path.suffix in (".npz", ".failed")}
    missing = [p for p in listed() if f"{p.id:03}" not in done]
    missing.sort(key=lambda p: (p.facts * len(p.choices()), p.id))
    for line in streamed(jobs, keep, missing, at_once=1):
        print(line, flush=True)


if __name__ == "__main__":
    main()
