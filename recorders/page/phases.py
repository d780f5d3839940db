"""The phase of the heartbeat at which a run was recorded, and clear pairs that it decides.

What a fault costs depends on when it comes between two heartbeats. A family of recordings may have one choice at
several phases (`-p250`: 250 ms later) and another at one only; then their medians can differ by the phase alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from groupsim.conformance.predictions.evidence import Setting
from groupsim.conformance.predictions.score import Pair, clearly_differ, overlap

_PHASE = re.compile(r"-p([0-9]{1,6})(?![0-9A-Za-z])")


def phase_of(run: str) -> int:
    """The phase in ms that the name of a run has; 0 without one."""
    found = _PHASE.search(run)
    return int(found[1]) if found else 0


def phases(runs: Collection[str]) -> tuple[int, ...]:
    """The different phases of some runs, ascending."""
    return tuple(sorted({phase_of(run) for run in runs}))


def decided_by_phase(setting: Setting, pair: Pair) -> bool:
    """Whether a pair is clear only because its choices were recorded at different phases of the heartbeat.

    At the phases that both have it is not clear, or the other way round; nor is it if they have none in common.
    """
    given, asked = (setting.truths[pair.family][choice] for choice in (pair.given, pair.asked))
    if not pair.clear or phases(given) == phases(asked):
        return False
    common = set(phases(given)) & set(phases(asked))
    one, other = _at(given, common), _at(asked, common)
    return not (one and other and clearly_differ(one, other) and not overlap(one, other))


def _at(runs: Mapping[str, int], wanted: Collection[int]) -> Sequence[int]:
    return [ms for run, ms in runs.items() if phase_of(run) in wanted]
