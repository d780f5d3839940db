"""PostgreSQL: a server that is killed under several runs at once, and a schema of somebody else."""

from __future__ import annotations

import atexit
import contextlib
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from random import Random

import psycopg
from psycopg.sql import SQL, Identifier, Literal

from groupsim.events.errors import GroupsimError
from groupsim.scenarios import catalogue
from groupsim.simulation.run import run
from groupsim.storage import open_store
from groupsim.storage.codec import Row
from groupsim.storage.memory import MemoryStore
from tests.adversary.called import Finding, call
from tests.adversary.children import Child, Ended, signalled, start
from tests.adversary.interrupted import prefix, resumed
from tests.adversary.tampering import ASKED, SCENARIO, originals
from tests.postgres import CRASH_SETTINGS, PASSWORD, Server, server

SEEDS = (1, 2, 3)
MOST_S = 2.5
"""From the start of the runs to the death of the server."""


@cache
def _server() -> Server:
    """One server for all attempts, gone at the end of the program."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(server(CRASH_SETTINGS))


@cache
def _true(seed: int) -> tuple[list[Row], str | None]:
    """The facts and the digest of a run that nothing happens to."""
    store = MemoryStore()
    info = run(catalogue.find(SCENARIO[1]), store, seed=seed).info
    return list(store.rows(info.id)), info.digest


@contextlib.contextmanager
def _schema(running: Server, name: str) -> Iterator[str]:
    """The URL of a new schema. Raises Finding at its end if a transaction was left open, which keeps it from going."""
    yield running.schema(name)
    with running.connect() as connection:
        connection.execute("SET lock_timeout = '20s'")
        try:
            connection.execute(SQL("DROP SCHEMA {} CASCADE").format(Identifier(name)))
        except psycopg.errors.LockNotAvailable:
            left = connection.execute(
                "SELECT state, query FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state IS NOT NULL"
            ).fetchall()
            raise Finding(f"a connection is left in a transaction: {left}") from None


def killed(rng: Random, folder: Path) -> None:
    """The server is killed under one or two runs and a reader: what was stored stays, and every run is resumed."""
    running, true = _server(), originals(folder)
    with _schema(running, f"k{rng.randrange(10**12)}") as url:
        before = rng.random() < 0.5
        if before and call("import", str(folder / "true.jsonl"), "--store", url).status != 0:
            raise Finding("an import into PostgreSQL fails")
        asked = rng.choice(ASKED)
        commands: list[tuple[str, ...]] = [
            (*SCENARIO, "--seed", str(seed)) for seed in rng.sample(SEEDS, rng.choice([1, 2, 2]))
        ]
        commands += [asked] if before else []
        children = [start(*each, "--store", url, said=folder / f"{n}.said") for n, each in enumerate(commands)]
        time.sleep(rng.random() * MOST_S)
        running.kill()
        ended = _ended(children, rng, running)
        done = sum(each.status == 0 for each in ended[: len(commands) - before])
        with contextlib.closing(open_store(url)) as store:
            runs = store.runs()
            for info in runs:
                rows = true["rows"] if info.id == true["info"].id else _true(info.seed or 0)[0]
                prefix(store, info, rows, "a run whose server was killed")
            finished = sum(info.status == "finished" for info in runs) - before
            if before and true["info"] not in runs:
                raise Finding("a finished run is lost when the server is killed")
        if finished < done:
            raise Finding(f"{done} runs ended well, and {finished} are there after the server was killed")
        for info in runs:
            if info.id != true["info"].id:
                resumed(url, info, _true(info.seed or 0)[1], "a run whose server was killed")
        again = call(asked[0], true["info"].id, "--format", "json", "--store", url) if before else None
        if again is not None and again.out != true["answers"][asked]:
            raise Finding(f"{asked[0]} answers otherwise after the server was killed")


def _ended(children: list[Child], rng: Random, running: Server) -> list[Ended]:
    """How they ended; the server is started again before or after."""
    try:
        if rng.random() < 0.5:
            running.start()
        return [child.ended() for child in children]
    finally:
        if running.process is None or running.process.poll() is not None:
            running.start()


def interrupted(rng: Random, folder: Path) -> None:
    """A run or an import that gets a signal: a prefix, nothing or all, and nobody waits for its locks."""
    true, fate = originals(folder), signalled(rng, MOST_S / 2)
    seed = rng.choice(SEEDS)
    command = rng.choice([(*SCENARIO, "--seed", str(seed)), ("import", str(folder / "true.jsonl"))])
    what = f"{command[0]} ({fate.what})"
    with _schema(_server(), f"i{rng.randrange(10**12)}") as url:
        child = start(*command, "--store", url, said=folder / "interrupted.said", first=fate.first)
        fate.then(child.pid, folder)
        ended = child.ended(fate.signals)
        with contextlib.closing(open_store(url)) as store:
            runs = store.runs()
            for info in runs:
                prefix(store, info, true["rows"] if command[0] == "import" else _true(seed)[0], what)
        if ended.status == 0 and not any(info.status == "finished" for info in runs):
            raise Finding(f"{what} ended with status 0 and is not there")
        if command[0] == "import" and runs not in ([], [true["info"]]):
            raise Finding(f"{what} left a part of a run")
        for info in runs:
            if info.status == "running":
                resumed(url, info, _true(seed)[1], what)


def owned_by_another(rng: Random, folder: Path) -> None:
    """A role that may not write in a schema gets a sentence."""
    running = _server()
    role = f"r{rng.randrange(10**12)}"
    with _schema(running, f"o{rng.randrange(10**12)}") as url:
        name = url.rpartition("%3D")[2]
        with running.connect() as connection:
            connection.execute(SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(Identifier(role), Literal(PASSWORD)))
            if rng.random() < 0.5:
                connection.execute(SQL("GRANT USAGE ON SCHEMA {} TO {}").format(Identifier(name), Identifier(role)))
            if rng.random() < 0.3:  # and the tables of a store that is there
                with contextlib.suppress(GroupsimError):
                    open_store(url).close()
                connection.execute(
                    SQL("GRANT SELECT ON ALL TABLES IN SCHEMA {} TO {}").format(Identifier(name), Identifier(role))
                )
        theirs = url.replace("//groupsim:", f"//{role}:")
        command = rng.choice([SCENARIO, ("import", str(folder / "true.jsonl")), ("unavailable", "latest")])
        originals(folder)
        done = call(*command, "--store", theirs)
        if done.status != 2 or done.err.count("\n") != 1:
            raise Finding(f"a schema of somebody else: status {done.status}, {done.err[:300]!r}")
    with running.connect() as connection:
        connection.execute(SQL("DROP ROLE {}").format(Identifier(role)))
