"""The recorded scripts, read once per test process."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent.parent / "golden" / "broker"
SIZES = {"cases": 168, "matrix": 1072, "random": 387}
"""How many scripts each file holds."""


@cache
def scripts(family: str) -> tuple[dict[str, Any], ...]:
    """All scripts of one file. Do not change them."""
    with gzip.open(GOLDEN / f"{family}.jsonl.gz", "rt") as lines:
        return tuple(json.loads(line) for line in lines)


def script(name: str) -> dict[str, Any]:
    """One script, as a copy that may be changed."""
    found = next(s for family in SIZES for s in scripts(family) if s["name"] == name)
    copy: dict[str, Any] = json.loads(json.dumps(found))
    return copy
