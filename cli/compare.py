"""`groupsim compare`: several runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.options import FormatOption, StoreOption
from groupsim.cli.output import Format

if TYPE_CHECKING:
    from groupsim.analysis.runs import Run

MOST = 8
SHOWN = ("label", "phase", "configuration")


def compare(
    references: Annotated[list[str], typer.Argument(metavar="RUN RUN...", help="Ids, prefixes, names, or `latest`.")],
    by: Annotated[
        str,
        typer.Option(
            metavar="label|phase|configuration|member|cause|none",
            help="The breakdowns in the table, separated by commas. JSON has all of them.",
        ),
    ] = ",".join(SHOWN),
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Compare runs side by side, and show how each differs from the first.

    Rows: total unavailable partition time and its breakdowns, rebalances, commits. Negative differences are better.

    Example: groupsim compare 4f1c 9ab2
    """
    from groupsim import analysis
    from groupsim.analysis.tables.comparison import BREAKDOWNS, COMPARED, as_rows, called, in_words

    if form in (Format.CSV, Format.JSONL):
        raise BadRequest(f"--format must be table or json for a comparison, not {form.value}")
    shown = [] if by == "none" else by.split(",")
    for part in shown:
        if part not in BREAKDOWNS:
            raise BadRequest(f"--by must be {', '.join(BREAKDOWNS)} or none, not {part!r}")
    with existing(store) as opened:
        ids = list(dict.fromkeys(opened.find(reference).id for reference in references))
        if not 2 <= len(ids) <= MOST:
            raise BadRequest(f"a comparison takes 2 to {MOST} different runs, not {len(ids)}")
        runs = [analysis.load(opened, run) for run in ids]
        names = [chr(ord("a") + i) for i in range(len(runs))]
        found = as_rows(analysis.compare(*runs), names)
        bounded = []
        for name, run in zip(names, runs, strict=True):
            if run.unknown is not None:
                output.note(f"note: the total of {name} is unknown: {run.unknown}")
            elif (rests_on := run.support_after_start) is not None and (sure := rests_on.bounds()) is not None:
                bounded.append(name)
                output.note(f"note: {name}: {sure}")
        unknown = [name for name, run in zip(names, runs, strict=True) if run.unknown is not None]
    answer = in_words(found, unknown, called(dict(zip(names, runs, strict=True))), bounded)
    if form is Format.JSON:
        output.write_json({"answer": answer, **_document(runs, names, found)})
    else:
        print(output.plain(answer))
        _print(runs, names, [row for row in found if _wanted(row, shown)], COMPARED)
    raise typer.Exit(int(bool(unknown)))


def _document(runs: list[Run], names: list[str], found: list[dict[str, Any]]) -> dict[str, Any]:
    """The JSON document: rows keyed by run ids instead of letters."""
    ids = dict(zip(names, (run.info.id for run in runs), strict=True))
    keys = ("name", "source", "seed", "params")
    described = [{"run": run.info.id, **{key: getattr(run.info, key) for key in keys}} for run in runs]
    for row in found:
        for key in ("values", "differences"):
            row[key] = {ids[name]: value for name, value in row[key].items()}
    return {"runs": described, "rows": found}


def _wanted(row: dict[str, Any], shown: list[str]) -> bool:
    if row["measure"].startswith("by ") and row["measure"].removeprefix("by ") not in shown:
        return False
    return any(row["values"].values())


def _print(runs: list[Run], names: list[str], found: list[dict[str, Any]], compared: tuple[str, ...]) -> None:
    for name, run in zip(names, runs, strict=True):
        info = run.info
        settings = " ".join(f"{key}={value}" for key, value in info.params.items() if not key.startswith("log."))
        seed = "recorded" if info.seed is None else f"seed {info.seed}"
        print(output.plain(f"{name}  {info.name}  {seed}  {settings}".rstrip() + f"  run {info.id}"))
    differences = [f"{name} - {names[0]}" for name in names[1:]]
    flat = [
        {
            **{key: row[key] or "" for key in compared},
            **row["values"],
            **{f"{name} - {names[0]}": value for name, value in row["differences"].items()},
        }
        for row in found
    ]
    output.table(flat, [*compared, *names, *differences])
    if any(_unsure(row) for row in found):
        output.note("note: no difference where the bounds of the two overlap: which of them is larger is not sure")
    elif not any(value for row in found for value in row["differences"].values()):
        output.note(f"{' and '.join(names)} do not differ in the rows shown")


def _unsure(row: dict[str, Any]) -> bool:
    """Whether both values are known, but not their difference."""
    first, *others = row["values"].values()
    known = zip(others, row["differences"].values(), strict=True)
    return first is not None and any(value is not None and difference is None for value, difference in known)
