"""docs/conformance.md, written from the recordings in tests/golden/conformance: how far a real Kafka does the same."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from groupsim.conformance.scripts.compare import difference
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import read
from recorders.page import (
    consumer_section,
    known_differences,
    recorded_runs_section,
    recording_section,
    timelines_section,
)
from recorders.page.transitions import OF_A_FAILOVER, OF_THE_INITIAL_DELAY, TRANSITIONS, UNRECORDED

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "conformance"
PAGE = ROOT / "docs" / "conformance.md"
FAMILIES = ("cases", "matrix", "random", "failover")
NUMBER = re.compile(r"T(\d+)")
"""A transition's number in the name of a script."""
EQUAL, DIFFERENT = "=", "**≠**"


@cache
def meta() -> dict[str, Any]:
    """`kafka`, `recorded` (a date), `seed`, `unstable` (names of scripts, by step)."""
    found: dict[str, Any] = json.loads((GOLDEN / "meta.json").read_text())
    return found


@cache
def compared(family: str) -> dict[str, str | None]:
    """By script: None where the simulator answers as Kafka did, else the first difference."""
    return {r["name"]: difference(r, play(r)) for r in read(GOLDEN / f"{family}.jsonl.gz")}


def transitions() -> dict[int, list[str]]:
    """By transition: the scripts that show it."""
    found: dict[int, list[str]] = {number: [] for number in TRANSITIONS}
    for name in compared("cases"):
        for number in NUMBER.findall(name.removeprefix("A0.").partition("-d3")[0]):
            found[int(number)].append(name)
        if name.startswith("A0.delay-"):
            for transition in OF_THE_INITIAL_DELAY:
                found[transition].append(name)
    for transition in OF_A_FAILOVER:
        found[transition] += compared("failover")
    return found


def cells() -> dict[str, dict[str, list[str | None]]]:
    """By request, by state of the group: the differences that the scripts of this cell found, None for none."""
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
    yield consumer_section.headline()
    for name, found in assignors()["assignors"].items():
        total = found["equal"] + len(found["different"])
        yield f"| `{name}`, random problems, to the partition | {total:,} | {found['equal']:,} |"
    yield from timelines_section.headline()
    yield ""


@cache
def assignors() -> dict[str, Any]:
    """What `recorders.assignors.comparison` found."""
    found: dict[str, Any] = json.loads((GOLDEN / "assignors.json").read_text())
    return found


@cache
def predictions() -> list[dict[str, Any]]:
    """Predictions of the simulator that were tried with real clients."""
    file = GOLDEN / "stories.json"
    found: list[dict[str, Any]] = json.loads(file.read_text()) if file.exists() else []
    return found


def _transition_table() -> Iterator[str]:
    yield "| transition | scripts | |"
    yield "| --- | --- | --- |"
    every = compared("cases") | compared("failover")
    for transition, names in transitions().items():
        shown = ", ".join(f"`{n}`" for n in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        said = shown or UNRECORDED[transition]
        yield f"| {TRANSITIONS[transition]} | {said} | {_verdict(every[n] for n in names)} |"
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
    for what in known_differences.SINCE_OCTOBER_2024:
        yield f"- {what.format(sync=_sync_ms())}"
    yield ""


def _predictions() -> Iterator[str]:
    if not predictions():
        yield "Not recorded yet: `python -m recorders.real predictions`."
        yield ""
        return
    yield "| scenario | what the simulator predicts | on Kafka | what was seen |"
    yield "| --- | --- | --- | --- |"
    for each in predictions():
        yield f"| `{each['scenario']}` | {each['claim']} | **{each['verdict']}** | {each['seen']} |"
    yield ""
    for each in predictions():
        if each["verdict"] == "refuted":
            yield f"- `{each['scenario']}`: {known_differences.PREDICTIONS.get(each['scenario'], 'not explained')}"
    yield ""


def page() -> str:
    """The page."""
    about = meta()
    seeds = assignors()["seeds"]
    unstable_names = sorted(n for names in about["unstable"].values() for n in names)
    unstable = ", ".join(f"`{n}`" for n in unstable_names) or "none"
    return "\n".join(
        [
            "# Compared with a real Kafka",
            "",
            "<!-- written by `python -m recorders.real page`; do not edit -->",
            "",
            f"Apache Kafka {about['kafka']}, recorded {about['recorded']}: fake members on raw connections ask a real "
            "broker, and the simulator is asked the same. Answers and their order are compared exactly, times within "
            "-90 and +150 ms. `make conformance` fetches that Kafka with Maven, records everything anew and writes "
            "this page; `make test` plays the committed recordings without it.",
            "",
            *_headline(),
            "Every script was played until two plays with slightly shifted times agreed. Unstable, and left out: "
            f"{unstable}. Random scripts from seed {about['seed']}; random assignor problems from seeds {seeds[0]} to "
            f"{seeds[1]}.",
            "",
            "Which member leads after an election is unspecified (hash order of random ids): the simulator takes the "
            "leader that the broker chose, and everything else must be equal.",
            "",
            "## Differences",
            "",
            *_differences(),
            "## Kafka 4.4 and the snapshot of October 2024",
            "",
            "The simulator was first written after a snapshot of Kafka 4.0 of October 2024. "
            f"{about['kafka']} differs from it:",
            "",
            *_since(),
            "## The consumer protocol",
            "",
            *consumer_section.section(),
            "## Timelines",
            "",
            *timelines_section.section(),
            *recorded_runs_section.headed(),
            "## Recording the live topic",
            "",
            *recording_section.section(),
            "## Predictions of the simulator, tried with real clients",
            "",
            *_predictions(),
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
