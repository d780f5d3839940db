"""The session: its settings; its workers run this interpreter and find this code. That it starts without a system Java
and keeps quiet is in test_cluster.py."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groupsim.pipeline.errors import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
ROOT = Path(__file__).parents[2]


def test_settings_are_the_ones_that_results_rest_on(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"
    assert spark.sparkContext.getConf().get("spark.driver.host") == "127.0.0.1"
    assert spark.sparkContext.uiWebUrl is None
    assert "PYSPARK_GATEWAY_PORT" not in os.environ


def test_workers_run_this_interpreter_and_find_this_code(spark: SparkSession) -> None:
    def look(_: int) -> tuple[str, str]:
        from groupsim import events

        return sys.executable, str(Path(str(events.__file__)).resolve())

    assert spark.sparkContext.parallelize([0], 1).map(look).collect() == [
        (sys.executable, str(ROOT / "events" / "__init__.py"))
    ]


def test_a_second_session_is_the_first_unless_it_asks_for_another_master(spark: SparkSession) -> None:
    from groupsim.pipeline.session import spark_session

    assert spark_session().sparkContext is spark.sparkContext
    with pytest.raises(PipelineError, match=r"a Spark session on local\[2\] is running"):
        spark_session("local[1]")


def test_a_jvm_that_breaks_off_is_not_printed_by_pyspark(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    server = spark.sparkContext._accumulatorServer
    assert server is not None
    with socket.socket() as broken_off:
        try:
            raise EOFError
        except EOFError:
            server.handle_error(broken_off, ("127.0.0.1", 0))
    assert capsys.readouterr() == ("", "")


def test_all_tests_of_spark_run_in_one_process(request: pytest.FixtureRequest) -> None:
    """By the end of their names, which xdist's `--dist loadgroup` looks at; see tests/conftest.py."""
    assert request.node.nodeid.endswith("@spark") == ("PYTEST_XDIST_WORKER" in os.environ)
