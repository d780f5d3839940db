"""Kafka's assignors of tasks asked on random problems: compare ours with them, and record what they answer.

`python -m recorders.assignors.java_tasks compare FROM TO` prints how many answers are equal, `record` writes the files
in tests/golden/assignors/tasks. Both need a JVM, and Maven for the first time.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from recorders.assignors.random_tasks import line
from recorders.assignors.task_problems import CONNECT, STREAMS, Json, ours
from recorders.broker import fetch

SOURCES = Path(__file__).with_name("java")
GOLDEN = Path(__file__).parents[2] / "tests" / "golden" / "assignors" / "tasks"
LOOKED_AT = range(2_000)
PUT_ASIDE = range(10_000, 10_500)
IN_FULL = 20
"""One problem of so many is recorded with its answer; of the others, digests."""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>groupsim</groupId>
  <artifactId>assignors</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    {dependencies}
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-nop</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
"""
DEPENDENCY = """<dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>{name}</artifactId>
      <version>{version}</version>
      <exclusions>
        <exclusion><groupId>org.apache.kafka</groupId><artifactId>kafka-tools-api</artifactId></exclusion>
      </exclusions>
    </dependency>"""
ARTIFACTS = ("kafka-streams", "connect-runtime", "kafka-group-coordinator")


def ask(lines: Iterable[Json]) -> list[Json]:
    """What Kafka's classes answer to problems of one library, in their order. Raises fetch.Unavailable."""
    asked = list(lines)
    of_connect = asked[0]["assignor"] in CONNECT
    main = "org.apache.kafka.connect.runtime.distributed.ConnectBench" if of_connect else "StreamsBench"
    with tempfile.TemporaryDirectory(prefix="groupsim-tasks-") as folder:
        source, target = Path(folder) / "problems.jsonl", Path(folder) / "answers.jsonl"
        source.write_text("".join(json.dumps(one) + "\n" for one in asked))
        fetch.run(fetch.java(), "-Xmx2g", "-cp", _classpath(), main, str(source), str(target))
        return [json.loads(text) for text in target.read_text().splitlines()]


def _classpath(version: str = fetch.VERSION) -> str:
    """The jars, beside those of the broker, and our harness compiled."""
    root = fetch.folder(version).with_name(f"assignors-{version}")
    if not (root / "complete").exists():
        dependencies = "\n    ".join(DEPENDENCY.format(name=name, version=version) for name in ARTIFACTS)
        fetch.copy_dependencies(root, POM.format(dependencies=dependencies))
    libraries, jar = f"{root / 'lib'}/*", root / "harness.jar"
    sources = sorted(SOURCES.glob("*.java"))
    if not jar.exists() or jar.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        fetch.compile_sources(sources, libraries, jar)
    return os.pathsep.join([str(jar), libraries])


def digest(of: Json) -> str:
    """Short, and the same for the same content."""
    return hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()[:16]


def compare(seeds: Sequence[int]) -> dict[str, list[str]]:
    """By assignor, the ids of the problems that Java answers otherwise."""
    result = {}
    for assignor in (*STREAMS, *CONNECT):
        lines = [line(assignor, seed) for seed in seeds]
        pairs = zip(lines, ask(lines), strict=True)
        result[assignor] = [asked["id"] for asked, answer in pairs if ours(asked) != answer]
    return result


def record() -> None:
    """Java's answers to all problems, put-aside ones too: digests of all, and some in full."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for assignor in (*STREAMS, *CONNECT):
        lines = [line(assignor, seed) for seed in (*LOOKED_AT, *PUT_ASIDE)]
        rows = []
        for i, (asked, answer) in enumerate(zip(lines, ask(lines), strict=True)):
            row = {"id": asked["id"], "problem": digest(asked), "answer": digest(answer)}
            rows.append({"id": asked["id"], "problem": asked, "answer": answer} if i % IN_FULL == 0 else row)
        text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
        (GOLDEN / f"{assignor}-{fetch.VERSION}.jsonl.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def main() -> None:
    if sys.argv[1:] == ["record"]:
        record()
        return
    _, _, first, last = sys.argv
    for assignor, different in compare(range(int(first), int(last))).items():
        count = int(last) - int(first)
        print(f"{assignor}: {count - len(different)} of {count} equal", *different[:5])


if __name__ == "__main__":
    main()
