"""PostgreSQL: a schema of somebody else gets a sentence."""

from __future__ import annotations

import atexit
import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from random import Random

import psycopg

from tests.adversary.called import Finding, call
from tests.adversary.tampering import SCENARIO
from tests.postgres import PASSWORD, Server, server


@cache
def _server() -> Server:
    """One server for all attempts, gone at the end of the program."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(server())


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
