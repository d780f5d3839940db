"""The answer to a small log that a test writes."""

from __future__ import annotations

from pathlib import Path

from groupsim.diagnosis.explain import Explanation, explain_reading
from groupsim.incidents.logs.reading import read_files


def explained(folder: Path, *lines: str) -> Explanation:
    """The answer to a log of these lines."""
    path = folder / "some.log"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = explain_reading(read_files([path]))
    assert found is not None
    return found
