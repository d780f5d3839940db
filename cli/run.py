"""`groupsim run`: simulate a scenario and print how long partitions were unavailable."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.cli.completion import scenario_names
from groupsim.cli.errors import BadRequest, Interrupted
from groupsim.cli.existing_store import DEFAULT_STORE
from groupsim.cli.options import FormatOption, StoreOption, TrustOption, check_record_mode, key_values
from groupsim.cli.output import Format, error, plain, write_json
from groupsim.cli.progress import progress
from groupsim.cli.signals import was_signalled
from groupsim.cli.summary import headline, title
from groupsim.simulation.errors import RunInterrupted
from groupsim.storage.run_info import resume_command, scenario_command
from groupsim.storage.store import RunInfo, RunSource, RunStatus

if TYPE_CHECKING:
    from groupsim.simulation.run import RunResult
    from groupsim.storage import EventStore

    Play = Callable[[EventStore, list[RunResult]], None]
    """Simulates into a store, and adds the result to the list: Ctrl-C may come before it is returned."""

_SCENARIO = typer.Argument(
    metavar="SCENARIO",
    help="A built-in name, path/to/file.py, or path/to/file.py::function.",
    autocompletion=scenario_names,
)
ScenarioArgument = Annotated[str, _SCENARIO]
SetOption = Annotated[
    list[str],
    typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the scenario, or a Kafka setting."),
]
RecordOption = Annotated[
    str, typer.Option("--record", metavar="all|facts", help="`facts` omits heartbeats and messages.")
]


ResumeOption = Annotated[
    str | None,
    typer.Option("--resume", metavar="RUN", help="Continue a run whose process was killed, instead of a SCENARIO."),
]


def run(
    scenario: Annotated[str | None, _SCENARIO] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed; each scenario has a default.")] = None,
    settings: SetOption = [],  # noqa: B006  typer copies it
    record: RecordOption = "all",
    resume: ResumeOption = None,
    trust: TrustOption = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Simulate a scenario, store its facts, and print how long partitions were unavailable.

    Totals begin when the groups first worked; start-up, with the initial rebalance delay, stands beside them.

    Example: groupsim run rolling_restart --seed 7 --set session.timeout.ms=10000
    """
    from groupsim.api.numbers import of_simulated
    from groupsim.storage import open_store

    if form is Format.CSV:
        raise BadRequest("--format must be table or json for a run, not csv")
    check_record_mode(record)
    own_file = scenario is not None and (scenario.partition("::")[0].endswith(".py") or "/" in scenario)
    if resume is not None and ((scenario and not own_file) or settings or seed is not None or record != "all"):
        raise BadRequest("--resume takes scenario, seed and settings from the stored run: omit them (but name a file)")
    if trust and resume is None:
        raise BadRequest("--trust is for --resume: a SCENARIO that you name is executed")
    if resume is None and scenario is None:
        raise BadRequest(
            "a SCENARIO is missing; `groupsim scenarios` lists the built-in ones;"
            " for example: groupsim run rolling_restart"
        )
    simulate_into = _resumed(resume, scenario, trust) if resume else _new(str(scenario), seed, settings, record)
    played: list[RunResult] = []
    try:
        with closing(open_store(store, create=resume is None)) as opened:
            simulate_into(opened, played)
            (result,) = played
            summary = of_simulated(opened, result.unless_interrupted())
        if form is Format.TABLE:
            _print(summary, scenario or result.info.scenario_path or result.info.name)
        else:
            write_json(summary)
    except (KeyboardInterrupt, Exception) as stopped:
        # A library may have made an error of its own out of a KeyboardInterrupt.
        if not (isinstance(stopped, KeyboardInterrupt) or was_signalled()):
            raise
        info = stopped.info if isinstance(stopped, RunInterrupted) else played[0].info if played else None
        raise Interrupted(_left(info)) if info else stopped from None
    if result.failure is not None:
        error(f"{result.info.name} failed: {result.failure}")
    if not result.ok:
        raise typer.Exit(1)


def _left(info: RunInfo) -> str:
    """What Ctrl-C left of a run."""
    if info.status == RunStatus.RUNNING:
        return f"interrupted; run {info.id} stays as it is stored, and `{resume_command(info)}` continues it"
    if info.status == RunStatus.INTERRUPTED:
        return f"interrupted at {info.simulated_ms:,} ms; run {info.id} has every fact up to then"
    return f"interrupted; run {info.id} was over by then, and is whole: groupsim unavailable {info.id}"


def _new(scenario: str, seed: int | None, settings: list[str], record: str) -> Play:
    """Simulates the scenario. Unknown scenarios are refused here, before a store is created."""
    from groupsim.scenarios import catalogue
    from groupsim.simulation.run import run as simulate

    found = catalogue.find(scenario)
    chosen = key_values(settings, "--set")

    def play(store: EventStore, played: list[RunResult]) -> None:
        with progress(found.name) as bar:
            played.append(simulate(found, store, seed=seed, settings=chosen, record=record, progress=bar))

    return play


def _resumed(reference: str, named: str | None, trust: bool) -> Play:
    """Continues a stored run; `named`: its scenario file, if the user names it; `trust`: the store may name it."""
    from groupsim.scenarios.scenario_of_run import Consent, scenario_of
    from groupsim.simulation.run import resume

    def play(store: EventStore, played: list[RunResult]) -> None:
        info = store.find(reference)
        if info.source != RunSource.SIMULATED:
            raise BadRequest(f"run {info.id} was recorded, not simulated, so it can't be resumed")
        if info.status != RunStatus.RUNNING:
            whole = info.status == RunStatus.FINISHED
            again = "" if whole else "; run it again: the same scenario, settings and seed give the same facts"
            raise BadRequest(f"run {info.id} has ended ({info.status}), so it can't be resumed{again}")
        scenario = scenario_of(info, Consent(named, trust, f"name it: groupsim run FILE --resume {info.id}"))
        with progress(scenario.name) as bar:
            played.append(resume(scenario, store, info.id, progress=bar))

    return play


def _verdict(invariant: dict[str, Any]) -> str:
    note = f" ({plain(invariant['note'])})" if invariant["note"] else ""
    return f"{'ok  ' if invariant['ok'] else 'FAIL'} {invariant['name']}{note}"


def _print(summary: dict[str, Any], reference: str) -> None:
    rebalances = sum(group["rebalances"] for group in summary["groups"].values())
    name, seed = summary["scenario"], summary["seed"]
    if explanation := summary["explanation"]:
        print(plain(explanation["answer"]))
    print(title(name, seed, summary["simulated_ms"], rebalances, summary["facts"]))
    for line in headline(summary):
        print(line)
    if raised := summary.get("raised"):
        print("raised       " + "; ".join(f"{each['process']} {each['error']}" for each in raised))
    print("  ".join(_verdict(invariant) for invariant in summary["invariants"]))
    for invariant in summary["invariants"]:
        for violation in invariant["violations"]:
            print(f"FAIL  {invariant['name']}  at {violation['at_ms']:,} ms: {plain(violation['sentence'])}")
    again = plain(scenario_command("run", reference, summary["params"], seed))
    print(f"run {summary['run']}   repeat with: {again}")
