"""Which run a reference means: an id, `latest`, a name that only one run has, or a unique prefix of an id."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence, Set

from groupsim.events.types import RunId
from groupsim.storage.errors import UnknownRun

_SHOWN = 5


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
        raise UnknownRun(f"{len(named)} runs in {place} are named {reference!r}: {_listed(named[::-1])}; give an id")
    matching = [run for run in ids if run.startswith(reference)] if reference else []
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise UnknownRun(f"{reference!r} matches {_listed(matching)} in {place}; give more characters of the id")
    raise unknown_run(ids, reference, place, {*names.values(), "latest"})


def unknown_run(ids: Sequence[RunId], run: str, place: str, words: Set[str] = frozenset()) -> UnknownRun:
    """The error for a `run` that is neither a whole id nor one of `words`; it suggests similar ones."""
    if not ids:
        return UnknownRun(f"there is no run {run!r}: {place} has no runs yet")
    near = difflib.get_close_matches(run, [*ids, *sorted(words)], n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else f"it has {_listed(ids[::-1])}"
    return UnknownRun(f"there is no run {run!r} in {place}; {hint}")


def _listed(ids: Sequence[RunId]) -> str:
    """The first few ids, and how many more there are."""
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more
