"""Exports in layouts of our own give the figures of the plain logs, whatever their order, in one file or several."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from groupsim.analysis.tables.summary import summarise
from groupsim.incidents.errors import LogError
from groupsim.incidents.exports.evidence import Fields
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.memory import MemoryStore
from tests.incidents.exports.layouts import LAYOUTS, Line, arranged, lines_of, undated
from tests.incidents.exports.more_layouts import IN_WHOLE_SECONDS, MORE, WITHOUT_YEAR
from tests.thinned import ALL

EXAMPLES = Path(__file__).parents[3] / "examples" / "incidents"
INCIDENTS = ("kill9-range", "rolling-restart-cooperative")
CASES = [(layout, order) for layout, (_, orders) in LAYOUTS.items() for order in orders]
EVERY_CASE = [(*case, INCIDENTS[(n + m) % 2]) for m in range(2) for n, case in enumerate(CASES)]
"""The first half has every layout and order, with one incident or the other."""


def figures(paths: list[Path]) -> Any:
    """Unavailable time by label and the rebalances of an import of these files."""
    store = MemoryStore()
    result = import_run(read_files(paths), store, name=None, topics={})
    numbers = summarise(list(store.read(result.run.id)))
    return numbers["unavailable"]["by_label"], {name: each["rebalances"] for name, each in numbers["groups"].items()}


@cache
def plain(incident: str) -> Any:
    """What the plain logs give."""
    return figures(sorted((EXAMPLES / incident).glob("*.log.gz")))


def by_stream(lines: list[Line]) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for line in lines:
        found.setdefault(line.stream, []).append(line)
    return found


@pytest.mark.parametrize(("layout", "order", "incident"), EVERY_CASE if ALL else EVERY_CASE[: len(CASES)])
def test_one_file_gives_what_the_plain_logs_give(layout: str, order: str, incident: str, tmp_path: Path) -> None:
    write, _ = LAYOUTS[layout]
    export = tmp_path / layout
    export.write_text(write(arranged(lines_of(EXAMPLES / incident), order)), encoding="utf-8")
    assert figures([export]) == plain(incident)


@pytest.mark.parametrize(("layout", "order"), CASES[::3])
def test_a_file_a_stream_gives_what_the_plain_logs_give(layout: str, order: str, tmp_path: Path) -> None:
    write, _ = LAYOUTS[layout]
    paths = []
    for stream, lines in by_stream(lines_of(EXAMPLES / INCIDENTS[0])).items():
        paths.append(tmp_path / f"{stream}-{layout}")
        paths[-1].write_text(write(arranged(lines, order)), encoding="utf-8")
    assert figures(paths) == plain(INCIDENTS[0])


DATED = [(name, number % 2 == 1) for number, name in enumerate(MORE)]
BOTH = sorted({*DATED, *((name, dated) for name in IN_WHOLE_SECONDS for dated in (False, True))})


@pytest.mark.parametrize(("layout", "dated"), BOTH)
def test_more_layouts_give_what_the_plain_logs_give(layout: str, dated: bool, tmp_path: Path) -> None:
    """Bare: the lines have no time of their own, and the platform's is exact; in whole seconds, the sum is near."""
    write, order = MORE[layout]
    lines = lines_of(EXAMPLES / INCIDENTS[0])
    export = tmp_path / layout
    export.write_text(write(arranged(lines if dated else undated(lines), order)), encoding="utf-8")
    if not dated and layout in WITHOUT_YEAR:
        with pytest.raises(LogError, match="none has a time"):
            figures([export])
    elif not dated and layout in IN_WHOLE_SECONDS:
        found, expected = figures([export]), plain(INCIDENTS[0])
        assert found[1] == expected[1]
        assert any("times in whole seconds" in note for note in read_files([export]).notes)
        assert sum(found[0].values()) == pytest.approx(sum(expected[0].values()), abs=6_000)
    else:
        assert figures([export]) == plain(INCIDENTS[0])


def test_pages_that_overlap_count_once(tmp_path: Path) -> None:
    lines = lines_of(EXAMPLES / INCIDENTS[0])
    write, _ = LAYOUTS["google.json"]
    middle = len(lines) // 2
    for name, part in (("page-2.json", lines[: middle + 9]), ("page-1.json", lines[middle - 9 :])):
        (tmp_path / name).write_text(write(part[::-1]), encoding="utf-8")
    assert figures(sorted(tmp_path.iterdir())) == plain(INCIDENTS[0])


def test_a_document_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    lines = lines_of(EXAMPLES / INCIDENTS[0])
    text = LAYOUTS["google.json"][0](lines)
    cut = tmp_path / "cut.json"
    cut.write_text(text[: len(text) // 2], encoding="utf-8")
    reading = read_files([cut])
    assert len(reading.rows) > 20
    assert any("breaks off or is damaged after" in sentence for sentence in reading.damage)


@pytest.mark.parametrize("incident", INCIDENTS)
def test_records_of_one_time_may_stand_as_they_were_written(incident: str, tmp_path: Path) -> None:
    """Sorted by time alone, newest first: what has one time keeps its order."""
    lines = sorted(lines_of(EXAMPLES / incident), key=lambda line: line.ms, reverse=True)
    export = tmp_path / "sorted.csv"
    export.write_text(LAYOUTS["semicolons.csv"][0](lines), encoding="utf-8")
    assert figures([export]) == plain(incident)


def test_a_field_that_no_record_has_is_refused_with_those_there_are(tmp_path: Path) -> None:
    export = tmp_path / "a.json"
    export.write_text(LAYOUTS["google.json"][0](lines_of(EXAMPLES / INCIDENTS[0])), encoding="utf-8")
    with pytest.raises(LogError, match=r"a.json has no field 'pod'; its fields are: .*resource.labels.pod_name"):
        read_files([export], fields=Fields((), None, "pod", None))
    short = read_files([export], fields=Fields((), None, "pod_name", None))
    assert len(short.files) == 4
    assert short.origins == (str(export),)


def test_a_document_without_log_lines_is_no_log(tmp_path: Path) -> None:
    other = tmp_path / "settings.json"
    other.write_text('{"name": "orders", "items": [{"time": 1, "text": "a"}, {"time": 2, "text": "b"}]}')
    with pytest.raises(LogError, match=r"no line names a consumer group .* nothing to import"):
        import_run(read_files([other]), MemoryStore(), name=None, topics={})
