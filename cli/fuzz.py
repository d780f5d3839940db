"""`groupsim fuzz`: a scenario under many seeds, until an invariant is broken or the scenario fails."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from groupsim.cli.errors import BadRequest, Interrupted
from groupsim.cli.options import FormatOption, key_values, seed_range
from groupsim.cli.output import Format, plain, write_json
from groupsim.cli.progress import progress
from groupsim.cli.run import ScenarioArgument, SetOption
from groupsim.storage.run_info import scenario_command
from groupsim.wording.numbers import counted

STORY = "story"
"""In place of an invariant's name: the scenario itself failed. `bug`: the simulator raised an exception."""
BUG = "bug"
TIMEOUT_S = 60
"""Wall time for one seed; a run that takes longer is taken for an endless loop."""
_AGAIN_S = 5.0
"""The alarm rings again: a story may catch everything, and where Python can't raise, one is lost."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The first failure under a seed; `at_ms` is None if the sentence itself contains the time."""

    seed: int
    invariant: str
    at_ms: int | None
    sentence: str


def fuzz(
    scenario: ScenarioArgument,
    seeds: Annotated[str, typer.Option("--seeds", metavar="A:B", help="The seeds from A up to B - 1.")] = "0:100",
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="The number of processes.")] = 1,
    settings: SetOption = [],  # noqa: B006  typer copies it
    form: FormatOption = Format.TABLE,
) -> None:
    """Run a scenario under many seeds until an invariant is broken or the scenario fails. Nothing is stored.

    Example: groupsim fuzz swarm --seeds 0:1000 --jobs 2
    """
    from groupsim.pipeline.parallel import streamed
    from groupsim.scenarios import catalogue

    wanted, chosen = seed_range(seeds), key_values(settings, "--set")
    catalogue.find(scenario)
    tried, finding = 0, None
    # In the order of the seeds: the first finding does not depend on the number of processes.
    coming = streamed(min(jobs, len(wanted)), _run_seed, ((scenario, chosen, seed) for seed in wanted))
    with progress(scenario) as bar, closing(coming) as results:
        try:
            for tried, finding in enumerate(results, start=1):
                bar(tried / len(wanted))
                if finding is not None:
                    break
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted after {tried:,} of {len(wanted):,} seeds; none of them failed") from None
    again = None if finding is None else plain(scenario_command("run", scenario, chosen, finding.seed))
    if form is Format.TABLE:
        _print(scenario, seeds, tried, finding, again)
    else:
        failed = None if finding is None else {**asdict(finding), "again": again}
        write_json({"scenario": scenario, "seeds": seeds, "runs": tried, "failed": failed})
    if finding is not None:
        raise typer.Exit(1)


def _run_seed(work: tuple[str, Mapping[str, str], int]) -> Finding | None:
    """Run one seed; None if nothing failed. An exception inside the simulator is a finding, too: a bug.

    Raises BadRequest if the request is wrong.
    """
    from groupsim.events.errors import GroupsimError
    from groupsim.scenarios import catalogue
    from groupsim.simulation.errors import ScenarioRaised
    from groupsim.simulation.run import run
    from groupsim.storage.memory import MemoryStore

    reference, settings, seed = work
    try:
        with _time_limit():
            result = run(catalogue.find(reference), MemoryStore(), seed=seed, settings=settings, record="facts")
    except ScenarioRaised as error:
        return Finding(seed, BUG, None, str(error))
    except GroupsimError as error:
        raise BadRequest(f"{reference}, seed {seed}: {error}") from None
    except Exception as error:  # report any exception with the seed that repeats it
        return Finding(seed, BUG, None, f"{type(error).__name__}: {error}")
    result.unless_interrupted()
    broken: list[Any] = sorted((v for said in result.violations.values() for v in said), key=lambda v: v.seq)
    if broken:
        return Finding(seed, broken[0].name, broken[0].at_ms, broken[0].sentence)
    return None if result.failure is None else Finding(seed, STORY, None, result.failure)


@contextmanager
def _time_limit() -> Iterator[None]:
    """Raises TimeoutError inside the block after TIMEOUT_S, on systems that have alarm signals."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"not finished after {TIMEOUT_S} s of wall time")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, TIMEOUT_S, _AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _print(scenario: str, seeds: str, tried: int, finding: Finding | None, again: str | None) -> None:
    if finding is None:
        print(f"ok    {plain(scenario)}: {counted(tried, 'seed')} ({seeds}), no failure")
        return
    at = "" if finding.at_ms is None else f"  at {finding.at_ms:,} ms"
    print(f"FAIL  {finding.invariant}  seed {finding.seed}{at}  {plain(finding.sentence)}")
    then = "" if finding.at_ms is None else f"      then: groupsim show latest --around {finding.at_ms}"
    print(f"      repeat with: {again}{then}")
