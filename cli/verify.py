"""`groupsim verify`: is a stored run still as it was written?"""

from __future__ import annotations

import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.options import FormatOption, RunArgument, StoreOption
from groupsim.cli.output import Format
from groupsim.storage.store import RunSource


def verify(run: RunArgument, store: StoreOption = DEFAULT_STORE, form: FormatOption = Format.TABLE) -> None:
    """Read every fact of a run and compare it with the checksums that were stored with it.

    A changed byte, a missing fact or a changed order gives exit status 1 and the place where the damage begins. The
    scenario is not run again; `groupsim replay RUN --verify` does that.

    Example: groupsim verify latest
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
        checked = f"digest {info.digest}" if info.digest else f"{info.status}: no digest yet, the batch checksums fit"
        print(f"ok  run {info.id}  {info.facts:,} facts  {checked}")
    if found is not None:
        if form is Format.TABLE:
            output.note(f"DAMAGED  {found.sentence}")
            if info.source == RunSource.SIMULATED and found.first_seq != found.last_seq:
                output.note(f"`groupsim replay {info.id} --verify` runs the scenario again and names the fact")
        raise typer.Exit(1)
