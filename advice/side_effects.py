"""What an advice costs elsewhere: measures that are worse than with the settings as they are."""

from __future__ import annotations

from groupsim.advice.advice import Advice
from groupsim.advice.evidence import estimate

WORSE = 0.05
LEAST_MS, LEAST = 500, 0.5
"""What is more than this share worse, and by more than this, surely, is a price."""
_INSTANT = "lag_end"
"""It depends on how long ago the last commit was."""
_ALIKE = {"partition_ms", "after_start_ms", "founding_ms"}
"""None of them is elsewhere for the others."""


def price(advice: Advice) -> dict[str, tuple[float, float]]:
    """By measure: the mean with the best choice, and with the settings as they are."""
    evidence = advice.selection.evidence
    if evidence is None or len(advice.now) < 2:
        return {}
    found = {}
    rows = advice.selection.rows[evidence.best]
    for name in advice.now[0]:
        if name in (advice.goal.minimise, _INSTANT) or {name, advice.goal.minimise} <= _ALIKE:
            continue
        paired = [row[name] - now[name] for row, now in zip(rows, advice.now, strict=False)]
        more = estimate(paired)
        before = estimate([row[name] for row in advice.now]).mean
        enough = max(WORSE * before, LEAST_MS if name.endswith("_ms") else LEAST)
        if more.mean > enough and more.interval()[0] > 0:
            found[name] = (before + more.mean, before)
    return found
