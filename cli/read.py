"""`groupsim unavailable`, `timeline`, `rebalances`: tables of a stored run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.options import FormatOption, RunArgument, StoreOption
from groupsim.cli.output import Format
from groupsim.cli.run_times import PeriodOption, period, with_instants
from groupsim.storage.log_gaps import precision
from groupsim.storage.store import RunInfo, RunSource
from groupsim.wording.numbers import counted, partition_seconds
from groupsim.wording.start_up import start_up

SUMS = ("group", "topic", "label", "cause")
TOGETHER = (*SUMS, "partition")
"""What sums may be by, several at once; `partition` alone lists every interval."""
BY = ("partition", "rebalance", *SUMS)
_OF_REBALANCE = ("group", "generation", "started_ms")
BLAMED = ("member", "phase", "configuration")


def unavailable(
    run: RunArgument,
    by: Annotated[
        str,
        typer.Option(
            metavar="|".join(BY),
            help="What to group by; separate several by commas: group,label. `partition` lists every interval.",
        ),
    ] = "partition",
    between: PeriodOption = None,
    in_full: Annotated[bool, typer.Option("--notes", help="List what the logs of a recorded run do not show.")] = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show which partitions were unavailable, when, for how long, and why.

    Without --by it lists every interval, start-up included: from when, how long, why. `--by topic,partition` sums
    them for each partition, `--by topic,partition,cause` also by why.
    Sums begin when the groups first worked, without start-up; `--between FROM TO` chooses another time.

    Example: groupsim unavailable latest --by label
    """
    from groupsim import analysis
    from groupsim.analysis.tables import metrics
    from groupsim.analysis.tables.columns import UNAVAILABLE, as_rows

    parts = by.split(",")
    wrong = [part for part in parts if part not in (TOGETHER if len(parts) > 1 else BY)]
    if wrong:
        known = TOGETHER if len(parts) > 1 else BY
        hint = "; `groupsim blame` groups by it" if wrong[0] in BLAMED else ""
        raise BadRequest(f"--by must be {', '.join(known)}, not {wrong[0]!r}{hint}")
    with existing(store) as opened:
        found = analysis.load(opened, run)
        part = period(between, found.info)
        if part is not None:
            _note_end(found, part)
        counted_in = found.intervals if part is None and by == "partition" else found.counted(part)
        rows = as_rows(metrics.unavailable(counted_in), UNAVAILABLE)
        columns: Sequence[str] = list(UNAVAILABLE)
        if by == "partition":
            rows, columns = with_instants(rows, columns, found.info, "from_ms")
        else:
            keys = ["topic", *parts] if "partition" in parts and "topic" not in parts else parts
            if by == "rebalance":
                rows, keys = list(metrics.with_rebalance(rows, found.rebalance_rows)), [*_OF_REBALANCE]
            rows, columns = metrics.sums(rows, *keys), [*keys, *metrics.SUMS]
        notes = found.info.summary.get("notes", [])
    if form is Format.TABLE and part is None:
        print(output.plain(found.headline_sentence))
    output.rows(rows, columns, form, spare=("to_ms", "topic") if by == "partition" else ())
    if by != "partition" and part is None and (starts := start_up(found.summary()["unavailable"])):
        output.note(f"{starts} (--between 0 {found.intervals[-1].to_ms} counts it)")
    _print_unknown(found, notes, in_full, part)
    total_unknown = print_caveat(found, part)
    raise typer.Exit(int(total_unknown and by != "partition"))  # single intervals are no total


def print_caveat(found: Any, between: tuple[int, int] | None = None) -> bool:
    """Print on stderr that the total of a recorded run, or of a part of it, is unknown, and why; whether it is."""
    rests_on = support_of(found, between)
    caveat = None if rests_on is None else rests_on.caveat()
    if caveat is not None:
        output.note(output.plain(caveat))
    return caveat is not None


def support_of(found: Any, between: tuple[int, int] | None) -> Any:
    """What the total rests on: after start-up, or of a part of the run that the user named."""
    return found.support_after_start if between is None else found.support_between(between)


