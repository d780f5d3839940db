"""What the page says of recorded runs: the stored rows, and the rows of the recordings that are at hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from recorders.page.recorded_runs_section import orders, section, stored
from recorders.recorded_runs import rows

GOLDEN = Path(__file__).parent.parent / "golden" / "recordings-848"
NAMES = sorted(path.name.removesuffix(".json.gz") for path in GOLDEN.glob("*.json.gz"))


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress((GOLDEN / f"{name}.json.gz").read_bytes()))
    return found


def test_every_run_that_repeats_itself_has_its_epochs_callbacks_and_partitions_under_some_seed() -> None:
    repeating = [row for row in stored() if row["repeats"] and row["protocol"] == "consumer"]
    assert len(repeating) > 10
    assert all(min(row["epochs"], row["callbacks"], row["partitions"]) > 0 for row in repeating)


def test_added_partitions_have_owners_after_about_the_recorded_time() -> None:
    grown = [row["all_owned_ms"] for row in stored() if row["id"].startswith("E01")]
    assert len(grown) == 6
    assert all(abs(ours - theirs) <= 0.2 * theirs for theirs, ours in grown)


def test_most_pairs_of_one_story_have_their_recorded_order() -> None:
    found = orders(stored())
    assert sum(same for *_, same in found) >= 0.8 * len(found)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_stored_is_what_is_measured(name: str) -> None:
    (measured,) = rows([recorded(name)], range(3))
    (kept,) = (row for row in stored() if row["id"] == name and row["release"] == measured.release)
    assert kept["least_ms"] <= measured.median_ms <= kept["most_ms"]
    assert (measured.epochs > 0, measured.partitions > 0) == (kept["epochs"] > 0, kept["partitions"] > 0)


def test_a_run_alone_repeats_nothing_and_equal_ones_do() -> None:
    one = recorded(NAMES[0])
    other = {**one, "id": one["id"].replace("__r1", "__r2")}
    assert [row.repeats for row in rows([one], range(1))] == [False]
    assert [row.repeats for row in rows([one, other], range(1))] == [True, True]


def test_the_section_names_each_run_that_no_seed_shows() -> None:
    every = [{**row, "callbacks": 0.0} for row in stored()[:3]]
    text = "\n".join(section(every))
    assert all(f"`{row['id']}`" in text for row in every)
    assert "| mixed groups and migrations | 0 |" in text


def test_a_pair_in_another_order_is_shown_with_its_repetitions_and_the_range_of_its_seeds() -> None:
    def row(way: str, repetition: int, recorded: int, least: int, most: int) -> Any:
        names = {"id": f"S01-story__{way}__d0__r{repetition}", "release": "4.4", "protocol": "classic"}
        simulated = {"recorded_ms": recorded, "median_ms": (least + most) // 2, "least_ms": least, "most_ms": most}
        return {**stored()[0], **names, **simulated, "all_owned_ms": None}

    less = [row("range", 1, 2_000, 5_000, 9_000), row("range", 2, 3_000, 4_000, 8_000)]
    text = "\n".join(section([*less, row("cooperative-sticky", 1, 6_000, 1_000, 2_000)]))
    assert "| S01-story | `range` | 2.0, 3.0 | 4.0–9.0 | `cooperative-sticky` | 6.0 | 1.0–2.0 |" in text
    assert "In another order" not in "\n".join(section(less))
