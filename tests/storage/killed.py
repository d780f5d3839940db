"""`groupsim run` killed at random instants: `python -m tests.storage.killed FOLDER [COUNT] [SEED]`.

Each time a fresh process runs the scenario into a fresh store and is sent SIGKILL. Then the store has to open and to
hold a prefix of the undisturbed run's facts that verifies; `replay` has to answer, and `run --resume` has to end with
the undisturbed digest. Prints a JSON line per instant; exit status 1 after the first promise that was not kept.

The program is loaded once and forked, so that an instant costs the run itself and not its imports.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import groupsim.simulation.run  # noqa: F401  loaded before the forks, as the two above
from groupsim.cli.main import status
from groupsim.scenarios import catalogue
from groupsim.storage import open_store
from groupsim.storage.audit import audit
from groupsim.storage.codec import Row

SCENARIO = "eager_vs_cooperative"
LATE, EARLY = 1.1, 10
"""Some are killed after the end, and one in ten before the store is there or while it is made."""
PATIENCE_S = 120.0
"""A busy machine takes long to start a program."""


def call(arguments: list[str]) -> tuple[int, str]:
    """Exit status and stdout of the program, in a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os._exit(_child(arguments, writer))
    os.close(writer)
    with open(reader, encoding="utf-8") as said:
        out = said.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), out


def _child(arguments: list[str], writer: int) -> int:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = status(arguments)
    os.write(writer, out.getvalue().encode())
    return code


def killed(arguments: list[str], path: Path | None, after_s: float) -> None:
    """Run the program and kill it so long after the file is there, or after the start if no file is named."""
    child = os.fork()
    if child == 0:
        with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
            status(arguments)
        os._exit(0)
    if path is not None:
        _wait_for(path, child)
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _wait_for(path: Path, child: int) -> None:
    """Wait for the file that a process makes. Raises RuntimeError if it does not make it, or ends before."""
    until = time.monotonic() + PATIENCE_S
    while True:
        ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if path.exists():
            return
        if ended is not None:
            raise RuntimeError(f"the program ended before it made {path}")
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise RuntimeError(f"the program did not make {path} within {PATIENCE_S:.0f} s")
        time.sleep(0.001)


def check(path: Path, whole: list[Row], digest: str) -> dict[str, object]:
    """What is left of a killed run, and whether it can be gone on with. Raises AssertionError."""
    store = open_store(path)
    runs = store.runs()
    if not runs:
        return {"run": False, "facts": 0}
    (info,) = runs
    rows = list(store.rows(info.id))
    assert rows == whole[: len(rows)], "not a prefix"
    assert len(rows) == info.facts, "the number of facts is wrong"
    assert audit(store, info) is None, "verify finds damage"
    store.close()
    code, out = call(["replay", info.id, "--store", str(path), "--format", "json"])
    assert code == 0, "replay fails"
    assert set(json.loads(out)) == {"groups", "digest"}, "replay says nothing"
    code, out = call(["run", "--resume", info.id, "--store", str(path), "--format", "json"])
    if info.status != "running":
        assert info.digest == digest, "a finished run has another digest"
        assert code == 2, "a finished run was resumed"
    else:
        assert code == 0, "resume fails"
        assert json.loads(out)["digest"] == digest, "another digest than undisturbed"
    return {"run": True, "facts": info.facts, "status": info.status}


def _begins_s(folder: Path) -> float:
    """How long the program takes until it makes its store."""
    began = time.perf_counter()
    killed(["run", SCENARIO, "--store", str(store := folder / "begins.db")], store, 0)
    return time.perf_counter() - began


def main(folder: Path, count: int, seed: int) -> None:
    """Kill `count` runs at instants drawn from `seed`."""
    chance, catalogued = random.Random(seed), catalogue.find(SCENARIO)
    first = folder / "undisturbed.db"
    arguments = ["run", catalogued.name, "--format", "json", "--store"]
    started = time.perf_counter()
    code, out = call([*arguments, str(first)])
    lasts_s = time.perf_counter() - started
    writes_s = max(lasts_s - _begins_s(folder), 0.1)
    assert code == 0
    digest = json.loads(out)["digest"]
    store = open_store(first)
    whole = list(store.rows(store.find("latest").id))
    store.close()
    for number in range(count):
        path = folder / f"{number}.db"
        early = number % EARLY == 1
        after_s = chance.uniform(0, lasts_s - writes_s + 0.1 if early else LATE * writes_s)
        killed([*arguments, str(path)], None if early else path, after_s)
        try:
            found = check(path, whole, digest)
        except Exception as trouble:
            print(json.dumps({"instant": number, "after_s": after_s, "broken": f"{type(trouble).__name__}: {trouble}"}))
            sys.exit(1)
        print(json.dumps({"instant": number, "after_s": round(after_s, 4), **found}), flush=True)
        if not early and found.get("status") == "finished":  # the machine was slower when the length was measured
            writes_s = min(writes_s, after_s)
        for file in folder.glob(f"{number}.db*"):
            file.unlink()


if __name__ == "__main__":
    given = [int(text) for text in sys.argv[2:]]
    main(Path(sys.argv[1]), *given, *(200, 1)[len(given) :])
