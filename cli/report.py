"""`groupsim report`: runs as one self-contained HTML file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from groupsim.cli import output
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.options import StoreOption
from groupsim.cli.progress import progress
from groupsim.wording.numbers import counted


def report(
    references: Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids, prefixes, names, or `latest`.")],
    to: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="The file to write; - is stdout.")
    ] = Path("report.html"),
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write one self-contained HTML file: the answer, timeline, rebalances, causes, settings, command to repeat it.

    Several runs are compared side by side. An earlier report at FILE.html is replaced; other files are not overwritten.

    Example: groupsim report latest -o report.html
    """
    from groupsim.analysis.runs import open_run
    from groupsim.api.reporting import check_place, rendered, write

    to_stdout = str(to) == "-"
    if not to_stdout:
        check_place(to, "-o ")
    with existing(store) as opened, progress("report") as bar:
        infos = [opened.find(reference) for reference in dict.fromkeys(references)]
        ids = list(dict.fromkeys(info.id for info in infos))
        text = rendered([open_run(opened, run) for run in ids], bar)
    if to_stdout:
        sys.stdout.write(text)
        return
    write(to, text, "-o ")
    output.note(f"{to}: {len(text) / 1_000:,.0f} kB, {counted(len(ids), 'run')}; open it in a browser")
