"""`groupsim fuzz`: the same story under one seed after the other, until something that must hold does not."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Annotated, Any

import typer

from groupsim.cli.errors import BadRequest
from groupsim.cli.options import INTERRUPTED, Format, FormatOption, pairs
from groupsim.cli.output import note, plain, write_json
from groupsim.cli.progress import progress
from groupsim.cli.run import ScenarioArgument, SetOption

STORY = "story"
"""What stands for an invariant's name where the story itself failed; `bug` where the simulator did."""
BUG = "bug"
CHUNK = 4
PATIENCE_S = 60
"""Seconds of wall time for one seed; a run that takes longer goes round in circles."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What went wrong first under a seed; `at_ms` is None where the sentence tells the time itself."""

    seed: int
    invariant: str
    at_ms: int | None
    sentence: str


def fuzz(
    scenario: ScenarioArgument,
    seeds: Annotated[
        str, typer.Option("--seeds", metavar="A:B", help="From seed A up to, not including, B.")
    ] = "0:100",
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes to use.")] = 1,
    settings: SetOption = [],  # noqa: B006  typer copies it
    form: FormatOption = Format.TABLE,
) -> None:
    """Run a scenario under many seeds until an invariant breaks or the story fails; nothing is stored.

    Example: groupsim fuzz swarm --seeds 0:1000 --jobs 2
    """
    from groupsim.scenarios import catalogue

    wanted, chosen = span(seeds), pairs(settings, "--set")
    catalogue.find(scenario)
    tried, finding = 0, None
    with progress(scenario) as bar, _results(scenario, chosen, wanted, jobs) as results:
        try:
            for tried, finding in enumerate(results, start=1):
                bar(tried / len(wanted))
                if finding is not None:
                    break
        except KeyboardInterrupt:
            note(f"groupsim: interrupted after {tried:,} of {len(wanted):,} seeds; none had failed")
            raise typer.Exit(INTERRUPTED) from None
    again = None if finding is None else _again(scenario, chosen, finding.seed)
    if form is Format.TABLE:
        _print(scenario, seeds, tried, finding, again)
    else:
        told = None if finding is None else {**asdict(finding), "again": again}
        write_json({"scenario": scenario, "seeds": seeds, "runs": tried, "failed": told})
    if finding is not None:
        raise typer.Exit(1)


def span(text: str) -> range:
    """`A:B` as a range. Raises BadRequest."""
    first, colon, last = text.partition(":")
    try:
        found = range(int(first), int(last)) if colon else range(int(first), int(first) + 1)
    except ValueError:
        raise BadRequest(f"--seeds {text!r}: expected A:B, two whole numbers") from None
    if not found:
        raise BadRequest(f"--seeds {text!r}: no seed is in it; A must be less than B")
    return found


@contextmanager
def _results(scenario: str, settings: Mapping[str, str], seeds: range, jobs: int) -> Iterator[Iterator[Finding | None]]:
    """Findings in the order of the seeds, so that the first one is the same whatever the number of processes."""
    work = ((scenario, settings, seed) for seed in seeds)
    if jobs == 1:
        yield map(_one, work)
        return
    with multiprocessing.get_context("spawn").Pool(min(jobs, len(seeds))) as pool:
        yield pool.imap(_one, islice(work, len(seeds)), CHUNK)


def _one(work: tuple[str, Mapping[str, str], int]) -> Finding | None:
    """One seed; None if all was well. An exception of the simulator's own is a finding too: it is a bug.

    Raises BadRequest where the request, not the run, is wrong.
    """
    from groupsim.events.errors import GroupSimError
    from groupsim.scenarios import catalogue
    from groupsim.simulation.errors import StoryError
    from groupsim.simulation.run import run
    from groupsim.storage.memory import MemoryStore

    reference, settings, seed = work
    try:
        with _patience():
            result = run(catalogue.find(reference), MemoryStore(), seed=seed, settings=settings, record="facts")
    except StoryError as error:
        return Finding(seed, BUG, None, str(error))
    except GroupSimError as error:
        raise BadRequest(f"{reference}, seed {seed}: {error}") from None
    except Exception as error:  # whatever it is, the seed is what helps
        return Finding(seed, BUG, None, f"{type(error).__name__}: {error}")
    if result.info.status == "interrupted":
        raise KeyboardInterrupt
    broken: list[Any] = sorted((v for said in result.violations.values() for v in said), key=lambda v: v.seq)
    if broken:
        return Finding(seed, broken[0].name, broken[0].at_ms, broken[0].sentence)
    return None if result.failure is None else Finding(seed, STORY, None, result.failure)


@contextmanager
def _patience() -> Iterator[None]:
    """Raises TimeoutError inside the block when it takes too long, where the system has such an alarm."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"no end after {PATIENCE_S} s of wall time")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _again(scenario: str, settings: Mapping[str, str], seed: int) -> str:
    chosen = "".join(f" --set {key}={value}" for key, value in settings.items())
    return f"groupsim run {plain(scenario)} --seed {seed}{plain(chosen)}"


def _print(scenario: str, seeds: str, tried: int, finding: Finding | None, again: str | None) -> None:
    if finding is None:
        print(f"ok    {plain(scenario)}: {tried:,} {'seed' if tried == 1 else 'seeds'} ({seeds}), nothing broke")
        return
    at = "" if finding.at_ms is None else f"  at {finding.at_ms:,} ms"
    print(f"FAIL  {finding.invariant}  seed {finding.seed}{at}  {plain(finding.sentence)}")
    looks = "" if finding.at_ms is None else f"      look: groupsim show latest --around {finding.at_ms}"
    print(f"      again: {again}{looks}")
