"""`groupsim verify`, `import`: is a run in the store as it was written; runs out of an export."""

from __future__ import annotations

from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.options import DEFAULT_STORE, Format, FormatOption, RunArgument, StoreOption, existing


def verify(run: RunArgument, store: StoreOption = DEFAULT_STORE, form: FormatOption = Format.TABLE) -> None:
    """Read every fact of a run and compare with the digests that were written with it.

    Exit status 1, and where it begins, for a flipped byte, a missing fact, a swapped order. A run is not played again:
    that is `groupsim replay RUN --verify`. Example: groupsim verify latest
    """
    from groupsim.storage.audit import audit

    if form not in (Format.TABLE, Format.JSON):
        raise BadRequest(f"--format must be table or json for verify, not {form.value}")
    with existing(store) as opened:
        info = opened.find(run)
        found = audit(opened, info)
    if form is Format.JSON:
        output.write_json(
            {
                "run": info.id,
                "ok": found is None,
                "status": info.status,
                "facts": info.facts,
                "digest": info.digest,
                "damage": None if found is None else found.sentence,
                "first_seq": None if found is None else found.first_seq,
                "last_seq": None if found is None else found.last_seq,
            }
        )
    elif found is None:
        whole = f"digest {info.digest}" if info.digest else f"{info.status}: no digest yet, its marks fit"
        print(f"ok  run {info.id}  {info.facts:,} facts  {whole}")
    if found is not None:
        if form is Format.TABLE:
            output.note(f"DAMAGED  {found.sentence}")
            if info.source == "simulated" and found.first_seq != found.last_seq:
                output.note(f"`groupsim replay {info.id} --verify` plays it again and names the fact")
        raise typer.Exit(1)


def import_(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE|DIR...", help="What `groupsim export` wrote: a folder, or a .jsonl file."),
    ],
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Put exported runs into the store, byte for byte: facts, digest, scenario, seed, settings and summary.

    Example: groupsim import lake/ --store other.db
    """
    from groupsim.pipeline.importing import exported, take
    from groupsim.storage import open_store

    sources = [exported(path) for path in paths]  # before a store is made: what is no export leaves none behind
    found = []
    with closing(open_store(store)) as opened:
        for info, new in take(opened, chain.from_iterable(sources)):
            found.append({"run": info.id, "name": info.name, "facts": info.facts, "digest": info.digest, "new": new})
            if not new:
                output.note(f"run {info.id} is in the store already, with the same digest")
    output.rows(found, ("run", "name", "facts", "digest", "new"), form)
