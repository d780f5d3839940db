"""docs/conformance.md, written from the recordings in tests/golden/conformance: how far a real Kafka does the same.

The numbers of transitions are part of the recorded scripts' names (`A0.T26`).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from groupsim.conformance.scripts.check import difference
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import read
from recorders.page import consumer_section, groups_section, known_differences, recorded_runs_section, timelines_section

TRANSITIONS: dict[int, str] = {
    1: "no group: JoinGroup without a member id creates it",
    2: "no group: JoinGroup with a member id is refused",
    3: "JoinGroup without a member id: MEMBER_ID_REQUIRED, and the id is pending until it is used or expires",
    4: "Empty: the first member starts the initial rebalance delay",
    5: "Empty: JoinGroup with a former member id is refused",
    6: "initial rebalance delay: another member joins",
    7: "initial rebalance delay ends: members joined meanwhile, it is extended",
    8: "initial rebalance delay ends: the join phase completes",
    9: "PreparingRebalance: the last member rejoins, the join phase completes",
    10: "PreparingRebalance: a member rejoins, others are missing",
    11: "PreparingRebalance: the rebalance timeout ends, missing dynamic members are removed",
    12: "PreparingRebalance: the rebalance timeout ends and only static members are left, none of which has rejoined",
    13: "PreparingRebalance: the last missing member leaves",
    14: "PreparingRebalance: the session of the last missing member ends",
    15: "PreparingRebalance: SyncGroup is answered REBALANCE_IN_PROGRESS",
    16: "CompletingRebalance: a follower's SyncGroup waits",
    17: "CompletingRebalance: the leader's SyncGroup, the group becomes Stable",
    18: "CompletingRebalance: the assignment cannot be written, a new rebalance starts",
    19: "CompletingRebalance: JoinGroup of a member without a change is answered at once",
    20: "CompletingRebalance: JoinGroup of a changed or a new member starts a new rebalance",
    21: "CompletingRebalance: a static member is replaced, a new rebalance starts",
    22: "CompletingRebalance or Stable: a member leaves or its session ends",
    23: "the sync timeout ends: members without a SyncGroup are removed",
    24: "Stable: JoinGroup of the leader starts a rebalance",
    25: "Stable: JoinGroup of a changed follower starts a rebalance",
    26: "Stable: JoinGroup of a follower without a change is answered at once",
    27: "Stable: JoinGroup of a new member starts a rebalance",
    28: "Stable: a static member is replaced without a rebalance",
    29: "Stable: a static member is replaced and the assignor changes with it: a rebalance starts",
    30: "Stable: SyncGroup is answered with the stored assignment",
    31: "failover: the coordinator gives up the group",
    32: "failover: another coordinator loads the group",
}

OF_THE_INITIAL_DELAY = (6, 7, 8)
"""Their scripts are named `A0.delay-…`."""
OF_A_FAILOVER = (31, 32)

UNRECORDED: dict[int, str] = {
    18: "no script: a write that fails cannot be caused from outside, and in the simulator no write fails "
    "([0004](adr/0004-one-command-at-a-time.md))",
}
"""Transitions without a script, and the reason."""


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
    noted: dict[str, Any] = json.loads((GOLDEN / "meta.json").read_text())
    return noted


@cache
def compared(family: str) -> dict[str, str | None]:
    """By script: None where the simulator answers as Kafka did, else the first difference."""
    return {r["name"]: difference(r, play(r)) for r in read(GOLDEN / f"{family}.jsonl.gz")}


def transitions() -> dict[int, list[str]]:
    """By transition: the scripts that show it."""
    shown_by: dict[int, list[str]] = {number: [] for number in TRANSITIONS}
    for name in compared("cases"):
        for number in NUMBER.findall(name.removeprefix("A0.").partition("-d3")[0]):
            shown_by[int(number)].append(name)
        if name.startswith("A0.delay-"):
            for transition in OF_THE_INITIAL_DELAY:
                shown_by[transition].append(name)
    for transition in OF_A_FAILOVER:
        shown_by[transition] += compared("failover")
    return shown_by


def cells() -> dict[str, dict[str, list[str | None]]]:
    """By request, by state of the group: the differences that the scripts of this cell found, None for none."""
    by_request: dict[str, dict[str, list[str | None]]] = defaultdict(lambda: defaultdict(list))
    for name, said in compared("matrix").items():
        _, _, state, request = name.split(".", 3)
        by_request[request][state].append(said)
    return by_request


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
    yield from groups_section.headline()
    for name, counts in assignors()["assignors"].items():
        total = counts["equal"] + len(counts["different"])
        yield f"| `{name}`, random problems, to the partition | {total:,} | {counts['equal']:,} |"
    yield from timelines_section.headline()
    yield ""


@cache
def assignors() -> dict[str, Any]:
    """What `recorders.assignors.comparison` found."""
    counted: dict[str, Any] = json.loads((GOLDEN / "assignors.json").read_text())
    return counted


@cache
def predictions() -> list[dict[str, Any]]:
    """Predictions of the simulator that were tried with real clients."""
    file = GOLDEN / "stories.json"
    tried: list[dict[str, Any]] = json.loads(file.read_text()) if file.exists() else []
    return tried


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
    by_request = cells()
    states = sorted({state for row in by_request.values() for state in row})
    yield "| request | " + " | ".join(states) + " |"
    yield "| --- |" + " --- |" * len(states)
    for request in sorted(by_request):
        yield f"| {request} | " + " | ".join(_verdict(by_request[request].get(state, ())) for state in states) + " |"
    yield ""


def _differences() -> Iterator[str]:
    differences = [(n, said) for family in FAMILIES for n, said in compared(family).items() if said is not None]
    if not differences:
        yield "None."
    for name, said in differences:
        yield f"- `{name}`: {_why(name) or 'not explained'} ({said.partition(': recorded')[0]})"
    for name in sorted(set(known_differences.BY_CHANCE) - {name for name, _ in differences}):
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
    for trial in predictions():
        yield f"| `{trial['scenario']}` | {trial['claim']} | **{trial['verdict']}** | {trial['seen']} |"
    yield ""
    for trial in predictions():
        if trial["verdict"] == "refuted":
            yield f"- `{trial['scenario']}`: {known_differences.PREDICTIONS.get(trial['scenario'], 'not explained')}"
    yield ""


def _live_topic() -> Iterator[str]:
    """What `recorders.offsets_topic` found."""
    noted = json.loads((GOLDEN / "offsets-topic.json").read_text())
    yield (
        f"`groupsim record` on Kafka {noted['kafka']}: a classic and a consumer group of librdkafka whose "
        f"members come and go, the recorder killed with `kill -9` {noted['killed']} times and continued. Compared with "
        "the broker's segment files, read as files:"
    )
    yield ""
    yield "| records | lost | twice | made up | with another value | in another batch |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: |"
    counts = [noted[name] for name in ("records", "lost", "twice", "made_up", "different", "other_batch")]
    yield "| " + " | ".join(f"{count:,}" for count in counts) + " |"
    yield ""
    yield (
        "A consumer does not see batches: records that stand together and have the same millisecond are taken for one. "
        f"The cluster's groups afterwards: {', '.join(f'`{name}`' for name in noted['groups_of_the_cluster'])}; the "
        "recorder is none of them. Differences between our schemas of group records and those in Kafka's jars: "
        f"{len(noted['schema_differences'])}."
    )
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
            "## Streams groups and share groups",
            "",
            *groups_section.section(),
            "## Timelines",
            "",
            *timelines_section.section(),
            *recorded_runs_section.headed(),
            "## Recording the live topic",
            "",
            *_live_topic(),
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
