"""PostgreSQL: a server that dies while runs are written to it, two runs at once, and a schema of somebody else."""

from __future__ import annotations

import atexit
import contextlib
import os
import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from random import Random

import psycopg

from groupsim.cli.main import status
from groupsim.storage import open_store
from groupsim.storage.audit import audit
from tests.adversary.called import Finding, call
from tests.adversary.tampering import SCENARIO, originals
from tests.postgres import PASSWORD, Server, server

_SETTINGS = ("fsync=off", "shared_buffers=64MB", "max_connections=20")
"""Processes are killed, not the machine: what was handed to the operating system stays."""


@cache
def _server() -> Server:
    """One server for all attempts, gone at the end of the program."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(server(_SETTINGS))


def _crash(running: Server) -> None:
    """Kill the process behind a connection: the server then ends all others, and recovers as after its own death."""
    with contextlib.suppress(psycopg.Error, ProcessLookupError), running.connect() as connection:
        found = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        ).fetchall()
        if found:
            os.kill(found[0][0], 9)


def _up(running: Server) -> None:
    """Wait until the server answers again."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            running.connect().close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise Finding("the server of the tests does not come back")


def killed(rng: Random, folder: Path) -> None:
    """One or two runs at once, and the server dies: a prefix of each is there, verifies and is resumed."""
    true, running = originals(folder), _server()
    name = f"k{rng.randrange(10**12)}"
    url = running.schema(name)
    children = []
    for number in range(rng.randint(1, 2)):
        child = os.fork()
        if child == 0:
            code = 99
            with contextlib.suppress(BaseException), ExitStack() as printed:
                out = printed.enter_context((folder / f"said-{number}").open("w", encoding="utf-8"))
                printed.enter_context(contextlib.redirect_stdout(out))
                printed.enter_context(contextlib.redirect_stderr(out))
                code = status([*SCENARIO, "--store", url])
            os._exit(code)
        children.append(child)
    time.sleep(rng.random() * 0.6)
    _crash(running)
    for number, child in enumerate(children):
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = (folder / f"said-{number}").read_text(encoding="utf-8")
        if ended not in (0, 2) or ": unexpected " in said or "Traceback" in said:
            raise Finding(f"the server died, and a run ended with status {ended}: {said[-300:]!r}")
    _up(running)
    call("runs", "--store", url)
    store = open_store(url)
    for info in store.runs():
        rows = list(store.rows(info.id))
        if rows != true["rows"][: len(rows)] or len(rows) != info.facts or audit(store, info) is not None:
            raise Finding(f"the server died, and run {info.id} has no prefix of its facts")
        if info.status == "running":
            call("run", "--resume", info.id, "--store", url)
            if store.find(info.id).digest != true["info"].digest:
                raise Finding(f"the server died, and run {info.id} was resumed to another digest")
    store.close()
    with running.connect() as connection:
        connection.execute(f"DROP SCHEMA {name} CASCADE")


def owned_by_another(rng: Random, folder: Path) -> None:
    """A role that may not write in a schema gets a sentence."""
    running = _server()
    _up(running)
    name, role = f"o{rng.randrange(10**12)}", f"r{rng.randrange(10**12)}"
    with running.connect() as connection:
        connection.execute(f"CREATE SCHEMA {name}")
        connection.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")
        if rng.random() < 0.5:
            connection.execute(f"GRANT USAGE ON SCHEMA {name} TO {role}")
    url = running.url(name).replace("//groupsim:", f"//{role}:")
    done = call(*rng.choice([SCENARIO, ("runs",), ("unavailable", "latest")]), "--store", url)
    if done.status != 2 or done.err.count("\n") != 1:
        raise Finding(f"a schema of somebody else: status {done.status}, {done.err[:300]!r}")
    with running.connect() as connection:
        connection.execute(f"DROP SCHEMA {name} CASCADE")
        connection.execute(f"DROP ROLE {role}")
