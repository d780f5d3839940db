"""Who owned what by the logs alone, against what the members' own code saw: `python -m tests.incidents.ownership`.

One line a recording (a folder with `recording.json` and logs), of the folders given or of all recordings beside the
checkout: whether the same processes owned the same partitions in the same order, and how far the edges are apart.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from groupsim.conformance.predictions.families import read_record
from groupsim.events import client
from groupsim.events.base import Recorded
from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.importer import ImportResult, import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import instant
from groupsim.storage.memory import MemoryStore
from tests.incidents.recordings import BESIDE, began, logs_of

NEAR_MS = 5


class Window(NamedTuple):
    """Who held a partition, in milliseconds since the recording's start. `died`: it ended by a death."""

    process: str
    start: int
    end: int
    died: bool


class Compared(NamedTuple):
    """One recording: `differs` names partitions with other owners; `errors` are the edges' distances in ms, sorted."""

    name: str
    partitions: int
    differs: dict[str, tuple[list[str], list[str]]]
    errors: list[tuple[int, str]]
    deaths: list[int]

    @property
    def same(self) -> bool:
        """Whether every partition had the same owners in the same order."""
        return not self.differs

    @property
    def near(self) -> int:
        """How many edges are within NEAR_MS."""
        return sum(error <= NEAR_MS for error, _ in self.errors)


def imported(folder: Path) -> tuple[ImportResult, list[Recorded], dict[str, Any], int]:
    """The run of a recording, its facts, its truth, and what to add to the run's times."""
    truth, store = read_record(folder), MemoryStore()
    result = import_run(read_files(logs_of(folder)), store, name=None, topics={})
    return result, list(store.read(result.run.id)), truth, instant(result.run.origin or "") - began(truth)


def ownership(facts: Iterable[Recorded], offset: int, end: int) -> dict[str, list[Window]]:
    """From the end of each assigned callback to the begin of revoked or lost, to the death, or to the end."""
    since: dict[tuple[str, TopicPartition], int] = {}
    views: dict[str, tuple[TopicPartition, ...]] = {}
    found: dict[str, list[Window]] = {}

    def close(process: str, partitions: tuple[TopicPartition, ...], at: int, died: bool = False) -> None:
        for partition in partitions:
            start = since.pop((process, partition), None)
            if start is not None:
                found.setdefault(str(partition), []).append(Window(process, start, at, died))

    for fact in facts:
        at = fact.at_ms + offset
        match fact.event:
            case client.ViewChanged(process=process, partitions=partitions):
                views[process] = partitions
            case client.CallbackEnd(process=process, kind="assigned"):
                for partition in views.get(process, ()):
                    since.setdefault((process, partition), at)
            case client.CallbackStart(process=process, partitions=partitions, kind="revoked" | "lost"):
                close(process, partitions, at)
            case client.Crashed(process=process):
                close(process, views.get(process, ()), at, died=True)
            case client.Closed(process=process):
                close(process, views.get(process, ()), at)
    for process, partition in list(since):
        close(process, (partition,), end)
    return {partition: sorted(windows, key=lambda w: w.start) for partition, windows in found.items()}


def _labelled(process: str, truth: dict[str, Any]) -> str:
    """Its name by the recording's: one whose lines name no client (aiokafka's) has that of its group.instance.id."""
    given = truth["config"].get("per_member") or {}
    labels = {program["instance"]: label for label, program in given.items() if "instance" in program}
    name, _, number = process.rpartition(".")
    return f"{labels.get(name, name)}.{number}"


def compare(folder: Path) -> Compared:
    """Import one recording's logs and hold the ownership against the truth."""
    _, facts, truth, offset = imported(folder)
    found = ownership(facts, offset, truth["run_end_ms"])
    differs, errors, deaths = {}, [], []
    for partition in sorted(found.keys() | truth["ownership"].keys()):
        windows, seen = found.get(partition, []), truth["ownership"].get(partition, [])
        names, true_names = (
            [_labelled(w.process, truth) for w in windows],
            [f"{w['member']}.{w['incarnation']}" for w in seen],
        )
        if names != true_names:
            differs[partition] = names, true_names
            continue
        for window, true in zip(windows, seen, strict=True):
            errors.append((abs(window.start - true["from_ms"]), f"{partition} {window.process} from {window.start}"))
            if window.died:
                deaths.append(abs(window.end - true["to_ms"]))
            else:
                errors.append((abs(window.end - true["to_ms"]), f"{partition} {window.process} to {window.end}"))
    return Compared(folder.name, len(truth["ownership"]), differs, sorted(errors), sorted(deaths))


def main(arguments: list[str]) -> int:
    """Print the table; `-v` names each difference. 0 if every recording has the same owners."""
    folders = [Path(a) for a in arguments if a != "-v"] or BESIDE
    if not folders:
        print("the recordings (../shared/recordings) are not here")
        return 1
    print(f"{'recording':58} same edges <=5ms  worst  deaths within")
    kinds: dict[str, list[Compared]] = defaultdict(list)
    for folder in folders:
        one = compare(folder)
        kinds[_kind(one.name)].append(one)
        worst = one.errors[-1][0] if one.errors else 0
        deaths = f"{one.deaths[-1]:6}" if one.deaths else ""
        print(f"{one.name:58} {'yes' if one.same else 'NO':4} {len(one.errors):5} {one.near:5} {worst:6}  {deaths}")
        if "-v" in arguments:
            for partition, (names, true) in one.differs.items():
                print(f"    {partition}: logs {names}, truth {true}")
            for error, what in one.errors[::-1][:4]:
                if error > NEAR_MS:
                    print(f"    {error} ms: {what}")
    for kind, all_ in kinds.items():
        _total(kind, all_)
    everything = [one for all_ in kinds.values() for one in all_]
    _total("all", everything)
    return 0 if all(one.same for one in everything) else 1


def _kind(name: str) -> str:
    assignor = name.split("__")[1] if "__" in name else "java"
    library = next((lib for lib in ("librdkafka", "kafkapython") if lib in assignor), "java")
    return f"{library} {'consumer' if 'kip848' in assignor else 'classic'}"


def _total(name: str, compared: list[Compared]) -> None:
    errors = sorted(error for one in compared for error, _ in one.errors)
    near, same = sum(one.near for one in compared), sum(one.same for one in compared)
    whole = sum(one.same and one.near == len(one.errors) for one in compared)
    share = near / len(errors) if errors else 1.0
    print(
        f"{name:22} same owners {same}/{len(compared)}, all edges within {NEAR_MS} ms {whole}/{len(compared)},"
        f" edges {near}/{len(errors)} ({share:.1%}), worst {errors[-1] if errors else 0} ms"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
