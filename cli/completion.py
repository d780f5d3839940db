"""What the Tab key offers: scenarios, assignors, runs. After an error it offers less and prints nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator

from groupsim.events.errors import GroupsimError


def scenario_names(incomplete: str) -> Iterator[str]:
    """The built-in scenarios that begin like this."""
    from groupsim.scenarios import catalogue

    yield from (name for name in catalogue.names() if name.startswith(incomplete))


def assignor_names(incomplete: str) -> Iterator[str]:
    """The assignors that begin like this."""
    from groupsim.assignors import ASSIGNORS

    yield from (name for name in ASSIGNORS if name.startswith(incomplete))


def run_names(incomplete: str) -> Iterator[tuple[str, str]]:
    """Runs of the store in GROUPSIM_STORE, or of the default store, the newest first; and `latest`."""
    from groupsim.cli.existing_store import DEFAULT_STORE, existing

    if "latest".startswith(incomplete):
        yield "latest", "the newest run"
    try:
        with existing(os.environ.get("GROUPSIM_STORE", DEFAULT_STORE)) as opened:
            runs = opened.runs()[::-1]
    except (GroupsimError, OSError):
        return
    yield from ((run.id, run.name) for run in runs if run.id.startswith(incomplete))
