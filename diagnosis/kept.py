"""The explanation of an import, kept with its run: whatever is said of the run later begins with the same sentence.

A run's facts say less than its logs (who a member id was, what an application printed). It is kept as snapshots are:
under no digest, and good for one version of this form; a run without it is explained from its facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from groupsim.diagnosis.answer import answered
from groupsim.diagnosis.explain import Explanation, explain_run
from groupsim.diagnosis.finding import Diagnosis, Place
from groupsim.diagnosis.from_facts import FACTS
from groupsim.diagnosis.to_text import line_texts
from groupsim.storage.store import EventStore, RunInfo, Snapshot

_KIND = "explanation 1"


class _Kept(msgspec.Struct, frozen=True):
    """`texts`: the lines that show its findings, as the logs have them."""

    answer: str
    groups: tuple[Diagnosis, ...]
    texts: list[tuple[Place, str]]


def with_lines(explanation: Explanation | None, files: Mapping[str, Path]) -> Explanation | None:
    """The explanation of logs with its lines. `files`: where they are read, by their names, if not there."""
    if explanation is None:
        return None
    places = {place for group in explanation.groups for finding in group.findings for place in finding.evidence.places}
    return replace(explanation, texts=line_texts(sorted(places), files))


def keep(store: EventStore, info: RunInfo, explanation: Explanation | None) -> None:
    """Keep what the logs of a run show, with its lines."""
    if explanation is None:
        return
    state = msgspec.json.encode(_Kept(explanation.answer, explanation.groups, list(explanation.texts.items())))
    store.keep_snapshots(info.id, _KIND, [Snapshot(0, info.simulated_ms or 0, state)])


def explanation_of(store: EventStore, info: RunInfo, groups: Sequence[str] = ()) -> Explanation | None:
    """What is said of a stored run: what its import said, else what its facts say; None where no group is in it."""
    last = store.snapshot(info.id, _KIND)
    if last is None:
        return explain_run(store.read(info.id, types=FACTS), groups, info.origin)
    kept = msgspec.json.decode(last.state, type=_Kept)
    found = Explanation(kept.answer, kept.groups, dict(kept.texts))
    if not groups:
        return found
    chosen = tuple(group for group in found.groups if group.group in groups)
    return replace(found, answer=answered(chosen), groups=chosen) if chosen else None
