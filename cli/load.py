"""`groupsim load`: put exported runs into a store."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from groupsim.cli import output
from groupsim.cli.existing_store import DEFAULT_STORE
from groupsim.cli.importing_store import importing
from groupsim.cli.options import FormatOption, StoreOption
from groupsim.cli.output import Format


def load(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE|DIR...", help="The folder or .jsonl file that `groupsim export` wrote."),
    ],
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Put exported runs into the store, byte for byte: facts, digest, scenario, seed, settings and summary.

    Example: groupsim load lake/ --store other.db
    """
    load_runs(paths, store, form)


def load_runs(paths: Sequence[Path], store: str, form: Format) -> None:
    """What the command does, and `groupsim import` with exported runs."""
    from groupsim.pipeline.importing import exported, import_all

    sources = [exported(path) for path in paths]  # first: a wrong file must not leave an empty store
    found = []
    with importing(store) as opened:
        for info, new in import_all(opened, chain.from_iterable(sources), output.note):
            found.append({"run": info.id, "name": info.name, "facts": info.facts, "digest": info.digest, "new": new})
            if not new:
                output.note(f"run {info.id} is already in the store, with the same digest")
        output.rows(found, ("run", "name", "facts", "digest", "new"), form)
