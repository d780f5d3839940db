"""The part of docs/conformance.md about streams groups and share groups: scripts recorded from Kafka 4.4.0 and 4.3.1.

They are in tests/golden; `compared` plays them and keeps what it found in groups.json, because all of them take long.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from groupsim.conformance.scripts.groups.topics import beside, with_topic_ids
from groupsim.conformance.scripts.script import read
from recorders.page import consumer_section, known_differences

GOLDEN = Path(__file__).parents[2] / "tests" / "golden"
FOUND = GOLDEN / "conformance" / "groups.json"
SETS = {"streams-groups": "streams groups", "share-groups": "share groups"}
"""The folders of tests/golden, and what is in them."""
FILES = {
    "cases": "one rule each, written by hand",
    "matrix": "every request in every state",
    "random": "random scripts, legal and illegal requests",
    "restart": "the broker is stopped and started",
    "put-aside": "random scripts that were recorded for the end, and played once",
    "put-aside-2": "more of them, later, and played once",
    "put-aside-3": "more of them, later, and played once",
    "kafka-4.3.1": "scripts of the first and the third kind from a broker of 4.3.1",
}
"""What the scripts of each file are about."""


def compared() -> dict[str, Any]:
    """By folder and file: how many scripts and steps there are, and what differs first, by script."""
    said: dict[str, Any] = {}
    for folder in SETS:
        for file in FILES:
            path = GOLDEN / folder / f"{file}.jsonl.gz"
            if not path.is_file():
                continue
            ids = beside(path)
            scripts = read(path)
            found = {each["name"]: consumer_section.difference(with_topic_ids(each, ids)) for each in scripts}
            said.setdefault(folder, {})[file] = {
                "scripts": len(scripts),
                "steps": sum(len(each["steps"]) for each in scripts),
                "different": {name: what for name, what in found.items() if what is not None},
            }
    return said


@cache
def found() -> dict[str, Any]:
    """What `compared` found last."""
    known: dict[str, Any] = json.loads(FOUND.read_text())
    return known


def headline() -> Iterator[str]:
    """The rows of the table at the top of the page."""
    for folder, what in SETS.items():
        files = found().get(folder, {}).values()
        every, different = sum(of["scripts"] for of in files), sum(len(of["different"]) for of in files)
        yield f"| {what}, all scripts | {every:,} | {every - different:,} |"


def section() -> Iterator[str]:
    """The section."""
    yield "Answers and their order, the group as an administrator sees it after every step, and the records in "
    yield "`__consumer_offsets`. `groupsim conformance check` plays the files in `tests/golden` again."
    yield ""
    yield "| groups | file | what | scripts | steps | equal scripts |"
    yield "| --- | --- | --- | ---: | ---: | ---: |"
    for folder, files in found().items():
        for file, of in files.items():
            equal = of["scripts"] - len(of["different"])
            yield f"| {SETS[folder]} | {file} | {FILES[file]} | {of['scripts']:,} | {of['steps']:,} | {equal:,} |"
    yield ""
    for files in found().values():
        for of in files.values():
            for name, what in of["different"].items():
                yield f"- `{name}`: {known_differences.GROUPS.get(name, 'not explained')} ({what})"
    yield ""
    for what in known_differences.GROUPS_LIMITS:
        yield f"- {what}"
    yield ""
