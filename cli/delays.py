"""`groupsim lag --delays`: how long records waited for a member that takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from groupsim.cli import output
from groupsim.cli.existing_store import existing
from groupsim.cli.output import Format
from groupsim.cli.run_times import period

BOUNDS = ("at_least", "at_most")
BOUNDED = ("p99_ms", "longest_ms")


class Asked(NamedTuple):
    """Records per second in each partition, by topic; what one member takes per second; the limit, and how long
    members work on a batch, as durations."""

    rates: Mapping[str, float]
    capacity: float | None
    slo: str | None
    batches: Mapping[str, str]
    between: tuple[str, str] | None


def record_delays(store: str, run: str, asked: Asked, form: Format) -> None:
    """Print the answer in a sentence, and a row for each group."""
    from groupsim import analysis
    from groupsim.analysis.tables.known_delays import DELAYS, NOT_SEEN, in_words
    from groupsim.api.delaying import delayed

    with existing(store) as opened:
        found = analysis.load(opened, run)
        given = (asked.rates, asked.capacity, asked.slo, asked.batches, period(asked.between, found.info))
        rows, slo_ms = delayed(found, *given)
    exact = all(row[f"{bound}_{name}"] == row[name] for row in rows for bound in BOUNDS for name in BOUNDED)
    columns = [each for each in DELAYS if not (exact and form is Format.TABLE and each.startswith(BOUNDS))]
    if form is Format.TABLE:
        print(output.plain(in_words(rows, slo_ms)))
    output.rows(rows, columns, form)
    if not exact:
        output.note("note: the logs show some outages only in bounds, so p99 and the longest have bounds, too")
    if found.support is not None:
        output.note(f"note: {NOT_SEEN}")
