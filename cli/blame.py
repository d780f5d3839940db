"""`groupsim blame`: which member, phase and setting the unavailable partitions waited for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.analysis.blame.undated_deaths import sentences_of
from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.options import FormatOption, RunArgument, StoreOption
from groupsim.cli.output import Format
from groupsim.cli.read import print_caveat, support_of
from groupsim.cli.run_times import PeriodOption, period, with_instants
from groupsim.wording.bounds import is_near, near_word
from groupsim.wording.numbers import partition_seconds, partition_time
from groupsim.wording.start_up import start_up

if TYPE_CHECKING:
    from groupsim.analysis.runs import Run
    from groupsim.analysis.tables.bounds import Support

SUMS = ("phase", "configuration", "member", "cause", "label", "rebalance", "group", "topic", "chain")
PIECES = "piece"
SHOWN = 15
"""The most rows in a table; the largest parts come first."""
_PATHS = ("group", "generation", "member", "step", "kind", "from_ms", "to_ms", "duration_ms", "saved_ms")


def blame(
    run: RunArgument,
    by: Annotated[
        str,
        typer.Option(metavar="|".join((*SUMS, PIECES)), help="What to group by, separated by commas: phase,member."),
    ] = "phase,configuration,member",
    between: PeriodOption = None,
    paths: Annotated[
        bool, typer.Option("--paths", help="Show the critical path of each rebalance instead, step by step.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Why partitions were unavailable: the member they waited for, the phase, and the setting that decides the time.

    The parts add up to the unavailable time of the run, without start-up. With --paths, `saved_ms` is how much earlier
    a rebalance would have ended if that member had been only as slow as the second-slowest one.

    Example: groupsim blame latest --by member
    """
    from groupsim import analysis
    from groupsim.analysis.tables import metrics
    from groupsim.analysis.tables.columns import BLAME, as_rows

    parts = by.split(",")
    known = (*SUMS, PIECES) if len(parts) == 1 else SUMS
    for part in parts:
        if part not in known:
            alone = f"; {PIECES} can't be combined with others" if part == PIECES else ""
            raise BadRequest(f"--by must be {', '.join(known)}, not {part!r}{alone}")
    with existing(store) as opened:
        found = analysis.load(opened, run)
        chosen = period(between, found.info)
        if paths:
            _paths(found, chosen, form)
            return
        rows = as_rows(found.reasons if chosen is None and by == PIECES else found.blamed(chosen), BLAME)
    if by == PIECES:
        output.rows(*with_instants(rows, [*BLAME], found.info, "from_ms"), form)
        print_caveat(found, chosen)
        return
    total = sum(row["duration_ms"] for row in rows)
    summed = metrics.sums(rows, *parts)
    for row in summed:
        row["share"] = round(row["partition_ms"] / total, 4)
    shown = summed if form is not Format.TABLE or len(summed) <= SHOWN + 1 else summed[:SHOWN]
    if form is Format.TABLE:
        print(output.plain(_answer(rows, chosen, support_of(found, chosen))))
    output.rows(shown, [*parts, "partition_ms", "share", *metrics.SUMS[1:]], form)
    if rest := summed[len(shown) :]:
        share = sum(row["partition_ms"] for row in rest) / total
        output.note(f"{len(rest)} smaller parts are not shown ({share:.1%} of the total); --format csv lists all")
    gone = [member for member in found.gone if chosen is None or chosen[0] < member.at_ms <= chosen[1]]
    for sentence in sentences_of(gone, found.info.origin):
        output.note(f"in no row: {sentence}")
    if print_caveat(found, chosen):
        raise typer.Exit(1)
    if form is Format.TABLE:
        starts = start_up(found.summary()["unavailable"]) if chosen is None else None
        output.note(_sum(total, support_of(found, chosen), starts))


def _answer(rows: Sequence[Mapping[str, Any]], between: tuple[int, int] | None, rests_on: Support | None) -> str:
    """What most of it depends on, before who was waited for; the amount as far as it is known."""
    from groupsim.analysis.blame.lever import lever

    total, of = sum(row["duration_ms"] for row in rows), None
    if rests_on is not None and rests_on.unknown is not None:
        of = "the time that the logs show"
    elif rests_on is not None and rests_on.bounded:
        ends = (total, rests_on.at_least_ms, rests_on.at_most_ms)
        of = f"{near_word(*ends)} {partition_time(total)}" if is_near(*ends) else "the time that the logs show"
    pieces = ((row["configuration"], row["member"], row["duration_ms"]) for row in rows)
    when = " after start-up" if between is None else " in this time"
    return lever(pieces, of) or f"No partition is known to have been unavailable{when}."


def _sum(total: int, rests_on: Support | None, starts: str | None) -> str:
    """The total, with its bounds where it rests on inexact times, and start-up beside it."""
    bounds = None if rests_on is None else rests_on.bounds()
    about, why = "", ""
    if rests_on is not None and bounds is not None:
        about, why = f"{near_word(total, rests_on.at_least_ms, rests_on.at_most_ms)} ", f"; {bounds}"
    what = "total unavailable time after start-up" if starts else "total unavailable time"
    return f"{what}: {about}{partition_seconds(total, 3)}{why}{f'; {starts}' if starts else ''}"


def _paths(found: Run, between: tuple[int, int] | None, form: Format) -> None:
    from groupsim.analysis.tables.columns import CRITICAL_PATHS, as_rows
    from groupsim.analysis.tables.metrics import at_some_time

    chosen = at_some_time((step for step in found.steps if step.critical), between, "from_ms", "to_ms")
    order = sorted(chosen, key=attrgetter("group", "round", "from_ms"))
    output.rows(*with_instants(as_rows(order, CRITICAL_PATHS), _PATHS, found.info, "from_ms"), form)
