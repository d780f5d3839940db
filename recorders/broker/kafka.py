"""A real Kafka: KRaft nodes on loopback, in a temporary folder that is removed afterwards."""

from __future__ import annotations

import atexit
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from groupsim.conformance.scripts.configs import STARTED_WITH
from recorders.broker import fetch, wire
from recorders.broker.messages import (
    ALTER_CONFIGS,
    API_VERSIONS,
    CREATE_PARTITIONS,
    CREATE_TOPICS,
    FIND_COORDINATOR,
    Api,
)

HOST = "127.0.0.1"
READY_WITHIN_S = 90
OF_GROUPS, SET = 32, 0
"""Of IncrementalAlterConfigs: the type of a group, and the operation that sets a value."""
CLUSTER_ID = "Z3JvdXBzaW0tdGVzdC1jbA"
LAYOUT = """status=error
appender.file.type=File
appender.file.name=file
appender.file.fileName={file}
appender.file.layout.type=PatternLayout
appender.file.layout.pattern=[%d{{yyyy-MM-dd HH:mm:ss,SSS}}{{UTC}}] %p %m (%c)%n
rootLogger.level={level}
rootLogger.appenderRef.file.ref=file
"""
DEFAULTS = {
    "inter.broker.listener.name": "PLAINTEXT",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
    "auto.create.topics.enable": "false",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
    "share.coordinator.state.topic.num.partitions": "2",
    "transaction.partition.verification.enable": "false",
    **STARTED_WITH,
    "log.cleaner.enable": "false",
    "controlled.shutdown.enable": "true",
}
HEAP_MB = 768
JVM = ("-Xms256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Duser.timezone=UTC")


