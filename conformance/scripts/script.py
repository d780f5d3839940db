"""A script: requests with their times and, where it was recorded, their answers; a line of a .jsonl.gz file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from groupsim.events.errors import GroupSimError

Script = dict[str, Any]
"""`name`, `family`, `about`, `config`, `end_ms`, `choices` and `steps`; tests/golden/broker/README.md has the form."""
Step = dict[str, Any]
ANSWER_KEYS = ("response", "after", "t", "t_range")
"""What is recorded of a step, besides what is asked."""
NO_ANSWER: Step = {"response": None, "after": None, "t": None}


class BadScript(GroupSimError):
    """A script that cannot be played."""


def request_of(step: Step) -> Step:
    """A step without its recorded answer."""
    return {key: value for key, value in step.items() if key not in ANSWER_KEYS}


def read(path: Path) -> list[Script]:
    """The scripts of a .jsonl.gz file."""
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def write(path: Path, scripts: Iterable[Script]) -> None:
    """Scripts as .jsonl.gz, the same bytes for the same scripts."""
    lines = "".join(json.dumps(script, separators=(",", ":")) + "\n" for script in scripts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(lines.encode(), 9, mtime=0))
