"""Scored: one stored scoring of what-ifs, for docs/predictions.md."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from groupsim.conformance.predictions import results
from groupsim.conformance.predictions.results import AskedRun, Evidence, Setting
from groupsim.conformance.predictions.score import Pair, pairs

FIRST = "first"
"""The folder, beside the stored scorings, of those that were made once, before anything was changed after them."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One stored scoring. `first`: made once, before any later change; it stays as it is."""

    setting: Setting
    asked: list[AskedRun]
    pairs: list[Pair]
    first: bool = False


def stored(folder: Path) -> list[Scored]:
    """All stored scorings, by folder of recordings and evidence; a first one before those made later."""
    scorings = []
    for file in (*sorted((folder / FIRST).glob("*.jsonl.gz")), *sorted(folder.glob("*.jsonl.gz"))):
        setting, asked = results.read(file)
        scorings.append(Scored(setting, asked, pairs(setting, asked), file.parent.name == FIRST))
    order = list(Evidence)
    return sorted(
        scorings, key=lambda scored: (scored.setting.folder, order.index(scored.setting.evidence), not scored.first)
    )
