"""docs/conformance.md, written from the recordings in tests/golden/conformance: what of a real Kafka is equal."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from groupsim.conformance.page import known_differences, timelines_section
from groupsim.conformance.scripts.compare import difference
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.record import read

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "conformance"
PAGE = ROOT / "docs" / "conformance.md"
FAMILIES = ("cases", "matrix", "random", "failover")
TRANSITION = re.compile(r"T(\d+)")
BY_DELAY = ("T6", "T7", "T8")
"""The transitions of the initial delay; their scripts are called delay-…"""
BY_FAILOVER = ("T31", "T32")
LAST_TRANSITION = 32
EQUAL, DIFFERENT = "=", "**≠**"


@cache
def meta() -> dict[str, Any]:
    """`kafka`, `recorded` (a date), `seed`, `unstable` (names of scripts, by step)."""
    found: dict[str, Any] = json.loads((GOLDEN / "meta.json").read_text())
    return found


@cache
def compared(family: str) -> dict[str, str | None]:
    """By script: None where our machine answers what Kafka did, else the first difference."""
    return {r["name"]: difference(r, play(r)) for r in read(GOLDEN / f"{family}.jsonl.gz")}


def transitions() -> dict[str, list[str]]:
    """By transition of the specification: the scripts that show it."""
    found: dict[str, list[str]] = {f"T{n}": [] for n in range(1, LAST_TRANSITION + 1)}
    for name in compared("cases"):
        for number in TRANSITION.findall(name.removeprefix("A0.").partition("-d3")[0]):
            found[f"T{number}"].append(name)
        if name.startswith("A0.delay-"):
            for transition in BY_DELAY:
                found[transition].append(name)
    for transition in BY_FAILOVER:
        found[transition] += compared("failover")
    return found


def cells() -> dict[str, dict[str, list[str | None]]]:
    """By request, by state of the group: what the scripts of this cell came to."""
    found: dict[str, dict[str, list[str | None]]] = defaultdict(lambda: defaultdict(list))
    for name, said in compared("matrix").items():
        _, _, state, request = name.split(".", 3)
        found[request][state].append(said)
    return found


def _verdict(said: Iterable[str | None]) -> str:
    every = list(said)
    return "·" if not every else EQUAL if all(s is None for s in every) else DIFFERENT


def _headline() -> Iterator[str]:
    yield "| what | compared | equal |"
    yield "| --- | ---: | ---: |"
    names = {
        "cases": "scripts written by hand, one or more for each transition",
        "matrix": "every request in every state of the group",
        "random": "random scripts, two to six members, legal and illegal requests",
        "failover": "scripts with a failover between three brokers",
    }
    for family in FAMILIES:
        every = compared(family)
        yield f"| {names[family]} | {len(every):,} | {sum(said is None for said in every.values()):,} |"
    for name, found in assignors()["assignors"].items():
        total = found["equal"] + len(found["different"])
        yield f"| `{name}`, random problems, to the partition | {total:,} | {found['equal']:,} |"
    yield from timelines_section.headline()
    yield ""


@cache
def assignors() -> dict[str, Any]:
    """What `java_assignors.compare` found."""
    found: dict[str, Any] = json.loads((GOLDEN / "assignors.json").read_text())
    return found


@cache
def stories() -> list[dict[str, Any]]:
    """What real clients made of stories that the simulator tells."""
    file = GOLDEN / "stories.json"
    found: list[dict[str, Any]] = json.loads(file.read_text()) if file.exists() else []
    return found


def _transition_table() -> Iterator[str]:
    yield "| transition | scripts | |"
    yield "| --- | --- | --- |"
    for transition, names in transitions().items():
        every = compared("cases") | compared("failover")
        shown = ", ".join(f"`{n}`" for n in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        said = shown or known_differences.UNRECORDED[transition]
        yield f"| {transition} | {said} | {_verdict(every[n] for n in names)} |"
    others = [n for n in compared("cases") if not any(n in names for names in transitions().values())]
    what = "static members, votes, expiry, size limit, old versions"
    yield f"| others | {len(others)}: {what} | {_verdict(every[n] for n in others)} |"
    yield ""


def _matrix_table() -> Iterator[str]:
    found = cells()
    states = sorted({state for row in found.values() for state in row})
    yield "| request | " + " | ".join(states) + " |"
    yield "| --- |" + " --- |" * len(states)
    for request in sorted(found):
        yield f"| {request} | " + " | ".join(_verdict(found[request].get(state, ())) for state in states) + " |"
    yield ""


def _differences() -> Iterator[str]:
    found = [(n, said) for family in FAMILIES for n, said in compared(family).items() if said is not None]
    if not found:
        yield "None."
    for name, said in found:
        yield f"- `{name}`: {_why(name) or 'not explained'} ({said.partition(': recorded')[0]})"
    for name in sorted(set(known_differences.BY_CHANCE) - {name for name, _ in found}):
        yield f"- `{name}` agreed in this recording, by chance: {known_differences.BY_CHANCE[name]}"
    yield ""


def _why(name: str) -> str | None:
    return known_differences.EXPLAINED.get(name) or known_differences.BY_CHANCE.get(name)


def _sync_ms() -> int:
    """Median from a leader's SyncGroup to its answer, in ms."""
    waits: list[int] = []
    for record in read(GOLDEN / "cases.jsonl.gz"):
        for step in record["steps"]:
            answer = step["response"]
            if step["op"] == "sync" and answer and answer["error"] == "NONE" and step["request"]["assignments"]:
                waits.append(step["t"] - step["at"])
    return round(median(waits))


