"""A point that takes its process with it becomes a failed row, the others go on; a cut facts file is played again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from groupsim.pipeline.grid import Sweep, subject
from groupsim.pipeline.is_export import FILE
from groupsim.pipeline.source import FACTS_FOLDER, SUMMARY_FOLDER
from groupsim.pipeline.sweep import sweep_into
from groupsim.pipeline.sweep_point import play_damaged_again

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STORY = """
import os, signal, sys
from groupsim.scenarios.dsl import scenario, seconds

@scenario(lasts=seconds(20))
def poison(world, how="none"):
    orders = world.topic("orders", partitions=2)
    world.group("billing").join(1, topics=[orders])
    yield world.sleep(seconds(5))
    if world.rng._seed == 2 and how == "exit":
        sys.exit(3)
    if world.rng._seed == 2 and how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
"""


def asked(folder: Path, how: str, seeds: int = 5) -> Sweep:
    file = folder / "poison.py"
    file.write_text(STORY)
    return Sweep(subject(str(file)), {}, range(seeds), {"how": how})


@pytest.mark.spark
@pytest.mark.parametrize("how", ["exit", "kill"])
def test_a_poison_point_is_a_failed_row_and_the_others_go_on(spark: SparkSession, tmp_path: Path, how: str) -> None:
    lake = tmp_path / "lake"
    done = sweep_into(lambda: spark, asked(tmp_path, how), lake, partitions=2)
    assert (done.points, [failure.seed for failure in done.failures]) == (5, [2])
    said = done.failures[0].error
    assert ("SystemExit" in said) if how == "exit" else ("died, twice" in said)
    rows = [pq.ParquetFile(file).read().to_pylist()[0] for file in (lake / SUMMARY_FOLDER).iterdir()]
    assert sorted((row["seed"], row["status"]) for row in rows) == [
        (seed, "failed" if seed == 2 else "finished") for seed in range(5)
    ]
    assert sweep_into(lambda: spark, asked(tmp_path, how), lake, resume=True).before == 5
    cut = next(lake / FACTS_FOLDER / f"run={row['run']}" / FILE for row in rows if row["seed"] == 0)
    whole = cut.read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    play_damaged_again(lake)
    assert len(list((lake / SUMMARY_FOLDER).iterdir())) == 4
    assert sweep_into(lambda: spark, asked(tmp_path, how), lake, resume=True).before == 4
    assert cut.read_bytes() == whole
