"""Advices that are killed: those of a scenario and of an incident, in one process and in several."""

from __future__ import annotations

import contextlib
from functools import cache
from pathlib import Path
from random import Random

from groupsim.pipeline.parallel import RESULTS
from tests.adversary.called import Finding, call
from tests.adversary.children import Bench, bench
from tests.adversary.interrupted import LOGS
from tests.adversary.processes import SIGNALS, gone, signalled

OF_SCENARIO = ("advise", "close_during_rebalance", "--vary", "session.timeout.ms=6000,10000", "--budget", "12")
OF_INCIDENT = ("advise", "latest", "--vary", "session.timeout.ms=6000,10000", "--budget", "8")


@cache
def _incident(folder: Path) -> str:
    store = folder / "advised.db"
    call("incident", "import", *map(str, LOGS), "--store", str(store))
    return str(store)


@cache
def _true(folder: Path, asked: tuple[str, ...]) -> tuple[int, str, frozenset[str]]:
    """Status, answer and the names of the results of an advice that nothing happens to; it says the same if it keeps
    nothing."""
    with bench() as own:
        asked = (*asked, "--jobs", "1", "--format", "json")
        keeping, done = call(*asked, "--to", str(own.made / "kept")), call(*asked)
        if done.status == 2 or keeping != done or not (names := frozenset(_kept(own))):
            raise Finding(f"an advice: status {done.status}: {done.err[-300:]!r}; another answer with --to")
        return done.status, done.out, names


def killed(rng: Random, folder: Path) -> None:
    """An advice that is killed, or asked to end, goes on to the same answer; what is kept is not computed again."""
    asked = OF_SCENARIO if rng.random() < 0.7 else (*OF_INCIDENT, "--store", _incident(folder))
    number, jobs = rng.choice(SIGNALS), rng.choice(["1", "1", "2"])
    status, answer, names = _true(folder, asked)
    kept = rng.choice([None, *range(len(names))])
    then_s = rng.random() * (1.5 if kept is None else 0.1)
    what = f"{' '.join(asked[:2])} --jobs {jobs} (signal {number} after {kept} runs and {then_s:.3f} s)"
    with bench() as own:
        kept_in = own.made / "kept"
        command = (*asked, "--to", str(kept_in), "--format", "json")
        left = signalled(own, (*command, "--jobs", jobs), number, lambda: len(_kept(own)) < (kept or 0), then_s, what)
        if alive := gone(left, 60):
            raise Finding(f"{what}: still there after a minute: {alive}")
        before = _kept(own)
        resume = ("--resume",) if (kept_in / "advice.json").exists() else ()
        again = call(*command, "--jobs", "1", *resume)
        if (again.status, again.out) != (status, answer):
            raise Finding(f"{what}: continued to another answer: {again.status} {again.err[-200:]!r}")
        after = _kept(own)
        if after.keys() != names:
            raise Finding(f"{what}: keeps {len(after)} results, not {len(names)}")
        if any(after[name] != at for name, at in before.items()):
            raise Finding(f"{what}: a run that was kept was simulated again")
        if odd := [str(path.name) for path in kept_in.rglob(".*") if path.name != ".lock"]:
            raise Finding(f"{what}: leaves {odd[0]}")


def _kept(own: Bench) -> dict[str, int]:
    """The results that are kept, and since when."""
    found = {}
    for file in (own.made / "kept" / RESULTS).glob("*.json"):
        with contextlib.suppress(FileNotFoundError):
            found[file.name] = file.stat().st_mtime_ns
    return found
