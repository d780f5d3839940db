"""`groupsim verify`: is a run in the store as it was written?"""

from __future__ import annotations

import typer

from cli import output
from cli.errors import BadRequest
from cli.options import DEFAULT_STORE, Format, FormatOption, RunArgument, StoreOption, existing


def verify(run: RunArgument, store: StoreOption = DEFAULT_STORE, form: FormatOption = Format.TABLE) -> None:
    """Read every fact of a run and compare with the digests that were written with it.

    Exit status 1, and where it begins, for a flipped byte, a missing fact, a swapped order. A run is not played again:
    that is `groupsim replay RUN --verify`. Example: groupsim verify latest
    """
    from storage.audit import audit

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
