"""A broker from before KRaft: one node and its ZooKeeper, on loopback, in a folder that is given."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from recorders.broker import fetch
from recorders.broker.kafka import HOST, JVM, READY_WITHIN_S, ask, free_ports
from recorders.broker.messages import FIND_COORDINATOR
from recorders.timelines.real_clients import Process

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>groupsim</groupId>
  <artifactId>old-kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.12</artifactId><version>{version}</version></dependency>
    <!-- that of Kafka 2.3 cannot connect on Java 14 and newer: ZOOKEEPER-3779 -->
    <dependency><groupId>org.apache.zookeeper</groupId><artifactId>zookeeper</artifactId><version>3.5.9</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-log4j12</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
"""
LAYOUT = """log4j.rootLogger=INFO, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File={log}
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=[%d] %p %m (%c)%n
"""
ZOOKEEPER = """dataDir={folder}/zookeeper
clientPort={zookeeper}
clientPortAddress={host}
admin.enableServer=false
"""
BROKER = """broker.id=1
listeners=PLAINTEXT://{host}:{port}
zookeeper.connect={host}:{zookeeper}
log.dirs={folder}/data
log.cleaner.enable=false
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
group.initial.rebalance.delay.ms=1000
"""


class OldKafka:
    """One node of a release from 2.3 to 3.9; a context manager. Raises Unavailable where it does not come up."""

    def __init__(self, version: str, folder: Path) -> None:
        self.port, self._zookeeper = free_ports(2)
        self.log = folder / "server.log"
        root = fetch.folder().with_name(f"kafka-{version}")
        if not (root / "lib").exists():
            fetch.copy_dependencies(root, POM.format(version=version))
        layout = folder / "log4j.properties"
        layout.write_text(LAYOUT.format(log=self.log))
        options = [*JVM, f"-Dlog4j.configuration=file:{layout}"]
        self._java = [fetch.java(), *options, "-cp", str(root / "lib" / "*")]
        self._files = []
        for name, text in (("zookeeper.properties", ZOOKEEPER), ("server.properties", BROKER)):
            self._files.append(folder / name)
            values = {"folder": folder, "host": HOST, "port": self.port, "zookeeper": self._zookeeper}
            self._files[-1].write_text(text.format(**values))
        self._processes: list[Process] = []

    def __enter__(self) -> Self:
        mains = ("org.apache.zookeeper.server.quorum.QuorumPeerMain", "kafka.Kafka")
        for main, file in zip(mains, self._files, strict=True):
            self._processes.append(Process([*self._java, main, str(file)]))
        deadline = time.monotonic() + READY_WITHIN_S
        while not self._ready():
            if time.monotonic() > deadline:
                self.__exit__(None, None, None)
                raise fetch.Unavailable(f"an old Kafka did not answer within {READY_WITHIN_S} s")
            time.sleep(0.2)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self._processes):
            process.end()

    def _ready(self) -> bool:
        """Whether it answers and knows who coordinates groups."""
        try:
            return bool(ask(self.port, FIND_COORDINATOR, 2, {"key": "g", "type": 0}, 5)["error"] == 0)
        except OSError:
            return False

    def create_topic(self, name: str, partitions: int) -> None:
        """Make a topic, by Kafka's own tool: the request that newer brokers take is unknown here."""
        wanted = f"--create --topic {name} --partitions {partitions} --replication-factor 1".split()
        tool = [*self._java, "kafka.admin.TopicCommand", "--zookeeper", f"{HOST}:{self._zookeeper}", *wanted]
        subprocess.run(tool, check=True, capture_output=True)
