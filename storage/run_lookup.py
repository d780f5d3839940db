"""Which run a reference means: an id, `latest`, a name that only one run has, or a unique prefix of an id."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Set

from groupsim.events.types import RunId
from groupsim.storage.errors import UnknownRun
from groupsim.wording.lists import listed

_SHOWN = 5
_LONGEST = 60
"""Characters of a name that are shown."""


def find_run(names: Mapping[RunId, str], reference: str, place: str) -> RunId:
    """The id that `reference` means in the store at `place`; `names` is name by id, oldest first. Raises UnknownRun."""
    ids = list(names)
    if reference in names:
        return reference
    if reference == "latest" and ids:
        return ids[-1]
    named = [run for run, name in names.items() if name == reference]
    if len(named) == 1:
        return named[0]
    if named:
        ids_of = dict.fromkeys(named[::-1], "")
        raise UnknownRun(f"{len(named)} runs in {place} are named {reference!r}: {listed_runs(ids_of)}; give an id")
    matching = {run: name for run, name in names.items() if reference and run.startswith(reference)}
    if len(matching) == 1:
        return next(iter(matching))
    if matching:
        raise UnknownRun(f"{reference!r} matches {listed_runs(matching)} in {place}; give more characters of the id")
    raise unknown_run(names, reference, place, {*names.values(), "latest"})


def unknown_run(names: Mapping[RunId, str], run: str, place: str, words: Set[str] = frozenset()) -> UnknownRun:
    """The error for a `run` that is neither a whole id nor one of `words`; it suggests similar ones.

    `names`: name by id of the runs there are, oldest first.
    """
    if not names:
        return UnknownRun(f"there is no run {run!r}: {place} has no runs yet")
    near = difflib.get_close_matches(run, [*names, *sorted(words)], n=3, cutoff=0.5)
    newest_first = dict([*names.items()][::-1])
    hint = f"did you mean {', '.join(near)}?" if near else f"it has {listed_runs(newest_first)}"
    return UnknownRun(f"there is no run {run!r} in {place}; {hint}")


def listed_runs(names: Mapping[RunId, str]) -> str:
    """The first few runs as `id (name)`, and how many more there are; `names`: name by id, empty if it is known."""
    return listed([f"{run} ({name[:_LONGEST]})" if name else run for run, name in names.items()], most=_SHOWN)
