"""The program as a user starts it, with a signal at some time, and the processes that it has."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests import ctrl_c
from tests.adversary.called import USUAL_S, WAITING, Finding
from tests.adversary.children import Bench

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_PATIENCE_S = WAITING * USUAL_S
_LOOK_S = 0.01
_BEGUN = re.compile(r'entry\.py", line \d+, in main')


def signalled(
    own: Bench, asked: Sequence[str], number: int, waits: Callable[[], bool], then_s: float, what: str
) -> dict[int, str]:
    """Start the program, and send it a signal `then_s` after it need not wait any more; the processes that it had then.

    Raises Finding if it ends with another status than that of the signal or 0 or 1, or does not say it in a sentence.
    """
    with own.said.open("wb") as said, ctrl_c.not_ignored():
        process = subprocess.Popen(
            [sys.executable, "-m", "groupsim.cli.entry", *asked],
            stdout=subprocess.DEVNULL,
            stderr=said,
            cwd=own.given,
            env={**os.environ, "TMPDIR": str(own.given)},
        )
        until = time.monotonic() + _PATIENCE_S
        try:
            while waits() and process.poll() is None and time.monotonic() < until:
                time.sleep(_LOOK_S)
            time.sleep(then_s)
            left = below(process.pid)
            process.send_signal(number)
            status = process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise Finding(f"{what}: does not end") from None
        finally:
            process.kill()
            process.wait()
    err = own.said.read_text(errors="replace")
    if "KeyboardInterrupt" in err and not _BEGUN.search(err):
        return left  # Python itself had not begun with the program
    if status not in (-number, 128 + number, 0, 1) or "Traceback" in err:
        raise Finding(f"{what}: status {status}: {err[-300:]!r}")
    if status == 128 + number and sum("interrupted" in line for line in err.splitlines()) != 1:
        raise Finding(f"{what}: says {err[-300:]!r}")
    return left


def below(pid: int) -> dict[int, str]:
    """The processes that a process started, and those that they did, with their commands."""
    children: dict[int, list[int]] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and (parent := _parent(place)) is not None:
            children.setdefault(parent, []).append(int(place.name))
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found[child] = command_of(child)
            waiting.append(child)
    return found


def command_of(pid: int) -> str:
    """Its command line; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def gone(left: dict[int, str], seconds: float) -> list[str]:
    """Wait until these processes have ended; the commands of those that have not."""
    until = time.monotonic() + seconds
    while (alive := [pid for pid, command in left.items() if command and command_of(pid) == command]) and (
        time.monotonic() < until
    ):
        time.sleep(0.05)
    return [left[pid][:120] for pid in alive]


def _parent(place: Path) -> int | None:
    try:
        return int((place / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return None
