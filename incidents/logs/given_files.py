"""The files that a user names, as all readers can read them: a pipe is copied first, and every name is text."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import BufferedIOBase
from pathlib import Path, PosixPath
from tempfile import TemporaryDirectory
from typing import IO

from groupsim.incidents.errors import LogError

STDIN = "-"
Waiting = Callable[[str], AbstractContextManager[None]]
"""What is entered while the pipe of this name is read."""
_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|\d+))/fd/(\d+)|/dev/stdin")
"""A number that a shell gives to a process: it says nothing about what is read there."""
_LONGEST_LINE = 16 << 20
_BLOCK = 1 << 20


_RECORDED_BESIDE = "recording.json"
"""What happened, beside the logs of a recorded run: it quotes their lines (`groupsim conformance`)."""


class GivenFile(PosixPath):
    """A path that is shown otherwise than it is opened: the copy of a pipe, or a file whose name is no text."""

    opened: str | None = None

    @classmethod
    def of(cls, shown: str, opened: str) -> GivenFile:
        """What is read at `opened`, under the name `shown`."""
        path: GivenFile = cls(shown)
        path.opened = opened
        return path

    def __fspath__(self) -> str:
        return str(self) if self.opened is None else self.opened


@contextmanager
def given_files(places: Sequence[Path], waiting: Waiting = lambda _: nullcontext()) -> Iterator[list[Path]]:
    """The files at these places, for a `with` block. `-` is stdin.

    A pipe, such as `<(kubectl logs app)`, is read once, to its end, into a file that lasts as long as the block. Pipes
    without a name of their own are `pipe`, or `pipe-1` and so on. Bytes of a name that are no UTF-8 are shown as
    `\\xff`. `waiting` is entered, with the name of a pipe, while it is read. Raises LogError for a device, and for a
    pipe that is no log.
    """
    named = _named(places)
    with TemporaryDirectory(prefix="groupsim-") as folder:
        yield [_given(place, named[number], Path(folder, str(number)), waiting) for number, place in enumerate(places)]


def inside(places: Sequence[Path]) -> list[Path]:
    """The places, and of a folder all files in it but hidden ones and recordings, sorted. Raises LogError."""
    files: list[Path] = []
    for place in places:
        if not place.is_dir():
            files.append(place)
            continue
        found = [path for path in sorted(place.rglob("*")) if path.is_file() and _may_be_log(path.name)]
        if not found:
            raise LogError(f"{place} holds no files")
        files += found
    return files


def _may_be_log(name: str) -> bool:
    return not name.startswith(".") and name != _RECORDED_BESIDE


def _named(places: Sequence[Path]) -> list[str]:
    """What each place is called: its path, and for a descriptor the file behind it, or that it is a pipe."""
    shown, pipes = [os.fsencode(place).decode("utf-8", "backslashreplace") for place in places], list[int]()
    for number, place in enumerate(places):
        descriptor = _DESCRIPTOR.fullmatch(str(place))
        if descriptor is None:
            continue
        if (behind := place.resolve()).is_file():
            shown[number] = str(behind)
        elif descriptor[1] in (None, "0"):
            shown[number] = "stdin"
        else:
            pipes.append(number)
    for count, number in enumerate(pipes, 1):
        shown[number] = f"pipe-{count}" if len(pipes) > 1 else "pipe"
    return shown


def _given(place: Path, shown: str, copy: Path, waiting: Waiting) -> Path:
    if str(place) == STDIN:
        with waiting("stdin"), copy.open("wb") as out:
            _copied("stdin", sys.stdin.buffer, out)
        return GivenFile.of("stdin", str(copy))
    kind = _kind(place)
    if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
        try:
            with waiting(shown), place.open("rb") as pipe, copy.open("wb") as out:
                _copied(shown, pipe, out)
        except OSError as error:
            raise LogError(f"{shown} can't be read: {error.strerror or error}") from None
        return GivenFile.of(shown, str(copy))
    if stat.S_ISCHR(kind) or stat.S_ISBLK(kind):
        raise LogError(f"{shown} is a device, not a log")
    return place if shown == str(place) else GivenFile.of(shown, str(place))


def _kind(place: Path) -> int:
    """The mode of a file; 0 where there is none, which its reader will say."""
    try:
        return place.stat().st_mode
    except OSError:
        return 0


def _copied(shown: str, pipe: IO[bytes], out: IO[bytes]) -> None:
    """Copy a pipe to its end. Raises LogError for one that begins with a line longer than any of a log."""
    beginning = b""
    while b"\n" not in beginning and len(beginning) < _LONGEST_LINE:
        block = pipe.read1(_BLOCK) if isinstance(pipe, BufferedIOBase) else pipe.read(_BLOCK)
        if not block:
            break
        beginning += block
    if len(beginning) >= _LONGEST_LINE and b"\n" not in beginning:
        raise LogError(f"{shown} is no log: its first line is longer than {_LONGEST_LINE:,} bytes")
    out.write(beginning)
    shutil.copyfileobj(pipe, out, _BLOCK)
