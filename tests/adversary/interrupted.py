"""Programs that are killed, or whose disk is full: what was written stays whole, and can be gone on with."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from pathlib import Path
from random import Random

from groupsim.cli.main import status
from groupsim.events.errors import GroupSimError
from groupsim.storage import open_store
from groupsim.storage.audit import audit
from tests.adversary.called import Finding, call
from tests.adversary.tampering import SCENARIO, originals


def _child(arguments: tuple[str, ...], after_s: float | None, bytes_: int | None) -> int:
    """The program in a process of its own, killed after some time or with files of limited size; its exit status."""
    child = os.fork()
    if child == 0:
        code = 99
        with contextlib.suppress(BaseException), open(os.devnull, "w", encoding="utf-8") as nothing:
            if bytes_ is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
            with contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
                code = status(list(arguments))
        os._exit(code)
    if after_s is not None:
        time.sleep(after_s)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _fresh(folder: Path, name: str) -> Path:
    for left in folder.glob(f"{name}*"):
        left.unlink()
    return folder / name


def _cut(rng: Random) -> tuple[float | None, int | None]:
    """Either a time to be killed at, or a size at which the disk is full."""
    return (rng.random() * 0.35, None) if rng.random() < 0.5 else (None, rng.randrange(2_000, 400_000))


def run(rng: Random, folder: Path) -> None:
    """A run that was cut off has a prefix of the facts, verifies, and is resumed to the same digest."""
    true = originals(folder)
    target = _fresh(folder, "cut.db")
    after, size = _cut(rng)
    ended = _child((*SCENARIO, "--store", str(target)), after, size)
    if size is not None and ended not in (0, 2):
        raise Finding(f"a run on a full disk ({size} bytes) ended with status {ended}")
    if not target.exists():
        return
    try:
        store = open_store(target, create=False)
    except GroupSimError:
        return  # it was cut off before the store was made; the next run makes it
    runs = store.runs()
    for info in runs:
        rows = list(store.rows(info.id))
        if rows != true["rows"][: len(rows)] or len(rows) != info.facts:
            raise Finding(f"a run that was cut off ({after}, {size}) has no prefix of its facts")
        if (damage := audit(store, info)) is not None:
            raise Finding(f"a run that was cut off ({after}, {size}) does not verify: {damage.sentence}")
    store.close()
    for info in runs:
        if info.status == "running":
            call("run", "--resume", info.id, "--store", str(target))
            again = open_store(target, create=False)
            if again.find(info.id).digest != true["info"].digest:
                raise Finding(f"a run that was cut off ({after}, {size}) was resumed to another digest")
            again.close()


def export(rng: Random, folder: Path) -> None:
    """An export that was cut off is complete or absent."""
    true = originals(folder)
    target = _fresh(folder, "cut.jsonl")
    after, size = _cut(rng)
    _child(("export", "latest", "--to", str(target), "--store", str(true["store"])), after, size)
    if target.exists() and target.read_bytes() != (folder / "true.jsonl").read_bytes():
        raise Finding(f"an export that was cut off ({after}, {size}) is there, and not whole")
    for left in folder.glob(".cut.jsonl*"):
        left.unlink()


def import_(rng: Random, folder: Path) -> None:
    """An import that was cut off is complete or absent, and can be repeated."""
    true = originals(folder)
    target = _fresh(folder, "into.db")
    after, size = _cut(rng)
    _child(("import", str(folder / "true.jsonl"), "--store", str(target)), after, size)
    if call("import", str(folder / "true.jsonl"), "--store", str(target)).status != 0:
        raise Finding(f"after an import that was cut off ({after}, {size}) the next one fails")
    store = open_store(target, create=False)
    if store.runs() != [true["info"]] or list(store.rows(true["info"].id)) != true["rows"]:
        raise Finding(f"after an import that was cut off ({after}, {size}) the run is another one")
    store.close()
