"""Whether a path is an export of runs: found by its first line or its files, before Arrow is loaded."""

from __future__ import annotations

import json
from pathlib import Path

JSON_LINES = ".jsonl"
FILE = "facts.parquet"
_HEAD = frozenset(["run", "seq", "stream", "info"])
_LONGEST = 1_000_000
"""Bytes of a first line that are looked at."""


def is_export(path: Path) -> bool:
    """Whether `groupsim export` wrote it: a JSON Lines file, a Parquet file, or a folder of `run=<id>` folders."""
    if path.is_dir():
        return any(path.glob(f"run=*/{FILE}")) or (path / FILE).is_file()
    if not path.is_file():
        return False
    if path.suffix == JSON_LINES:
        return _begins_a_run(path)
    return path.suffix == ".parquet"


def _begins_a_run(path: Path) -> bool:
    try:
        with path.open("rb") as lines:
            first = json.loads(lines.readline(_LONGEST))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.keys() >= _HEAD
