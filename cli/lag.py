"""`groupsim lag`: how far a group's commits are behind the ends of its partitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupsim.cli import output
from groupsim.cli.delays import Asked, record_delays
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.options import FormatOption, RunArgument, StoreOption, key_values
from groupsim.cli.output import Format
from groupsim.cli.run_times import PeriodOption, with_instants

if TYPE_CHECKING:
    from groupsim.analysis.tables.lag import Level
    from groupsim.events.types import TopicPartition

MOST_IN_A_TABLE = 200_000
"""So many rows are laid out in a minute or two; nobody reads them. CSV takes a twentieth of that."""
_FIELDS = 4
_LONGEST = 18


def lag(
    run: RunArgument,
    ends: Annotated[
        Path | None,
        typer.Option(
            "--ends",
            metavar="FILE",
            help="End offsets: lines of instant,topic,partition,offset, or what kafka-get-offsets prints.",
        ),
    ] = None,
    rates: Annotated[
        list[str], typer.Option("--rate", metavar="TOPIC=NUMBER", help="Records per second in each partition.")
    ] = [],  # noqa: B006
    every: Annotated[int, typer.Option(metavar="MS", min=1, help="One row a partition so often.")] = 1_000,
    catch_up: Annotated[
        bool, typer.Option("--catch-up", help="Show instead when each partition had caught up after an outage.")
    ] = False,
    delays: Annotated[
        bool, typer.Option("--delays", help="Show instead how long records waited; from a run's outages and rates.")
    ] = False,
    capacity: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="With --delays: records per second that one member takes.", min=0.001),
    ] = None,
    slo: Annotated[
        str | None, typer.Option(metavar="DURATION", help='With --delays: count the records that wait longer: "10 s".')
    ] = None,
    batches: Annotated[
        list[str],
        typer.Option(
            "--batch", metavar="[MEMBER=]DURATION", help='With --delays: how long members work on a batch: "2.5 s".'
        ),
    ] = [],  # noqa: B006
    between: PeriodOption = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show how far commits are behind, how long it took to catch up, or how long records waited.

    Logs have no commits; `__consumer_offsets` has. Where a partition ends is given, else it grows by the rate, else by
    the mean rate of the commits, from the commit that was least behind.

    `--delays` needs no commits, only rates: records that come while nobody has their partition wait until somebody
    does, and until those before them are taken. With `--batch` they wait for the next poll of a busy member, too.

    Example: groupsim lag latest --rate orders=200 --catch-up

    Example: groupsim lag latest --delays --rate orders=200 --capacity 500 --slo "10 s"
    """
    known = {topic: _rate(topic, text) for topic, text in key_values(rates, "--rate").items()}
    if delays:
        unused = [name for name, given in (("--ends", ends), ("--catch-up", catch_up)) if given]
        if unused:
            raise BadRequest(f"--delays and {unused[0]} show different tables; leave one out")
        record_delays(store, run, Asked(known, capacity, slo, _batches(batches), between), form)
    elif capacity is not None or slo is not None or batches or between is not None:
        raise BadRequest("--capacity, --slo, --batch and --between are for --delays")
    else:
        _behind(store, run, (ends, known), None if catch_up else every, form)


def _behind(store: str, run: str, known: tuple[Path | None, dict[str, float]], every: int | None, form: Format) -> None:
    """A row so often, or where `every` is None a row a catch-up. `known`: the file of ends, and rates."""
    from groupsim import analysis
    from groupsim.analysis.tables import lag as tables
    from groupsim.analysis.tables.lag import end_notes, resolution_note
    from groupsim.analysis.tables.table_sentences import of_catch_up, of_lag

    ends, rates = known
    with existing(store) as opened:
        found = analysis.load(opened, run)
        info, end_ms = found.info, found.info.simulated_ms or 0
        given = {} if ends is None else _read(ends, _ms(info.origin), end_ms)
        lags = tables.partition_lags(found.state_changing, tables.Ends(given, rates))
        intervals = list(found.intervals) if every is None else []
    if not lags:
        raise BadRequest(
            f"run {info.id} has no commits; logs do not show them, `__consumer_offsets` does: import it, too"
        )
    asked = 0 if every is None else len(lags) * (end_ms // every + 1)
    if asked > MOST_IN_A_TABLE and form is Format.TABLE:
        raise BadRequest(
            f"--every {every} gives {asked:,} rows, and a table has at most {MOST_IN_A_TABLE:,}; name a longer one, or"
            " --format csv"
        )
    rows = list(tables.catch_up_rows(lags, intervals) if every is None else tables.lag_rows(lags, every, end_ms))
    columns, first = (tables.CATCH_UP_COLUMNS, "from_ms") if every is None else (tables.LAG_COLUMNS, "at_ms")
    if form is Format.TABLE:
        print(output.plain(of_catch_up(rows) if every is None else of_lag(lags, end_ms)))
    output.rows(*with_instants(rows, columns, info, first), form)
    sentences = end_notes(lags, given, None if ends is None else str(ends))
    for sentence in [*sentences, *([resolution_note(lags)] if every is None else [])]:
        output.note(f"note: {sentence}")


def _rate(topic: str, text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = -1.0
    if not 0 <= rate < float("inf"):
        raise BadRequest(f"--rate {topic}={text}: {text!r} is not a number of records per second")
    return rate


def _batches(given: Sequence[str]) -> dict[str, str]:
    """Durations by member; one without a member is that of all others."""
    from groupsim.analysis.tables.delays import EVERY_MEMBER

    parts = [text.rpartition("=") for text in given]
    return {member or EVERY_MEMBER: lasts for member, _, lasts in parts}


def _ms(origin: str | None) -> int:
    """The run's start, milliseconds since 1970; 0 of a simulated run, whose times count from there."""
    return 0 if origin is None else round(datetime.fromisoformat(origin).timestamp() * 1_000)


def _read(path: Path, origin_ms: int, end_ms: int) -> dict[TopicPartition, list[Level]]:
    """The offsets in a file, with instants of the run. Lines without one are of the run's end."""
    from groupsim.events.types import TopicPartition

    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{path} can't be read: {getattr(error, 'strerror', None) or error}") from None
    found: dict[TopicPartition, list[Level]] = defaultdict(list)
    for number, line in enumerate(lines, start=1):
        fields = [field.strip() for field in line.split(",")]
        if len(fields) != _FIELDS:
            fields = ["", *line.strip().rsplit(":", 2)]
        if not line.strip() or (number == 1 and not fields[-1].isdecimal()):
            continue
        at_ms = _instant(fields, origin_ms, end_ms)
        if at_ms is None or len(fields) != _FIELDS or not all(_is_number(field) for field in fields[2:]):
            raise BadRequest(f"{path}:{number}: expected instant,topic,partition,offset or topic:partition:offset")
        found[TopicPartition(fields[1], int(fields[2]))].append((at_ms, int(fields[3])))
    return found


def _instant(fields: Sequence[str], origin_ms: int, end_ms: int) -> int | None:
    if not fields[0]:
        return end_ms
    try:
        moment = datetime.fromisoformat(fields[0])
    except ValueError:
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1_000) - origin_ms


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _LONGEST
