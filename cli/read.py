"""`groupsim unavailable`, `timeline`, `rebalances`, `replay`: what a stored run says."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.instants import with_instants
from groupsim.cli.options import DEFAULT_STORE, Format, FormatOption, RunArgument, StoreOption, existing
from groupsim.storage.errors import StoreError

SUMS = ("group", "topic", "label", "cause")
BY = ("partition", "rebalance", *SUMS)
BLAMED = ("member", "phase", "configuration")
REBALANCES = (
    "group",
    "generation",
    "cause",
    "started_ms",
    "ended_ms",
    "duration_ms",
    "members",
    "moved",
    "revoked",
    "rounds",
    "slowest_member",
)


def unavailable(
    run: RunArgument,
    by: Annotated[
        str, typer.Option(metavar="|".join(BY), help="What to break it down by; several with commas: group,label.")
    ] = "partition",
    between: Annotated[
        tuple[int, int] | None, typer.Option(metavar="MS MS", help="Only this stretch of the run.")
    ] = None,
    in_full: Annotated[bool, typer.Option("--notes", help="List what a recorded log does not tell.")] = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """When which partitions were unavailable, and why.

    Example: groupsim unavailable latest --by label
    """
    from groupsim import analysis
    from groupsim.analysis.tables import frames, metrics

    parts = by.split(",")
    wrong = [part for part in parts if part not in BY or (len(parts) > 1 and part not in SUMS)]
    if wrong:
        known = SUMS if len(parts) > 1 else BY
        hint = "; `groupsim blame` has these" if wrong[0] in BLAMED else ""
        raise BadRequest(f"--by must be {', '.join(known)}, not {wrong[0]!r}{hint}")
    with existing(store) as opened:
        found = analysis.load(opened, run)
        rows = found.unavailable()
        if between is not None:
            if between[0] >= between[1]:
                raise BadRequest(f"--between {between[0]} {between[1]}: the first must be less than the second")
            rows = metrics.between(rows, *between)
        columns = frames.columns(rows)
        if by == "rebalance":
            rows = metrics.by(metrics.with_rebalance(rows, found.rebalances()), "group", "generation", "started_ms")
            columns = frames.columns(rows)
        elif by != "partition":
            rows = metrics.by(rows, *parts)
            columns = frames.columns(rows)
        notes = found.info.summary.get("notes", [])
    found_rows = frames.records(rows)
    if by == "partition":
        found_rows, columns = with_instants(found_rows, columns, found.info, "from_ms")
    output.rows(found_rows, columns, form, spare=("to_ms", "topic") if by == "partition" else ())
    _say_unknown(found, notes, in_full)


def _say_unknown(found: Any, notes: Any, in_full: bool) -> None:
    """What a recorded log can't tell is said, on stderr, beside every answer it limits."""
    unknown = sum(i.duration_ms for i in found.intervals if i.label == "UNKNOWN")
    if unknown:
        output.note(f"not told by the log: {unknown / 1_000:,.1f} partition-seconds (label UNKNOWN in `timeline`)")
    told = notes if found.info.source == "recorded" and isinstance(notes, list) else []
    for sentence in told if in_full else ():
        output.note(f"note: {sentence}")
    if told and not in_full:
        output.note(f"{len(told)} notes say what the logs do not tell and what was assumed; --notes lists them")


def timeline(
    run: RunArgument,
    group: Annotated[str | None, typer.Option(help="Only this group.")] = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Who owned what when, with the label of each stretch.

    Example: groupsim timeline latest --group billing
    """
    from groupsim import analysis
    from groupsim.analysis.tables import frames

    with existing(store) as opened:
        found = analysis.load(opened, run)
        rows = found.timeline()
    known = sorted(set(rows["group"]))
    if group is not None and group not in known:
        raise BadRequest(f"run {found.info.id} has no group {group!r}; it has {', '.join(known) or 'none'}")
    chosen = rows if group is None else rows[rows["group"] == group]
    rows_, columns = with_instants(frames.records(chosen), frames.columns(rows), found.info, "from_ms")
    output.rows(rows_, columns, form, spare=("topic", "to_ms"))


def rebalances(run: RunArgument, store: StoreOption = DEFAULT_STORE, form: FormatOption = Format.TABLE) -> None:
    """Every rebalance: cause, duration, who moved what, who was last.

    Example: groupsim rebalances latest --format csv
    """
    from groupsim import analysis
    from groupsim.analysis.tables import frames

    with existing(store) as opened:
        found = analysis.load(opened, run)
        rows = found.rebalances()
    spare = ("ended_ms", "rounds", "revoked", "members", "started_ms" if found.info.origin else "moved")
    output.rows(*with_instants(frames.records(rows), REBALANCES, found.info, "started_ms"), form, spare=spare)


def replay(
    run: RunArgument,
    verify: Annotated[bool, typer.Option("--verify", help="Run the scenario again and compare.")] = False,
    at: Annotated[
        int | None, typer.Option(metavar="MS", min=0, help="The state at this instant; else at the end.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Throw away the states kept by earlier replays; fold from the first fact.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Fold the stored facts again and print the groups' state.

    Example: groupsim replay latest --at 60000
    """
    from groupsim.analysis.snapshots import replay_stored
    from groupsim.cli.verify import verified

    with existing(store) as opened:
        if fresh:
            with suppress(StoreError):  # what can't be written to keeps none
                opened.drop_snapshots()
        info = opened.find(run)
        state = {**replay_stored(opened, info, at), "digest": info.digest or opened.digest(info.id)}
        difference = verified(opened, info) if verify else None
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
        leader = f", led by {output.plain(group['leader'])}" if group["leader"] else ""
        print(f"{output.plain(name)}  {group['state']}  generation {group['generation']}{leader}")
        for member, held in group["members"].items():
            owned = ", ".join(f"{output.plain(t)}-{p}" for t, p in held["assigned"] or ()) or "nothing"
            print(f"  {output.plain(member)}  {owned}")
    print(f"digest of the run {state['digest']}{'  verified' if state.get('verified') else ''}")
