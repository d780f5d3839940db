"""Evidence of a prediction (logs alone, logs and the true timeouts, the true actions), and what is kept of each."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Evidence(StrEnum):
    """On what predictions are based: the logs alone, the logs and the true timeouts, or the recorded actions."""

    LOGS = "logs"
    KNOWN = "known"
    ACTIONS = "actions"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What one choice would cost, in partition-milliseconds, by seed; `refused`: why there is no answer."""

    choice: str
    ms: tuple[int, ...] = ()
    refused: str | None = None


class AskedRun(msgspec.Struct, frozen=True, kw_only=True):
    """The answers from one run. `baseline`: as recorded. `settings`: by name, the true and the inferred value in ms.

    `story`: what was read otherwise than it happened, one sentence each.
    """

    run: str
    story: str
    family: str
    choice: str
    baseline: Answer
    answers: tuple[Answer, ...]
    settings: dict[str, tuple[int, int]] = {}
    misread: tuple[str, ...] = ()


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What a scoring was made with. `truths`: by family, choice and run, the real partition-milliseconds.

    `left_out`: how many recordings of the folder use the consumer protocol or both, and are not asked.
    """

    folder: str
    evidence: Evidence
    seeds: tuple[int, int]
    date: str
    version: str
    truths: dict[str, dict[str, dict[str, int]]]
    left_out: int = 0
