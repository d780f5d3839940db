"""The recorded runs kept for the tests, and their re-enactments, made once per test process."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

from groupsim.conformance.timelines.reenact import reenact

RUNS = Path(__file__).parent.parent / "golden" / "recordings"
NAMES = sorted(path.name.removesuffix(".json.gz") for path in RUNS.glob("*.json.gz"))


def path(name: str) -> Path:
    """Where a recording lies."""
    return RUNS / f"{name}.json.gz"


def recording(name: str) -> dict[str, Any]:
    """One recording, as a copy that may be changed."""
    with gzip.open(path(name), "rt") as file:
        read: dict[str, Any] = json.load(file)
    return read


@cache
def played(name: str, seed: int) -> dict[str, Any]:
    """Its re-enactment. Do not change it."""
    return reenact(recording(name), seed)
