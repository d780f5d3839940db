"""Several logs in one file, one after the other, are read like so many files; so is a log of several lives."""

from __future__ import annotations

import gzip
import re
from itertools import groupby
from pathlib import Path

import pytest

from groupsim.events.client import ViewChanged
from groupsim.incidents.facts.logs_in_one_file import taken_apart
from groupsim.incidents.logs.reading import read_files
from tests.incidents.imported import C1, import_logs, joined, revoking, supported
from tests.incidents.lines import write

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = sorted({log.parent for log in EXAMPLES.glob("*/*/broker.log.gz")})
UNIFORM = EXAMPLES / "consumer-groups" / "kill9-uniform"


def texts(logs: list[Path]) -> list[str]:
    return [gzip.decompress(log.read_bytes()).decode() for log in logs]


def one_file(folder: Path, logs: list[Path], name: str = "all.log") -> Path:
    path = folder / name
    path.write_text("".join(texts(logs)), encoding="utf-8")
    return path


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_they_have_the_total_of_the_single_logs(folder: Path, tmp_path: Path) -> None:
    """It was 163.4 partition-seconds for 42.3, or unknown."""
    logs = sorted(folder.glob("*.log.gz"))
    result, _ = import_logs(together := one_file(tmp_path, logs))
    assert any(note.startswith(f"{together} holds ") for note in result.notes)
    assert supported([together]) == supported(logs)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_so_have_the_lives_of_each_process_in_one_log(folder: Path, tmp_path: Path) -> None:
    logs = sorted(folder.glob("*.log.gz"))
    grouped = groupby(logs, key=lambda log: log.name.split(".")[0])
    assert supported([one_file(tmp_path, list(own), f"{who}.log") for who, own in grouped]) == supported(logs)


def test_so_have_processes_that_all_have_the_same_client_id(tmp_path: Path) -> None:
    logs = sorted(UNIFORM.glob("*.log.gz"))
    copies = [
        write(tmp_path, re.sub(r"clientId=m\d", "clientId=consumer-g-1", text), name=log.name.removesuffix(".gz"))
        for log, text in zip(logs, texts(logs), strict=True)
    ]
    together = tmp_path / "all"
    together.write_text("".join(copy.read_text() for copy in copies), encoding="utf-8")
    assert supported([together]) == supported(copies)


def test_one_program_whose_clock_is_set_back_is_not_taken_apart(tmp_path: Path) -> None:
    log = write(tmp_path, *joined(10, 1), *joined(4, 2))
    reading = read_files([log])
    assert taken_apart(reading) is reading


def test_nor_is_one_whose_threads_write_late(tmp_path: Path) -> None:
    other = C1.replace("c1", "c2")
    log = write(tmp_path, *joined(10, 1), *joined(10.05, 1, "c2-1", other), revoking(10.4, "orders-0"))
    reading = read_files([log])
    assert taken_apart(reading) is reading


def test_a_second_life_in_the_log_ends_the_first(tmp_path: Path) -> None:
    """A member of the consumer protocol that was killed served on: the next process made up another member id."""
    logs = sorted(UNIFORM.glob("*.log.gz"))
    (text,) = texts([log for log in logs if log.name == "m2.0.log.gz"])
    begins = [line for line in text.splitlines() if "Subscribed to" in line or "from UNSUBSCRIBED to JOINING" in line]
    assert len(begins) == 2
    again = [re.sub(r"06:36:55,\d+", "06:37:05,100", line.replace("6kv9qox1R9e0wWEL3CEhWQ", "7")) for line in begins]
    killed = write(tmp_path, text.rstrip("\n"), *again, name="m2.log")
    others = [log for log in logs if not log.name.startswith("m2")]
    result, facts = import_logs(*others, killed)
    assert any(
        "m2.0 fell silent" in note and "started again at 2026-11-22T06:37:05.100Z" in note for note in result.notes
    )
    assert {fact.event.process for fact in facts if isinstance(fact.event, ViewChanged)} >= {"m2.0"}
