"""The job by the real spark-submit: its master, its answer, its errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from groupsim.pipeline.export import export_parquet
from groupsim.pipeline.java import find_java, home_of
from groupsim.storage import EventStore
from tests.pipeline.test_transforms import by_pandas

pytestmark = [pytest.mark.spark, pytest.mark.slow]
ROOT = Path(__file__).parents[2]


def submit(tmp_path: Path, lake: Path) -> subprocess.CompletedProcess[str]:
    """`spark-submit --master local[1] pipeline/job.py LAKE`."""
    home = home_of(find_java(), tmp_path / "java")
    command = [Path(pyspark.__file__).parent / "bin" / "spark-submit", "--master", "local[1]", ROOT / "pipeline/job.py"]
    env = {
        **os.environ,
        "JAVA_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
        "PYSPARK_PYTHON": sys.executable,
    }
    return subprocess.run(
        [*map(str, command), str(lake)], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=500, check=False
    )


def test_spark_submit_runs_the_job_on_the_master_it_names(store: EventStore, tmp_path: Path) -> None:
    export_parquet(store, ["007", "eager"], tmp_path / "lake")
    ended = submit(tmp_path, tmp_path / "lake")
    assert ended.returncode == 0, ended.stderr
    printed = [tuple(line.split()) for line in ended.stdout.splitlines() if line.startswith(("007 ", "eager "))]
    wanted = [(run, label, f"{ms:,}") for name in ("007", "eager") for run, label, ms in by_pandas(store, name)]
    assert sorted(printed) == sorted(wanted)
    assert [line for line in ended.stdout.splitlines() if line.startswith("on ")] == ["on local[1]"]
