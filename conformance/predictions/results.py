"""On what a prediction is based, what is kept of each, and the file of results.

The file is JSON Lines, the setting of a scoring first, then a line for each run asked. A scoring that was stopped is
continued with its file. A last line that was not written to its end is written again.
"""

from __future__ import annotations

import gzip
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import msgspec

from groupsim.conformance.timelines.recording import BadRecording


class Evidence(StrEnum):
    """On what predictions are based: the logs alone, the logs and the true timeouts, or the recorded actions."""

    LOGS = "logs"
    KNOWN = "known"
    ACTIONS = "actions"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What one choice would cost, in partition-milliseconds, by seed; `refused`: why there is no answer."""

    choice: str
    ms: tuple[int, ...] = ()
    refused: str | None = None


class AskedRun(msgspec.Struct, frozen=True, kw_only=True):
    """The answers from one run. `baseline`: as recorded. `settings`: by name, the true and the inferred value in ms.

    `story`: what was read otherwise than it happened, one sentence each.
    """

    run: str
    story: str
    family: str
    choice: str
    baseline: Answer
    answers: tuple[Answer, ...]
    settings: dict[str, tuple[int, int]] = {}
    misread: tuple[str, ...] = ()


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What a scoring was made with. `truths`: by family, choice and run, the real partition-milliseconds.

    `left_out`: how many recordings of the folder can't be asked. `across`: pairs of the two group protocols, no others.
    """

    folder: str
    evidence: Evidence
    seeds: tuple[int, int]
    date: str
    version: str
    truths: dict[str, dict[str, dict[str, int]]]
    left_out: int = 0
    across: bool = False


_Line = TypeVar("_Line", Setting, AskedRun)


def read(file: Path) -> tuple[Setting, list[AskedRun]]:
    """The setting and the runs of a file, also .gz. Raises BadRecording."""
    try:
        text = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    except (OSError, EOFError) as error:
        raise BadRecording(f"{file}: can't be read ({error})") from None
    lines = text.split(b"\n")[:-1]  # what follows the last line feed was not written to its end
    if not lines:
        raise BadRecording(f"{file}: holds no results")
    setting = _parsed(file, 1, lines[0], Setting)
    return setting, [_parsed(file, number, line, AskedRun) for number, line in enumerate(lines[1:], start=2)]


def _parsed(file: Path, number: int, line: bytes, form: type[_Line]) -> _Line:
    try:
        return msgspec.json.decode(line, type=form)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadRecording(f"{file}, line {number}: not a line of results ({error})") from None


def continued(file: Path | None, setting: Setting) -> tuple[Setting, list[AskedRun]]:
    """What a file holds already; a new file is begun with `setting`.

    Raises BadRecording if its recordings, seeds or evidence are others.
    """
    if file is None:
        return setting, []
    if not file.exists() or not file.stat().st_size:
        write(file, setting, [])
        return setting, []
    before, asked = read(file)
    for name in ("evidence", "seeds", "truths", "across"):
        if getattr(before, name) != getattr(setting, name):
            raise BadRecording(f"{file}: holds results with other {name}; name another file with --results")
    write(file, before, asked)
    return before, asked


def write(file: Path, setting: Setting, asked: list[AskedRun]) -> None:
    """The whole file."""
    file.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in (setting, *asked)))


def add(file: Path | None, run: AskedRun) -> None:
    """One more run at the end of the file."""
    if file is not None:
        with file.open("ab") as out:
            out.write(msgspec.json.encode(run) + b"\n")
