"""Advice that was given on a recorded run, kept with it: the report shows it, and pictures are drawn of it.

Kept as snapshots are: derived from the facts, under no digest, and good for one version of this form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from groupsim.analysis.errors import AnalysisError
from groupsim.storage.store import EventStore, RunInfo, Snapshot

if TYPE_CHECKING:
    import pandas as pd

_KIND = "advice 1"


class AdvisedChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One choice. `measures`: means by name; `least`, `most`: of what is minimised, over the seeds.

    `front`: no other choice beats it in what is minimised and bounded.
    """

    choice: str
    measures: dict[str, float]
    least: float
    most: float
    runs: int
    front: bool = False


class AdvisedAlong(msgspec.Struct, frozen=True, kw_only=True):
    """What contenders cost along something unknown: at each of `values` (as text), by the choice's name."""

    key: str
    flips: bool
    values: list[str]
    means: list[dict[str, float]]


class StoredAdvice(msgspec.Struct, frozen=True, kw_only=True):
    """One advice. `names`: what is minimised, then what is bounded, or the price; `now`: the settings of the record.

    `choices` are ranked, the best first; `best`: its name, None if there is none. `sensitivity`: by setting, 0 to 1.
    `rests_on`: sentences on what the answer rests on. `refused`: choices without figures, and why; `needs`: limits that
    brokers must have for a choice.
    """

    group: str
    answer: str
    names: list[str]
    best: str | None
    now: AdvisedChoice
    choices: list[AdvisedChoice]
    along: list[AdvisedAlong]
    sensitivity: dict[str, float]
    assumed: list[str]
    refused: list[str]
    needs: list[str] = []
    rests_on: list[str] = []


def kept(store: EventStore, info: RunInfo) -> list[StoredAdvice]:
    """All advice on a run, the oldest first."""
    last = store.snapshot(info.id, _KIND)
    return [] if last is None else msgspec.json.decode(last.state, type=list[StoredAdvice])


def keep(store: EventStore, info: RunInfo, advice: StoredAdvice) -> None:
    """Keep one more; it replaces an earlier one on the same choices. Raises StoreError if the store is read-only."""
    before = store.snapshot(info.id, _KIND)
    others = [earlier for earlier in kept(store, info) if _question(earlier) != _question(advice)]
    number = 0 if before is None else before.seq + 1
    state = msgspec.json.encode([*others, advice])
    store.keep_snapshots(info.id, _KIND, [Snapshot(number, info.simulated_ms or 0, state)])


def _question(advice: StoredAdvice) -> tuple[object, ...]:
    return advice.group, tuple(advice.names), tuple(sorted(choice.choice for choice in advice.choices))


def choices_frame(advice: StoredAdvice) -> pd.DataFrame:
    """A row per choice: `choice`, `front`, and the mean of each measure."""
    import pandas as pd

    return pd.DataFrame([{"choice": c.choice, "front": c.front, **c.measures} for c in [*advice.choices, advice.now]])


def along_frame(advice: StoredAdvice) -> pd.DataFrame:
    """Along what flips first, else the first unknown: a row per value and choice, with what is minimised.

    Raises AnalysisError where nothing was unknown.
    """
    import pandas as pd

    if not advice.along:
        raise AnalysisError("nothing was unknown to this advice, so nothing can flip: --unknown KEY=LOW..HIGH")
    chosen = next((along for along in advice.along if along.flips), advice.along[0])
    return pd.DataFrame(
        [
            {chosen.key: float(value), "choice": choice, advice.names[0]: mean}
            for value, means in zip(chosen.values, chosen.means, strict=True)
            for choice, mean in means.items()
        ]
    )