def _since() -> Iterator[str]:
    for section, what in known_differences.SINCE_THE_SPECIFICATION:
        yield f"- Section {section}: {what.format(sync=_sync_ms())}"
    yield ""


def _stories() -> Iterator[str]:
    if not stories():
        yield "Not recorded yet: `python -m groupsim.conformance.real stories`."
        yield ""
        return
    yield "| story | what the simulator tells | on Kafka | what was seen |"
    yield "| --- | --- | --- | --- |"
    for story in stories():
        yield f"| `{story['scenario']}` | {story['claim']} | **{story['verdict']}** | {story['seen']} |"
    yield ""
    for story in stories():
        if story["verdict"] == "refuted":
            yield f"- `{story['scenario']}`: {known_differences.STORIES.get(story['scenario'], 'not explained')}"
    yield ""


def page() -> str:
    """The page."""
    about = meta()
    seeds = assignors()["seeds"]
    wavering = sorted(n for names in about["unstable"].values() for n in names)
    unstable = ", ".join(f"`{n}`" for n in wavering) or "none"
    return "\n".join(
        [
            "# Held against a real Kafka",
            "",
            "<!-- written by `python -m groupsim.conformance.real page`; do not edit -->",
            "",
            f"Apache Kafka {about['kafka']}, recorded {about['recorded']}: fake members on raw connections ask a real "
            "broker, and our machine is asked the same. Answers and their order are compared exactly, times within "
            "-90 and +150 ms. `make conformance` fetches that Kafka by Maven, records everything anew and writes this "
            "page; `make test` plays the committed recordings without it.",
            "",
            *_headline(),
            f"Every script was played until two plays with shaken times agreed. Unstable, and left out: {unstable}. "
            f"Random scripts from seed {about['seed']}; random assignor problems from seeds {seeds[0]} to {seeds[1]}.",
            "",
            "Which member leads after an election is unspecified (hash order of random ids): our machine is told whom "
            "the broker chose, and everything else must follow.",
            "",
            "## Differences",
            "",
            *_differences(),
            "## Kafka 4 and the specification",
            "",
            f"Where {about['kafka']} does otherwise than the specification, which describes a snapshot of October "
            "2024:",
            "",
            *_since(),
            "## Timelines",
            "",
            *timelines_section.section(),
            "## Stories that only the simulator had told",
            "",
            *_stories(),
            "## Transitions",
            "",
            *_transition_table(),
            "## Requests and states",
            "",
            "`=` equal, `≠` different, `·` not asked.",
            "",
            *_matrix_table(),
        ]
    )
