"""`groupsim replay`: the state of the groups, folded from the stored facts; --verify runs the scenario again."""

from __future__ import annotations

from contextlib import suppress
from itertools import zip_longest
from typing import Annotated, Any

import msgspec
import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.options import FormatOption, RunArgument, ScenarioFileOption, StoreOption, TrustOption
from groupsim.cli.output import Format
from groupsim.cli.progress import progress
from groupsim.events.base import Recorded
from groupsim.storage.audit import refuse_damaged
from groupsim.storage.errors import StoreError
from groupsim.storage.memory import MemoryStore
from groupsim.storage.run_info import LONGEST_MS
from groupsim.storage.store import EventStore, RunInfo, RunSource


def replay(
    run: RunArgument,
    verify: Annotated[bool, typer.Option("--verify", help="Run the scenario again and compare every fact.")] = False,
    at: Annotated[
        int | None,
        typer.Option(metavar="MS", min=0, max=LONGEST_MS, help="The state at this time; the default is the end."),
    ] = None,
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Delete cached states first, and fold from the first fact; kept what-ifs stay."),
    ] = False,
    scenario: ScenarioFileOption = None,
    trust: TrustOption = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Fold the stored facts again, without a simulation, and print the state of the groups.

    Example: groupsim replay latest --at 60000
    """
    from groupsim.analysis.snapshots import KINDS, replay_stored

    if (scenario is not None or trust) and not verify:
        raise BadRequest("--scenario and --trust are for --verify")
    with existing(store) as opened:
        if fresh:
            with suppress(StoreError):  # a read-only store has no cached states
                opened.drop_snapshots(KINDS)
        info = opened.find(run)
        if not verify:  # which finds what is damaged, fact by fact
            refuse_damaged(opened, info)
        if at is not None and info.simulated_ms is not None and at > info.simulated_ms:
            output.note(f"note: the run ends at {info.simulated_ms} ms; this is its end")
        state = {**replay_stored(opened, info, at), "digest": info.digest or opened.digest(info.id)}
        difference = difference_to_new_run(opened, info, scenario, trust) if verify else None
    if verify:
        state["verified"] = difference is None
    if form is Format.TABLE:
        _print_state(state)
    else:
        output.write_json(state)
    if difference is not None:
        output.note(difference)
        raise typer.Exit(1)


def _print_state(state: dict[str, Any]) -> None:
    for name, group in state["groups"].items():
        leader = f", leader {output.plain(group['leader'])}" if group["leader"] else ""
        print(f"{output.plain(name)}  {group['state']}  generation {group['generation']}{leader}")
        for member, held in group["members"].items():
            owned = ", ".join(f"{output.plain(t)}-{p}" for t, p in held["assigned"] or ()) or "nothing"
            print(f"  {output.plain(member)}  {owned}")
    print(f"digest of the run {state['digest']}{'  verified' if state.get('verified') else ''}")


def difference_to_new_run(
    store: EventStore, info: RunInfo, named: str | None = None, trust: bool = False
) -> str | None:
    """Run the scenario again and name the first fact that differs; None if all bytes are equal.

    `named`: the scenario as the user names it; `trust`: the file that the store names may be executed.
    Raises BadRequest for a recorded run and for one that did not end.
    """
    from groupsim.scenarios.scenario_of_run import Consent, scenario_of
    from groupsim.simulation.run import run

    if info.source != RunSource.SIMULATED:
        raise BadRequest(f"run {info.id} was recorded, not simulated, so it can't be run again; omit --verify")
    if info.status in ("running", "interrupted"):
        raise BadRequest(f"run {info.id} did not run to its end ({info.status}): so there is nothing to compare")
    new_store = MemoryStore()
    scenario = scenario_of(info, Consent(named, trust, "name it with --scenario FILE"))
    settings = dict(info.params)
    with progress(f"running {scenario.name} again") as bar:
        result = run(scenario, new_store, seed=info.seed, settings=settings, record=info.record, progress=bar)
    result.unless_interrupted()
    if result.info.digest == info.digest == store.digest(info.id):
        return None
    pairs = zip_longest(store.read(info.id), new_store.read(result.info.id))
    for stored, new in pairs:
        if stored is None or new is None or _differ(stored, new):
            return f"run {info.id} differs from a new run: stored {_described(stored)}, new {_described(new)}"
    return f"run {info.id}: its facts equal those of a new run, but its stored digest does not fit them"


def _differ(stored: Recorded, new: Recorded) -> bool:
    return msgspec.structs.replace(stored, run="") != msgspec.structs.replace(new, run="")


def _described(fact: Recorded | None) -> str:
    if fact is None:
        return "no further fact"
    return f"fact {fact.seq} at {fact.at_ms:,} ms in {fact.stream} ({fact.event})"
