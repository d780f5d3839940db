"""Kafka Streams' jars, and one instance of our application, or its producer, as a process."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from recorders.broker import fetch
from recorders.broker.kafka import LAYOUT

VERSION = fetch.VERSION
SOURCES = sorted((Path(__file__).with_name("java") / "groupsim").glob("*.java"))
JVM = ("-Xms64m", "-Xmx192m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Duser.timezone=UTC")
CLOSES_WITHIN_S = 60


def classpath() -> str:
    """Kafka Streams' jars and our application, fetched and compiled if they are not there yet. Raises Unavailable."""
    root = fetch.folder(f"{VERSION}-streams")
    path, compiled = fetch.built(root, VERSION, SOURCES, "application.jar", ["kafka-streams"])
    if compiled:
        _archive(path)
    return path


def archive() -> Path:
    """An instance's loaded classes: with them its process starts at less cost."""
    return fetch.folder(f"{VERSION}-streams") / "application.jsa"


def _archive(path: str) -> None:
    archive().unlink(missing_ok=True)
    options = [*JVM, f"-XX:ArchiveClassesAtExit={archive()}"]
    unreachable = (
        "orders=orders",
        "restore=0",
        "bootstrap.servers=127.0.0.1:9",
        "application.id=a",
        f"state.dir={archive().parent}/state",
    )
    fetch.run(fetch.java(), *options, "-cp", path, "groupsim.Application", *unreachable)


class Process:
    """A Java program of ours: it prints a line for each thing that it sees, and ends when it is asked to."""

    def __init__(self, name: str, main: str, folder: Path, settings: Mapping[str, str]) -> None:
        self.lines, self.log = folder / f"{name}.jsonl", folder / f"{name}.log"
        layout = folder / f"{name}.log4j2.properties"
        layout.write_text(LAYOUT.format(file=self.log, level="info"))
        guard = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []  # it ends with us
        path = classpath()
        options = [*JVM, f"-XX:SharedArchiveFile={archive()}", f"-Dlog4j2.configurationFile={layout}"]
        given = [f"{key}={value}" for key, value in settings.items()]
        command = [*guard, fetch.java(), *options, "-cp", path, f"groupsim.{main}", *given]
        with self.lines.open("ab") as lines, (folder / f"{name}.out").open("ab") as output:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=lines, stderr=output)

    def said(self, kind: str) -> bool:
        """Whether it has printed that. Raises Unavailable when it has ended without."""
        there = f'"kind":"{kind}"' in self.lines.read_text()
        if not there and self._process.poll() is not None:
            raise fetch.Unavailable(f"{self.lines.stem} ended by itself; see {self.log}")
        return there

    def tell(self, line: str) -> None:
        """One line for its standard input."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def wait(self) -> None:
        """Until it is gone; after a minute it is killed."""
        try:
            self._process.wait(CLOSES_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.kill()