def _note_end(found: Any, between: tuple[int, int]) -> None:
    """Say so where a period lies behind the end of the run."""
    end_ms = found.info.simulated_ms
    if end_ms is not None and between[1] > end_ms:
        what = "none" if between[0] >= end_ms else "only a part"
        span = f"the time from {between[0]} to {between[1]}"
        output.note(f"note: the run ends at {end_ms} ms, so {what} of {span} is in it")


def _print_unknown(found: Any, notes: Any, in_full: bool, between: tuple[int, int] | None) -> None:
    """Print on stderr how much of the answer the logs leave unknown."""
    from groupsim.analysis.availability.labels import Label
    from groupsim.analysis.tables.bounds import open_ended

    unknown = sum(i.duration_ms for i in found.counted(between) if i.label == Label.UNKNOWN)
    rests_on = support_of(found, between)
    for sentence in () if rests_on is None else (rests_on.bounds(), open_ended(found.intervals, between)):
        if sentence is not None:
            output.note(sentence)
    if unknown:
        output.note(f"unknown from the logs: {partition_seconds(unknown)} (label UNKNOWN in `timeline`)")
    listed = notes if found.info.source == RunSource.RECORDED and isinstance(notes, list) else []
    for sentence in listed if in_full else ():
        output.note(f"note: {sentence}")
    if listed and not in_full:
        on_what = f"{counted(len(listed), 'note')} on what the logs do not show and what was assumed"
        output.note(f"{on_what}: `groupsim unavailable --notes` lists them")


def timeline(
    run: RunArgument,
    group: Annotated[str | None, typer.Option(help="Only this group.")] = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show which member owned each partition when, and whether it was available.

    Example: groupsim timeline latest --group billing
    """
    from groupsim import analysis
    from groupsim.analysis.tables import metrics
    from groupsim.analysis.tables.columns import TIMELINE, as_rows

    with existing(store) as opened:
        found = analysis.load(opened, run)
        parts = found.intervals
    known = sorted({each.group for each in parts})
    if group is not None and group not in known:
        raise BadRequest(f"run {found.info.id} has no group {group!r}; it has {', '.join(known) or 'none'}")
    chosen = [each for each in parts if group in (None, each.group)]
    rows = as_rows(metrics.joined(chosen, "member", "label"), TIMELINE)
    output.rows(*with_instants(rows, [*TIMELINE], found.info, "from_ms"), form, spare=("topic", "to_ms"))
    _note_coarse_times(found.info)


def _note_coarse_times(info: RunInfo) -> None:
    exact = precision(info.summary)
    if exact.ms:
        output.note(f"note: {exact.why()}: what is shorter than that shows only what came first")


def rebalances(run: RunArgument, store: StoreOption = DEFAULT_STORE, form: FormatOption = Format.TABLE) -> None:
    """List every rebalance: cause, duration, moved partitions, slowest member.

    Example: groupsim rebalances latest --format csv
    """
    from groupsim import analysis
    from groupsim.analysis.tables.columns import REBALANCES, as_rows
    from groupsim.analysis.tables.table_sentences import of_rebalances

    with existing(store) as opened:
        loaded = analysis.load(opened, run)
        rows, open_ = as_rows(loaded.rebalance_rows, REBALANCES), [each.at_least for each in loaded.rebalance_rows]
    if form is Format.TABLE:
        print(output.plain(of_rebalances(loaded.rebalance_rows)))
    columns: Sequence[str] = list(REBALANCES)
    if any(open_):
        place = columns.index("duration_ms")
        columns = (*columns[:place], "took", *columns[place:])
        rows = [{**row, "took": "at least" if least else None} for row, least in zip(rows, open_, strict=True)]
    spare = ("ended_ms", "rounds", "revoked", "members", "started_ms" if loaded.info.origin else "moved")
    output.rows(*with_instants(rows, columns, loaded.info, "started_ms"), form, spare=spare)
    _note_coarse_times(loaded.info)
    if any(open_):
        output.note(
            f"note: {sum(open_)} of {counted(len(open_), 'rebalance')} began at their `started_ms` or before:"
            " `__consumer_offsets` does not show how long members took to join; their lengths are lower bounds"
        )
