"""Apache Kafka from Maven, in a folder of this user: the broker, the clients, and our own Java harness compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from groupsim.events.errors import GroupsimError

VERSION = "4.4.0"
"""The newest release of 2026-11-21; its broker runs on Java 17 and newer."""
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
JAVA = Path(__file__).with_name("java")
MINUTE_S = 60
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>groupsim</groupId>
  <artifactId>conformance</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>{version}</version>
      <exclusions>
        <!-- only the command line tools need it, and 4.4.0 was published without it -->
        <exclusion><groupId>org.apache.kafka</groupId><artifactId>kafka-tools-api</artifactId></exclusion>
      </exclusions>
    </dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId>
      <artifactId>log4j-slf4j-impl</artifactId>
      <version>2.25.5</version>
    </dependency>
{more}  </dependencies>
</project>
"""
_OF_KAFKA = """    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>{name}</artifactId>
      <version>{version}</version>
    </dependency>
"""


class Unavailable(GroupsimError):
    """Why there can be no Kafka here, in one sentence."""


def folder(version: str = VERSION) -> Path:
    """The folder of this Kafka: $GROUPSIM_KAFKA_CACHE, or the user's cache folder."""
    given = os.environ.get("GROUPSIM_KAFKA_CACHE")
    return Path(given) if given else Path.home() / ".cache" / "groupsim" / f"kafka-{version}"


def classpath(version: str = VERSION) -> str:
    """Kafka's jars and our compiled harness, fetched and compiled if they are not there yet. Raises Unavailable."""
    root = folder(version)
    path, compiled = built(root, version, sorted(JAVA.glob("*.java")), "harness.jar")
    if compiled:
        _archive(path, root)
    return path


def built(root: Path, version: str, sources: list[Path], name: str, more: Iterable[str] = ()) -> tuple[str, bool]:
    """The class path of Kafka's jars in `root`/lib and of our `sources` in the jar `name`; whether that is new.

    `more`: other artifacts of Kafka. What is not there yet, or is older than its sources, is fetched and compiled.
    Raises Unavailable.
    """
    if not (root / "complete").exists():
        others = "".join(_OF_KAFKA.format(name=artifact, version=version) for artifact in more)
        copy_dependencies(root, POM.format(version=version, more=others))
    jar, libraries = root / name, f"{root / 'lib'}/*"
    changed_at = max((source.stat().st_mtime for source in sources), default=0.0)
    old = bool(sources) and (not jar.exists() or jar.stat().st_mtime < changed_at)
    if old:
        compile_sources(sources, libraries, jar)
    return os.pathsep.join([str(jar), libraries]), old


def jars(version: str = VERSION) -> list[Path]:
    """The jars with the definitions of messages and of stored records. Raises Unavailable."""
    classpath(version)
    library = folder(version) / "lib"
    return [library / f"{name}-{version}.jar" for name in ("kafka-clients", "kafka-group-coordinator")]


def compile_sources(sources: list[Path], libraries: str, jar: Path) -> None:
    """Our harness as a jar: folders of classes cannot be archived."""
    with tempfile.TemporaryDirectory() as classes:
        run("javac", "-Xlint:-options", "-d", classes, "-cp", libraries, *map(str, sources))
        with zipfile.ZipFile(jar, "w") as file:
            for compiled in sorted(Path(classes).rglob("*.class")):
                file.write(compiled, compiled.relative_to(classes))


def archive(version: str = VERSION) -> Path:
    """A consumer's loaded classes: with them its process starts at half the cost."""
    return folder(version) / "member.jsa"


def _archive(path: str, root: Path) -> None:
    file = root / "member.jsa"
    file.unlink(missing_ok=True)
    options = [f"-XX:ArchiveClassesAtExit={file}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    unreachable = ("bootstrap.servers=127.0.0.1:9", "group.id=g", "topics=t", "warm.ms=500")
    run(java(), *options, "-cp", path, "Member", *unreachable)


def copy_dependencies(root: Path, project: str) -> None:
    """The jars that a Maven project depends on, in `root`/lib. Raises Unavailable."""
    root.mkdir(parents=True, exist_ok=True)
    pom = root / "pom.xml"
    pom.write_text(project)
    run("mvn", "-q", "-B", "-f", str(pom), f"{PLUGIN}:copy-dependencies", f"-DoutputDirectory={root / 'lib'}")
    (root / "complete").touch()


def java() -> str:
    """The java to run. Raises Unavailable where there is none."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(str(Path(home) / "bin" / "java") if home else "java")
    if found is None:
        raise Unavailable("a real Kafka needs Java 17 or newer on the path, and there is no java")
    return found


def run_java(main: str, *arguments: str, options: Mapping[str, str] | None = None, version: str = VERSION) -> str:
    """Run a main class to its end, and what it printed. `options`: system properties. Raises Unavailable."""
    properties = [f"-D{key}={value}" for key, value in (options or {}).items()]
    # without the first option a hot NullPointerException loses its message
    return run(
        java(), "-XX:-OmitStackTraceInFastThrow", "-Xmx2g", *properties, "-cp", classpath(version), main, *arguments
    )


def run(*command: str) -> str:
    """Run a program to its end, and what it printed. Raises Unavailable if it is not there or fails."""
    if shutil.which(command[0]) is None:
        raise Unavailable(f"a real Kafka needs {command[0]} on the path")
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=20 * MINUTE_S, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        said = (done.stderr + done.stdout).strip().splitlines()
        raise Unavailable(f"{Path(command[0]).name} failed: {said[0] if said else f'status {done.returncode}'}")
    return done.stdout
