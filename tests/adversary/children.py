"""The program in a process of its own, and what may happen to it: killed, a disk that is full, permissions that go."""

from __future__ import annotations

import contextlib
import os
import pwd
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from groupsim.cli import entry
from tests.adversary.called import USUAL_S, WAITING, Finding

KILLED = -signal.SIGKILL
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
SOON_S = 30.0
"""A program that gets a signal has ended after this time by the clock, also on a busy machine."""


class Child(NamedTuple):
    """A process that was started, the file to which it prints its errors, and what it was asked."""

    pid: int
    said: Path
    asked: str

    def ended(self, signals: tuple[int, ...] = ()) -> Ended:
        """Wait for it, after these `signals`. Raises Finding for a hang, a traceback, an odd status, or many lines."""
        until = time.monotonic() + (SOON_S if signals else WAITING * USUAL_S)
        while (found := os.waitpid(self.pid, os.WNOHANG))[0] == 0:
            if time.monotonic() > until or _cpu_s(self.pid) > USUAL_S:
                used_s = _cpu_s(self.pid)
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise Finding(f"{self.asked}: does not end; it has computed for {used_s:.0f} s")
            time.sleep(0.01)
        code, err = os.waitstatus_to_exitcode(found[1]), self.said.read_text(errors="replace")
        said = {128 + number for number in signals}
        if code not in {0, 1, 2, KILLED, *said, *(-number for number in signals)}:
            raise Finding(f"{self.asked}: status {code}: {err[-300:]!r}")
        if code in said and not 1 <= sum("interrupted" in line for line in err.splitlines()) <= len(signals):
            raise Finding(f"{self.asked}: after {signals} it says {err[-300:]!r}")
        if "Traceback" in err or "groupsim: unexpected " in err:
            raise Finding(f"{self.asked}: {err.strip()[-600:]!r}")
        if code == 2 and sum(line.startswith("groupsim: ") for line in err.splitlines()) != 1:
            raise Finding(f"{self.asked}: status 2 without one sentence: {err[:300]!r}")
        return Ended(code, err)


class Ended(NamedTuple):
    """How it ended: KILLED, or its own exit status; and what it said on stderr."""

    status: int
    err: str


def start(*arguments: str, said: Path, first: Callable[[], None] = lambda: None) -> Child:
    """Start the program; `first` is called in the new process before."""
    with said.open("w") as err, open(os.devnull, "w") as nothing:  # it may soon be allowed to open no file
        waiting = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        child = os.fork()
        if child == 0:
            code = 99
            with contextlib.suppress(BaseException):
                os.environ.pop("GROUPSIM_STORE", None)
                os.dup2(err.fileno(), 2)
                sys.argv = ["groupsim", *arguments]
                with contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(err):
                    for number in _SIGNALS:
                        signal.signal(number, signal.SIG_DFL)  # also Ctrl-C in what nohup started
                    signal.pthread_sigmask(signal.SIG_SETMASK, waiting)
                    first()
                    code = _status_of_the_program()
                err.flush()
            os._exit(code)
        signal.pthread_sigmask(signal.SIG_SETMASK, waiting)
    return Child(child, said, ascii(" ".join(arguments))[:200])


def _status_of_the_program() -> int:
    try:
        entry.main()
    except SystemExit as ended:
        return int(ended.code or 0)
    except BaseException:  # as Python would
        traceback.print_exc()
        sys.stderr.flush()
    return 99


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Fate(NamedTuple):
    """What happens to a process, in words, and how; `most_s`: when at the latest; `signals`: that it can handle."""

    what: str
    first: Callable[[], None]
    then: Callable[[int, Path], None]
    signals: tuple[int, ...] = ()


def killed(rng: Random, most_s: float) -> Fate:
    """SIGKILL after some time."""
    after_s = rng.random() * most_s

    def kill(pid: int, _: Path) -> None:
        time.sleep(after_s)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    return Fate(f"killed after {after_s:.3f} s", lambda: None, kill)


def signalled(rng: Random, most_s: float) -> Fate:
    """Ctrl-C or SIGTERM after some time; sometimes another one soon after."""
    after_s = rng.random() * most_s
    numbers = rng.choices(_SIGNALS, k=rng.choice([1, 1, 1, 2]))
    then_s = rng.choice([0.0, 0.05 * rng.random()])

    def send(pid: int, _: Path) -> None:
        for number, wait_s in zip(numbers, (after_s, then_s), strict=False):
            time.sleep(wait_s)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    what = " and ".join(number.name for number in numbers)
    return Fate(f"{what} after {after_s:.3f} s", lambda: None, send, tuple(numbers))


def full_disk(rng: Random, most_s: float) -> Fate:
    """From some time on no file can be longer than some size; in half of the cases from the start."""
    after_s = rng.choice([0.0, rng.random() * most_s])
    size = rng.randrange(2_000, 400_000)

    def ignore() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if not after_s:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    def fill(pid: int, _: Path) -> None:
        if after_s:
            _limited(pid, resource.RLIMIT_FSIZE, size, after_s)

    return Fate(f"no file over {size} bytes after {after_s:.3f} s", ignore, fill)


def no_more_files(rng: Random, most_s: float) -> Fate:
    """From some time on it can open no more files."""
    after_s, most = rng.random() * most_s, rng.randrange(3, 12)
    return Fate(
        f"at most {most} open files after {after_s:.3f} s",
        lambda: None,
        lambda pid, _: _limited(pid, resource.RLIMIT_NOFILE, most, after_s),
    )


def forbidden(rng: Random, most_s: float) -> Fate:
    """From some time on the folder, or the files in it, may only be read, or not even that."""
    after_s, of_files, mode = rng.random() * most_s, rng.random() < 0.5, rng.choice([0o000, 0o400, 0o555])

    def forbid(_: int, folder: Path) -> None:
        time.sleep(after_s)
        for path in folder.iterdir() if of_files else [folder]:
            with contextlib.suppress(FileNotFoundError):
                path.chmod(mode)

    what = f"{'files' if of_files else 'folder'} {mode:o} after {after_s:.3f} s"
    return Fate(what, as_nobody, forbid)


def as_nobody() -> None:
    """Root may do everything."""
    if os.getuid() == 0:
        who = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(who.pw_gid)
        os.setuid(who.pw_uid)


def _limited(pid: int, which: int, most: int, after_s: float) -> None:
    time.sleep(after_s)
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(pid, which, (most, most))


FATES = (killed, killed, signalled, signalled, full_disk, full_disk, no_more_files, forbidden)


class Bench(NamedTuple):
    """A folder for one attempt: what is read, where it is written, and what was said."""

    given: Path
    made: Path
    said: Path

    def met(self, fate: Fate, *arguments: str) -> Ended:
        """The program with what happens to it; afterwards everything in `made` can be used again."""
        child = start(*arguments, said=self.said, first=fate.first)
        fate.then(child.pid, self.made)
        try:
            return child.ended(fate.signals)
        finally:
            self.made.chmod(0o777)
            for path in sorted(self.made.rglob("*")):
                path.chmod(0o777 if path.is_dir() else 0o666)


@contextlib.contextmanager
def bench(*given: Path) -> Iterator[Bench]:
    """A new folder that everybody can get into, with copies of some files, gone at the end."""
    with tempfile.TemporaryDirectory(prefix="adversary-") as name:
        here = Path(name)
        here.chmod(0o777)
        found = Bench(here / "given", here / "made", here / "said")
        for each in (found.given, found.made):
            each.mkdir()
            each.chmod(0o777)
        for path in given:
            shutil.copy(path, found.given)
            (found.given / path.name).chmod(0o666)
        yield found
