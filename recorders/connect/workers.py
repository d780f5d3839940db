"""Kafka Connect's jars, and one distributed worker as a process."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

from recorders.broker import fetch
from recorders.broker.kafka import HOST, LAYOUT, free_ports

VERSION = fetch.VERSION
JARS = ("connect-runtime", "connect-api", "connect-json", "connect-transforms")
SOURCE = Path(__file__).with_name("java") / "groupsim" / "Stamps.java"
CONNECTOR = "groupsim.Stamps"
SERVICE = "META-INF/services/org.apache.kafka.connect.source.SourceConnector"
PATTERN = "[%d{yyyy-MM-dd HH:mm:ss,SSS}{UTC}] %p %X{connector.context}%m (%c:%L)%n"
"""As Connect's own connect-log4j2.yaml has it, with the zone named."""
JVM = ("-Xms96m", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Duser.timezone=UTC")
READY_WITHIN_S = 300


def classpath() -> str:
    """Connect's jars and our connector, fetched and compiled if they are not there yet. Raises Unavailable."""
    root = fetch.folder(f"{VERSION}-connect")
    path, compiled = fetch.built(root, VERSION, [SOURCE], "stamps.jar", JARS)
    if compiled:
        with zipfile.ZipFile(root / "stamps.jar", "a") as file:
            file.writestr(SERVICE, CONNECTOR)
    return path


class Worker:
    """One worker of a group; its log goes on where the last process of the same name ended."""

    def __init__(self, name: str, folder: Path, settings: dict[str, str]) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self.port = free_ports(1)[0]
        listens = {"listeners": f"http://{HOST}:{self.port}", "client.id": name}
        self._settings = folder / f"{name}.properties"
        self._settings.write_text("".join(f"{key}={value}\n" for key, value in {**settings, **listens}.items()))
        layout = LAYOUT.format(file=self.log, level="info")
        before = next(line for line in layout.splitlines() if "layout.pattern" in line)
        self._layout = folder / f"{name}.log4j2.properties"
        self._layout.write_text(layout.replace(before, f"appender.file.layout.pattern={PATTERN}"))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process; it works some seconds later."""
        guard = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []  # it ends with us
        options = [*JVM, f"-Dlog4j2.configurationFile={self._layout}", f"-Dworker={self.name}"]
        main = "org.apache.kafka.connect.cli.ConnectDistributed"
        command = [*guard, fetch.java(), *options, "-cp", classpath(), main, str(self._settings)]
        with self.log.with_suffix(".out").open("ab") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL)

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End the process and wait until it is gone; after 60 s it is killed."""
        if self._process is None:
            return
        self._process.send_signal(number)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """One request to its REST interface, with a body to create something. Raises OSError without an answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{HOST}:{self.port}/{path}", data)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def wait(self) -> None:
        """Until it answers what connectors there are. Raises Unavailable when it ends or takes too long."""
        deadline = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                break
            try:
                self.ask("connectors")
            except (OSError, urllib.error.HTTPError):
                time.sleep(0.2)
            else:
                return
        raise fetch.Unavailable(f"Connect worker {self.name} does not answer; see {self.log}")
