"""Members of an export are named after their streams where their client ids are equal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from groupsim.incidents.exports.stream_names import short_names
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.memory import MemoryStore
from tests.incidents.exports.layouts import LAYOUTS, arranged, lines_of
from tests.incidents.exports.more_layouts import MORE
from tests.incidents.exports.test_layouts import EXAMPLES, INCIDENTS

EVERY = {**{name: (write, orders[0]) for name, (write, orders) in LAYOUTS.items()}, **MORE}


@pytest.mark.parametrize("layout", EVERY)
def test_members_with_one_client_id_are_named_after_their_pods(layout: str, tmp_path: Path) -> None:
    write, order = EVERY[layout]
    lines = [
        line._replace(text=re.sub(r"\bm[123](?=[,-])", "consumer-billing-1", line.text))
        for line in lines_of(EXAMPLES / INCIDENTS[0])
    ]
    export = tmp_path / layout
    export.write_text(write(arranged(lines, order)), encoding="utf-8")
    store = MemoryStore()
    run = import_run(read_files([export]), store, name=None, topics={}).run
    found = {name for fact in store.read(run.id) if (name := getattr(fact.event, "process", None)) is not None}
    assert run.name == layout.rpartition(".")[0]
    assert len(found) == 3
    for pod in {line.stream for line in lines if "broker" not in line.stream}:
        assert sum(pod in name for name in found) == 1
    assert not any(mark in name for name in found for mark in "[]")


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["pod/a-1/main", "pod/a-2/main"], ["a-1", "a-2"]),
        (["pod/a-1/main", "pod/a-1/proxy", "pod/a-2/main"], ["a-1_main", "a-1_proxy", "a-2"]),
        (["pod/kafka-0/broker", "pod/a-1/main"], ["kafka-0", "a-1"]),
        (['{pod="a"}', '{pod="b"}'], ["pod-a", "pod-b"]),
        (["a", "a", "a-2", "[]"], ["a", "a-3", "a-2", "stream"]),
    ],
)
def test_short_names_of_labels(labels: list[str], names: list[str]) -> None:
    assert short_names(labels) == names


def test_levels_before_a_logger_are_no_streams(tmp_path: Path) -> None:
    """Python's logging prints time, level and logger, where a journal has time, host and program."""
    said = ["INFO {}: (Re-)joining group g", "WARNING {}: Heartbeat failed for group g because it is rebalancing"]
    path = tmp_path / "app.log"
    lines = [f"2026-11-26 18:51:2{n},311 {said[n % 2].format('kafka.coordinator')}\n" for n in range(10)]
    path.write_text("".join(lines), encoding="utf-8")
    assert {row.file for row in read_files([path]).rows} == {str(path)}
