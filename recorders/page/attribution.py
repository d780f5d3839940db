"""What the errors of predictions come from: the same pairs predicted from logs, with true timeouts, from true actions.

An error that is there from the true actions and settings, too, is one of the simulated group. One that is not, but is
there from the logs with the true timeouts, comes from what was read of actions and programs, or from how the record is
replayed. The others come from the inferred timeouts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from groupsim.conformance.predictions.score import Pair

NEAR = 0.2
"""A prediction is right if its error is at most this, or if it lies within the real repetitions."""


class Cause(StrEnum):
    """What the error of a prediction comes from."""

    NONE = "none: off by at most 20 %, or within the real repetitions"
    SIMULATION = "the simulated group: as wrong from the true actions and settings"
    STORY = "what was read of actions and programs, or its replay: as wrong with the true timeouts"
    TIMEOUTS = "inferred timeouts: not so with the true ones"


@dataclass(frozen=True, slots=True)
class Attributed:
    """One pair, predicted from the logs, and what its error comes from."""

    pair: Pair
    cause: Cause


def attributed(logs: Iterable[Pair], known: Iterable[Pair], actions: Iterable[Pair]) -> list[Attributed]:
    """The pairs of the logs that have an answer in all three scorings, with their causes."""
    with_timeouts, with_actions = _by_key(known), _by_key(actions)
    with_causes = []
    for pair in logs:
        key = _key(pair)
        if pair.answered and key in with_timeouts and key in with_actions:
            with_causes.append(Attributed(pair, _cause(pair, with_timeouts[key], with_actions[key])))
    return with_causes


def _by_key(pairs: Iterable[Pair]) -> dict[tuple[str, str], Pair]:
    return {_key(pair): pair for pair in pairs if pair.answered}


def _key(pair: Pair) -> tuple[str, str]:
    return pair.run, pair.asked


def right(pair: Pair) -> bool:
    """Near the truth, or within its repetitions."""
    return pair.error <= NEAR or min(pair.real_ms) <= pair.predicted <= max(pair.real_ms)


def _cause(logs: Pair, known: Pair, actions: Pair) -> Cause:
    if right(logs):
        return Cause.NONE
    if _as_wrong(actions, logs):
        return Cause.SIMULATION
    return Cause.STORY if _as_wrong(known, logs) else Cause.TIMEOUTS


def _as_wrong(pair: Pair, logs: Pair) -> bool:
    """Wrong in the same direction, and by at least half as much."""
    off, error = pair.predicted - pair.real, logs.predicted - logs.real
    return not right(pair) and off * error > 0 and abs(off) >= abs(error) / 2


def misread(pairs: Sequence[Pair]) -> list[tuple[str, int]]:
    """What was misread in the runs of these pairs, by wording (`N` for a number), and in how many pairs; most first."""
    counts = Counter(wording for pair in pairs for wording in {_wording(sentence) for sentence in pair.misread})
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _wording(sentence: str) -> str:
    """A sentence without the numbers and processes that it names; a setting keeps its values."""
    if "=" in sentence:
        return sentence
    named = re.sub(r"\bm\d+(\.\d+)?('s)?", lambda found: "a member" + (found[2] or ""), sentence)
    return re.sub(r" \(.*", "", re.sub(r"[+-]?\d[\d,]*", "N", named))
