"""Text that a mail, a ticket or a terminal broke at spaces says the same as before."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.rows import Row
from tests.diagnosis.scoring import fragments
from tests.thinned import examples

_STACK = (
    "[2025-04-01 08:00:01,000] ERROR [Consumer clientId=app, groupId=billing] Offset commit failed on partition t-0 at",
    "org.apache.kafka.clients.consumer.CommitFailedException: the group has already rebalanced and assigned them",
    "\tat org.apache.kafka.clients.consumer.internals.ConsumerCoordinator.sendOffsetCommitRequest(X.java:1)",
)


def _rows(files: Sequence[Path]) -> list[tuple[object, ...]]:
    reading = read_files(list(files))
    return [_said(row) for row in [*reading.rows, *reading.context]]


def _said(row: Row) -> tuple[object, ...]:
    return row.kind, row.at, row.client, row.group, row.member, str(row.detail)


@pytest.mark.parametrize(("columns", "indent"), [(80, ""), (80, "    "), (120, ""), (160, "  ")])
def test_fragments_that_were_broken_at_spaces_are_read_as_they_were(tmp_path: Path, columns: int, indent: str) -> None:
    read = same = 0
    for each in fragments(tmp_path, every=examples(57, 7)):
        if "notimes" in each.name or "layout" in each.name:
            continue
        whole = _rows(each.files)
        for file in each.files:
            lines = (
                textwrap.wrap(line, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
                for line in file.read_text(encoding="utf-8").splitlines()
            )
            file.write_text("\n".join("\n".join(line) for line in lines) + "\n", encoding="utf-8")
        wrapped = _rows(each.files)
        read += len(whole)
        same += len(set(whole) & set(wrapped)) if len(wrapped) <= len(whole) else 0
    assert read
    assert same >= 0.94 * read, f"{same} of {read} rows"


def test_what_stands_below_a_full_line_is_not_always_its_rest(tmp_path: Path) -> None:
    file = tmp_path / "app.log"
    file.write_text("\n".join(_STACK) + "\n")
    alone = tmp_path / "alone.log"
    alone.write_text(_STACK[0] + "\n")
    assert [row[:1] for row in _rows([file])] == [row[:1] for row in _rows([alone])]
