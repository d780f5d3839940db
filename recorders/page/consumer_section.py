"""The part of docs/conformance.md about the consumer protocol: random scripts recorded beside a real broker.

The scripts are in tests/golden/conformance/consumer.jsonl.gz; `compared` plays them and keeps what it found in
consumer.json, because all of them take half a minute.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from groupsim.conformance.scripts.groups.compare import differences
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import Script, read
from recorders.page import known_differences

GOLDEN = Path(__file__).parents[2] / "tests" / "golden" / "conformance"
SCRIPTS, FOUND = GOLDEN / "consumer.jsonl.gz", GOLDEN / "consumer.json"
KINDS = {
    "native": "members of the consumer protocol, two to six",
    "static": "most of them static",
    "mixed": "classic and native members, online migration both ways",
    "mixed-static": "the same, half of them static",
    "topics": "topics are created, grow, are deleted and created again",
    "expressions": "subscriptions by regular expression",
    "offsets": "commits, transactional commits and fetches at all epochs",
    "interval": "an assignment interval of one second",
    "policy": "the other three migration policies",
    "full": "groups of limited size",
    "timers": "sessions and rebalance timeouts that end",
    "restart": "the broker is stopped and started",
}
"""What the scripts of each kind are about."""


def kind_of(name: str) -> str:
    """`mixed` of `R.mixed.17`."""
    return name.split(".")[1]


def difference(script: Script) -> str | None:
    """What differs first; None if nothing does."""
    first = next(differences(script, play(script)), None)
    return None if first is None else str(first).partition(": recorded")[0]


def compared() -> dict[str, Any]:
    """All scripts played: how many there are and how many steps, by kind, and what differs first, by script."""
    scripts = read(SCRIPTS)
    said = {script["name"]: difference(script) for script in scripts}
    steps: Counter[str] = Counter()
    for script in scripts:
        steps[kind_of(script["name"])] += len(script["steps"])
    return {
        "scripts": dict(Counter(kind_of(script["name"]) for script in scripts)),
        "steps": dict(steps),
        "different": {name: what for name, what in said.items() if what is not None},
    }


@cache
def found() -> dict[str, Any]:
    """What `compared` found last."""
    known: dict[str, Any] = json.loads(FOUND.read_text())
    return known


def headline() -> str:
    """The row of the table at the top of the page."""
    every, different = sum(found()["scripts"].values()), len(found()["different"])
    return f"| consumer protocol, random scripts | {every:,} | {every - different:,} |"


def section() -> Iterator[str]:
    """The section."""
    yield "Random scripts from the same seed, recorded with `make conformance` as the others are. After every step the "
    yield "group as an administrator sees it is compared, too, and the records in `__consumer_offsets`."
    yield ""
    yield "| kind | what | scripts | steps | equal scripts |"
    yield "| --- | --- | ---: | ---: | ---: |"
    different = Counter(map(kind_of, found()["different"]))
    for kind, what in KINDS.items():
        scripts, steps = found()["scripts"].get(kind, 0), found()["steps"].get(kind, 0)
        yield f"| {kind} | {what} | {scripts:,} | {steps:,} | {scripts - different[kind]:,} |"
    yield ""
    for name, what in found()["different"].items():
        yield f"- `{name}`: {known_differences.CONSUMER.get(name, 'not explained')} ({what})"
    yield ""
    for what in known_differences.CONSUMER_LIMITS:
        yield f"- {what}"
    yield ""
