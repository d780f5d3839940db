"""Hand-written log lines and small helpers for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.rows import Reading, Row

OLD = "(kafka.coordinator.group.GroupCoordinator)"
NEW = "(org.apache.kafka.coordinator.group.GroupMetadataManager)"
AT = "[2024-03-01 10:00:00,000] INFO "
BROKER = AT + "[GroupCoordinator 1]: "
JAVA_BROKER = AT + "[GroupCoordinator id=1 topic=__consumer_offsets partition=7] "
CLIENT = AT + "[Consumer clientId=c1, groupId=billing] "
CLASS = " (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
M1 = "c1-11111111-2222-3333-4444-555555555555"
M2 = "c2-66666666-7777-8888-9999-000000000000"
GENERATION = f"Generation{{generationId=4, memberId='{M1}', protocol='range'}}"


def write(folder: Path, *lines: str, name: str = "a.log") -> Path:
    """A log of these lines."""
    path = folder / name
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def read(folder: Path, *lines: str) -> Reading:
    """What a log of these lines says."""
    return read_files([write(folder, *lines)])


def only(folder: Path, *lines: str) -> Row:
    """The one row of a log of these lines."""
    rows = read(folder, *lines).rows
    assert len(rows) == 1, [(row.kind, row.line) for row in rows]
    return rows[0]


def stamped(second: float, rest: str) -> str:
    """A log4j line of a client at so many seconds after ten o'clock."""
    return f"[2024-03-01 10:00:{second:06.3f}] INFO ".replace(".", ",") + rest
