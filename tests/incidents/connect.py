"""Connectors and tasks of Kafka Connect by logs and by their own word: `python -m tests.incidents.connect [FILE...]`.

One line a recording, of those given or of `tests/golden/connect`: the unit-ms in its window, up to the last line of all
logs, in which no worker ran a connector or task, and what imports say of it: of all logs, of the workers', of all but
the leader's, of each worker's alone. A range: bounds. `!`: see `Total.right`.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Label, within
from groupsim.analysis.tables.bounds import support
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import instant
from groupsim.storage.memory import MemoryStore
from tests.conformance.test_connect_runs import RECORDINGS, down_ms, leader_of
from tests.incidents.tasks import Total

BROKER = "broker"


def recorded(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return found


def recorded_window(story: dict[str, Any]) -> tuple[int, int]:
    """The window, up to where the logs end: UTC ms."""
    begin, end = story["window"]
    times = [line[1:24] for log in logs_of(story).values() for line in log.splitlines() if line.startswith("[20")]
    return begin, min(end, instant(max(times).replace(",", ".").replace(" ", "T") + "+00:00"))


def truth_ms(story: dict[str, Any]) -> int:
    """Unit-ms without a worker, by the stamps; of a connector that was added later since it was asked for."""
    begin, end = recorded_window(story)
    down = down_ms(story | {"window": [begin, end]})
    for at, did, _, _ in story["done"]:
        if did == "add":
            first = {unit: when for when, what, unit, _ in reversed(story["stamps"]) if what == "start"}
            down -= (at - begin) * sum(when > at for when in first.values())
    return down


def logs_of(story: dict[str, Any]) -> dict[str, str]:
    """All logs, by the name of the worker or `broker`."""
    return {**story["logs"], BROKER: story["broker"]}


def total(story: dict[str, Any], given: Iterable[str]) -> tuple[Total, dict[str, int]]:
    """Import these logs, and give no setting; what is unavailable in the window, and by label."""
    begin, end = recorded_window(story)
    store = MemoryStore()
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name in given:
            files.append(Path(folder) / f"{name}.log")
            files[-1].write_text(logs_of(story)[name])
        run = import_run(read_files(files), store, name=None, topics={}).run
    facts = list(store.read(run.id))
    origin = instant(run.origin or "")
    found = list(within(intervals(facts, max(end - origin, facts[-1].at_ms)), begin - origin, end - origin))
    by_label: dict[str, int] = {}
    for each in found:
        if each.label != Label.OK:
            by_label[each.label] = by_label.get(each.label, 0) + each.duration_ms
    return Total(truth_ms(story), support(run.summary, found), 0), by_label


def main(arguments: list[str]) -> int:
    """Print the table; 0 if every total is right."""
    print(f"{'recording':16} {'recorded':>8}  {'all logs':16} {'workers':16} {'no leader':16} {'one worker'}")
    wrong = 0
    for path in [Path(a) for a in arguments] or RECORDINGS:
        story = recorded(path)
        workers, leader = sorted(story["logs"]), leader_of(story)
        subsets = [[*workers, BROKER], workers, [*(w for w in workers if w != leader), BROKER], *([w] for w in workers)]
        totals = [total(story, given)[0] for given in subsets]
        wrong += sum(not each.right() for each in totals)
        print(
            f"{story['story']:16} {totals[0].truth_ms:>8}  {totals[0]!s:16} {totals[1]!s:16} {totals[2]!s:16}",
            *totals[3:],
        )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
