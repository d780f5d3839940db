"""Logs read by Spark are logs read by one process, and an import from either is the same facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groupsim.cli.main import status
from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.reading import Wanted, read_files
from tests.incidents.exports.layouts import LAYOUTS, arranged, lines_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = Path(__file__).parents[2] / "examples" / "incidents"
LOGS = sorted((EXAMPLES / "kill9-range").glob("*.log.gz"))


@pytest.mark.spark
def test_what_spark_reads_is_what_one_process_reads(spark: SparkSession) -> None:
    from groupsim.pipeline.logs_on_spark import read_logs

    skews = {LOGS[1].name: 250}
    wanted = Wanted(until="2026-11-20T11:27:25.000Z")
    alone = read_files(LOGS, skews=skews, wanted=wanted)
    assert read_logs(spark, LOGS, skews=skews, wanted=wanted) == alone
    assert len(alone.rows) > 50
    assert len(alone.files) == len(LOGS) == 4
    assert read_logs(spark, LOGS[::-1]).rows == read_files(LOGS[::-1]).rows


@pytest.mark.spark
def test_evidence_comes_along_and_a_log_without_a_group_is_asked_about_with_all_others(
    spark: SparkSession, tmp_path: Path
) -> None:
    from groupsim.pipeline.logs_on_spark import read_logs

    named, nameless = tmp_path / "a.log", tmp_path / "b.log"
    named.write_text(
        "2024-03-01 10:00:00,000 INFO Successfully joined group billing with generation 4\n"
        "2024-03-01 10:00:01,000 ERROR Offset commit failed: RebalanceInProgress, the group is rebalancing\n"
        "2024-03-01 10:00:02,000 ERROR java.lang.OutOfMemoryError: Java heap space\n"
    )
    nameless.write_text("2024-03-01 09:59:59,000 INFO Updating subscribed topics to: ('orders',)\n")
    wanted = Wanted(groups=frozenset(["billing"]))
    alone = read_files([named, nameless], wanted=wanted)
    assert alone.evidence
    assert {row.group for row in (*alone.rows, *alone.context) if row.file == str(nameless)} == {None}
    assert read_logs(spark, [named, nameless], wanted=wanted) == alone
    assert read_logs(spark, [nameless], wanted=wanted) == read_files([nameless], wanted=wanted)


def test_files_of_the_offsets_topic_are_read_by_the_driver() -> None:
    from groupsim.pipeline.logs_on_spark import read_logs

    no_spark: Any = None

    paths = sorted((EXAMPLES.parent / "offsets-topic").rglob("*.log.gz"))
    wanted = Wanted(groups=frozenset(["s04-kill9.range.d0.r1.a50"]))
    alone = read_files(paths, wanted=wanted)
    read = read_logs(no_spark, paths, wanted=wanted)
    assert (read.rows, read.files, read.counts) == (alone.rows, alone.files, alone.counts)
    assert read.topic.keys() == alone.topic.keys() == wanted.groups


@pytest.mark.spark
def test_what_is_known_of_exports_comes_along(spark: SparkSession, tmp_path: Path) -> None:
    from groupsim.pipeline.logs_on_spark import read_logs

    write, _ = LAYOUTS["nested.json"]
    (tmp_path / "export.json").write_text(write(arranged(lines_of(EXAMPLES / "kill9-range"), "newest")))
    (tmp_path / "answer.json").write_text('{"status": "error", "error": "max entries limit exceeded"}')
    paths = sorted(tmp_path.iterdir())
    alone = read_files(paths)
    assert read_logs(spark, paths) == alone
    assert alone.notes
    assert len(alone.files) > 2
    assert alone.answers
    assert alone.streams


@pytest.mark.spark
def test_errors_of_single_files_are_the_same_sentences(spark: SparkSession, tmp_path: Path) -> None:
    from groupsim.pipeline.logs_on_spark import read_logs

    gone = [*LOGS, tmp_path / "gone.log"]
    with pytest.raises(LogError) as alone:
        read_files(gone)
    with pytest.raises(LogError) as apart:
        read_logs(spark, gone)
    assert str(apart.value) == str(alone.value)
    with pytest.raises(LogError, match=r"there is a skew for other\.log, which is not among the logs given"):
        read_logs(spark, LOGS, skews={"other.log": 5})


@pytest.mark.spark
def test_an_import_by_spark_of_a_folder_is_the_import_of_its_files(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--name", "kill9", "--format", "json", "--store"]
    folder = str(EXAMPLES / "kill9-range")
    files = sorted(map(str, Path(folder).glob("*.log.gz")))
    assert status(["incident", "import", *files, *options, str(tmp_path / "one.db")]) == 0
    one = json.loads(capsys.readouterr().out)
    assert status(["incident", "import", folder, "--master", "local[2]", *options, str(tmp_path / "two.db")]) == 0
    two = json.loads(capsys.readouterr().out)
    assert two.pop("run") != one.pop("run")
    assert two == one
    assert one["facts"] > 100


def test_a_folder_without_logs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.md").write_text("no log")
    assert status(["incident", "import", str(tmp_path), "--store", str(tmp_path / "s.db")]) == 2
    assert f"{tmp_path / 'notes.md'}: no line names a consumer group" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert status(["incident", "import", str(tmp_path / "empty"), "--store", str(tmp_path / "s.db")]) == 2
    assert f"{tmp_path / 'empty'} holds no files" in capsys.readouterr().err
