"""The order in which files are named changes no fact: exports of platforms, and what Kafka keeps of groups."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

from tests.cli.conftest import Call
from tests.incidents.exports.fuzz import EXAMPLES
from tests.incidents.exports.layouts import LAYOUTS, lines_of

TOPIC = Path(__file__).parents[1] / "golden" / "offsets-topic"
WRITTEN = ("newrelic.ndjson", "semicolons.csv", "datadog.json", "stern.txt")


def digests(call: Call, files: list[str], *options: str) -> set[tuple[str, int]]:
    found = set()
    for number, order in enumerate(permutations(files)):
        if number % 5 == 0 or order == tuple(reversed(files)):
            done = call("incident", "import", *order, "--name", "x", *options, "--format", "json")
            assert done.status < 2, done.err
            found.add((done.json["digest"], done.json["facts"]))
    return found


def test_exports_in_several_layouts_give_one_run(call: Call) -> None:
    lines = lines_of(EXAMPLES / "kill9-range")
    streams = sorted({line.stream for line in lines})
    files = []
    for number, name in enumerate(WRITTEN):
        mine = [line for line in lines if line.stream in streams[number :: len(WRITTEN)]]
        Path(name).write_text(LAYOUTS[name][0](mine))
        files.append(name)
    ((_, facts),) = digests(call, files)
    assert facts > 50


def test_dumps_and_segments_of_the_topic_give_one_run(call: Call) -> None:
    files = [str(path) for path in sorted(TOPIC.glob("dev-classic-3*.gz"))]
    files += [str(path) for path in sorted(TOPIC.glob("dev-more-1*.log.gz"))]
    assert len(files) == 3
    said = call("incident", "import", files[0]).err
    group = next(word for word in said.replace(",", " ").split() if word.startswith("s03-one-closes.range.d0.r1"))
    ((_, facts),) = digests(call, files, "--group", group)
    assert facts > 20
