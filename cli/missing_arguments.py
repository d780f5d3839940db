"""What is said of an argument that is missing, or names logs instead of a run: what there is, what to do first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from typer._click.exceptions import MissingParameter  # typer bundles a private copy of click

from groupsim.cli.existing_store import DEFAULT_STORE, readable
from groupsim.events.errors import GroupsimError

_EXAMPLE = "Example: "


def what_there_is(wrong: Exception) -> str:
    """More on a missing argument, to stand behind the error; empty for other errors."""
    if not isinstance(wrong, MissingParameter) or wrong.ctx is None:
        return ""
    words = str(getattr(wrong.param, "metavar", None) or "").replace("...", "").split("|")
    there = [f"; {_runs(_store(wrong.ctx))}"] if "RUN" in words else []
    if "SCENARIO" in words:
        there.append("; `groupsim scenarios` lists the built-in scenarios")
    return "".join([*there, *_example(wrong.ctx.command)])


def logs_first(wrong: Exception, arguments: Sequence[str]) -> str:
    """More on a store or a run that is not there, where a file or folder is given instead; empty for other errors."""
    from groupsim.storage.errors import NoStore, UnknownRun

    absent = isinstance(wrong, NoStore | UnknownRun)
    given = [word for word in arguments[1:2] if absent and not word.startswith("-") and os.path.exists(word)]
    return f"; to ask about logs: groupsim import {given[0]}, then groupsim {arguments[0]} latest" if given else ""


def _example(command: Any) -> list[str]:
    lines = (line.strip() for line in (command.help or "").splitlines())
    return [f"; for example: {line.removeprefix(_EXAMPLE)}" for line in lines if line.startswith(_EXAMPLE)][:1]


def _runs(place: str) -> str:
    """The newest runs of the store at `place`, or why there are none."""
    from groupsim.storage import open_store
    from groupsim.storage.run_lookup import listed_runs

    try:
        with closing(open_store(place, create=False)) as opened:
            runs, _ = readable(opened)
            place = getattr(opened, "place", place)  # without the password of a URL
    except GroupsimError as error:
        return str(error)
    newest_first = {run.id: run.name for run in runs[::-1]}
    return f"{place} has {listed_runs(newest_first) if runs else 'no runs yet'}"


def _store(context: Any) -> str:
    """Where the command reads: what is given was parsed before the argument was missed, the variable was not."""
    return str(context.params.get("store") or os.environ.get("GROUPSIM_STORE") or DEFAULT_STORE)