def free_ports(count: int) -> list[int]:
    """Free ports of loopback."""
    sockets = [socket.create_server((HOST, 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def ask(port: int, api: Api, version: int, body: Mapping[str, Any], within_s: float = 10) -> dict[str, Any]:
    """One request on a connection of its own, and its answer. Raises OSError where there is no answer."""
    with socket.create_connection((HOST, port), timeout=within_s) as connection:
        connection.sendall(wire.request(api, version, "groupsim", body))
        with connection.makefile("rb") as answered:
            length = int.from_bytes(answered.read(4), "big")
            frame = answered.read(length)
    if not length or len(frame) < length:
        raise ConnectionError(f"port {port} hung up")
    return wire.answer(api, version, frame)


class Node:
    """One process: broker and controller."""

    def __init__(self, number: int, folder: Path, properties: Mapping[str, str], port: int, heap_mb: int) -> None:
        self.number = number
        self._heap_mb = heap_mb
        self.port = port
        self.log = folder / "server.log"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True)
        settings = {**properties, "log.dirs": str(folder / "data")}
        self._properties = folder / "server.properties"
        self._properties.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        self._layout = folder / "log4j2.properties"
        self._layout.write_text(LAYOUT.format(file=self.log, level="info"))
        fetch.run_java("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(self._properties))

    def start(self) -> None:
        """Start the process; it listens a few seconds later."""
        guard = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []  # it ends with us
        options = [*JVM, f"-Xmx{self._heap_mb}m", f"-Dlog4j2.configurationFile={self._layout}"]
        command = [*guard, fetch.java(), *options, "-cp", fetch.classpath(), "kafka.Kafka", str(self._properties)]
        with (self._folder / "output.txt").open("ab") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL)

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End the process and wait until it is gone; after 30 s it is killed."""
        if self._process is None:
            return
        self._process.send_signal(number)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def ready(self) -> bool:
        """Whether it answers and knows who coordinates groups and transactions; asking makes the topics they need.

        Raises Unavailable where it has ended by itself.
        """
        if self._process is None or self._process.poll() is not None:
            said = (self._folder / "output.txt").read_text(errors="replace").strip().splitlines()
            raise fetch.Unavailable(f"Kafka node {self.number} ended by itself: {said[-1] if said else 'silently'}")
        try:
            return all(ask(self.port, FIND_COORDINATOR, 2, {"key": "g", "type": t}, 5)["error"] == 0 for t in (0, 1))
        except OSError:
            return False


class Kafka:
    """A cluster of one or more nodes; a context manager.

    `properties`: broker settings by their Kafka names. `keep`: a folder for logs and data that stays; without it there
    is a temporary one that does not. Raises Unavailable where there is no Java, no Maven or no answer.
    """

    def __init__(
        self,
        properties: Mapping[str, str] | None = None,
        nodes: int = 1,
        keep: Path | None = None,
        heap_mb: int = HEAP_MB,
    ) -> None:
        self._keep = keep is not None
        self.folder = keep or Path(tempfile.mkdtemp(prefix="groupsim-kafka-"))
        ports = free_ports(2 * nodes)
        voters = ",".join(f"{n + 1}@{HOST}:{ports[2 * n + 1]}" for n in range(nodes))
        replicas = str(min(nodes, 3))
        self.nodes: list[Node] = []
        atexit.register(self.close)
        try:
            for n in range(nodes):
                own = {
                    "process.roles": "broker,controller",
                    "node.id": str(n + 1),
                    "controller.quorum.voters": voters,
                    "listeners": f"PLAINTEXT://{HOST}:{ports[2 * n]},CONTROLLER://{HOST}:{ports[2 * n + 1]}",
                    "advertised.listeners": f"PLAINTEXT://{HOST}:{ports[2 * n]}",
                    "offsets.topic.replication.factor": replicas,
                    "transaction.state.log.replication.factor": replicas,
                    "transaction.state.log.min.isr": "1",
                    "share.coordinator.state.topic.replication.factor": replicas,
                    "share.coordinator.state.topic.min.isr": "1",
                }
                settings = {**DEFAULTS, **own, **(properties or {})}
                self.nodes.append(Node(n + 1, self.folder / f"node{n + 1}", settings, ports[2 * n], heap_mb))
        except BaseException:
            self.close()
            raise

    @property
    def port(self) -> int:
        """Of the first node."""
        return self.nodes[0].port

    @property
    def bootstrap(self) -> str:
        """All nodes, as clients expect them in bootstrap.servers."""
        return ",".join(f"{HOST}:{node.port}" for node in self.nodes)

    def start(self) -> Self:
        """Start all nodes and wait until they answer."""
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            self.wait(node)
        return self

    def wait(self, node: Node) -> None:
        """Until a node answers. Raises Unavailable when it takes too long."""
        deadline = time.monotonic() + READY_WITHIN_S
        while not node.ready():
            if time.monotonic() > deadline:
                raise fetch.Unavailable(f"Kafka node {node.number} did not answer within {READY_WITHIN_S} s")
            time.sleep(0.2)

    def create_topic(self, name: str, partitions: int) -> None:
        """Make a topic, replicated on up to three nodes."""
        topic = {
            "name": name,
            "partitions": partitions,
            "replicas": min(3, len(self.nodes)),
            "assignments": [],
            "configs": [],
        }
        said = ask(self.port, CREATE_TOPICS, 4, {"topics": [topic], "timeout_ms": 20_000}, 30)["topics"][0]
        if said["error"] != 0:
            raise fetch.Unavailable(f"topic {name}: {said['message']}")

    def add_partitions(self, name: str, partitions: int) -> None:
        """Let a topic grow to so many partitions, wherever they are put."""
        grown = {"name": name, "count": partitions, "assignments": None}
        body = {"topics": [grown], "timeout_ms": 20_000}
        said = ask(self.port, CREATE_PARTITIONS, 1, body, 30)["topics"][0]
        if said["error"] != 0:
            raise fetch.Unavailable(f"topic {name}: {said['message']}")

    def configure_group(self, group: str, settings: Mapping[str, int]) -> None:
        """Set what counts for one group alone, as `kafka-configs --group` does."""
        configs = [{"name": name, "operation": SET, "value": str(value)} for name, value in settings.items()]
        body = {"resources": [{"type": OF_GROUPS, "name": group, "configs": configs}], "validate_only": False}
        said = ask(self.port, ALTER_CONFIGS, 0, body, 30)["resources"][0]
        if said["error"] != 0:
            raise fetch.Unavailable(f"group {group}: {said['message']}")

    def coordinator(self, group: str) -> Node:
        """The node that coordinates a group."""
        number: int = ask(self.port, FIND_COORDINATOR, 2, {"key": group, "type": 0})["node"]
        return self.nodes[number - 1]

    def versions(self) -> dict[int, tuple[int, int]]:
        """The lowest and highest version of each API that the first node speaks, by the API's key."""
        return {a["key"]: (a["least"], a["most"]) for a in ask(self.port, API_VERSIONS, 0, {})["apis"]}

    def close(self) -> None:
        """End all processes and remove the folder, unless it was to be kept."""
        atexit.unregister(self.close)
        for node in self.nodes:
            node.end(signal.SIGKILL)
        if not self._keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
