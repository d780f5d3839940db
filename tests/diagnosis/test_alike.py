"""One partition of each kind says as much of whether somebody had any as all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.finding import Bounds
from groupsim.incidents.account import alike
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.rows import Reading
from tests.thinned import some

INCIDENTS = sorted(path for path in (Path(__file__).parents[2] / "examples" / "incidents").iterdir() if path.is_dir())


def partitions(reading: Reading) -> set[object]:
    """The partitions that lines name in lists."""
    lists = (row.detail.get("partitions") for row in (*reading.rows, *reading.context))
    return {name for names in lists if isinstance(names, list) for name in names}


@pytest.mark.parametrize("folder", some(INCIDENTS, 3), ids=lambda path: path.name)
def test_bounds_are_those_of_all_partitions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = sorted(folder.glob("*.log.gz"))
    reading = read_files(logs)

    def stopped() -> list[Bounds | None]:
        explanation = explain_reading(reading)
        assert explanation is not None
        return [group.stopped_ms for group in explanation.groups]

    all_of_them = stopped()
    monkeypatch.setattr(alike, "MANY", 0)
    assert len(partitions(alike.one_of_each(reading).reading)) <= len(partitions(reading))
    assert stopped() == all_of_them


def test_what_the_same_lines_name_is_one_kind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(alike, "MANY", 0)
    log = tmp_path / "m.log"
    where = (
        "INFO [Consumer clientId=m1, groupId=g] {} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
    )
    said = [
        "Adding newly assigned partitions: t-0, t-1, t-2, u-0",
        "Setting offset for partition t-2 to the committed offset FetchPosition{offset=7}",
        "Revoke previously assigned partitions t-1, t-2",
    ]
    log.write_text("".join(f"[2026-03-01 10:00:0{n},000] {where.format(text)}\n" for n, text in enumerate(said)))
    kept = alike.one_of_each(read_files([log])).reading
    assert partitions(kept) == {"t-0", "t-1"}
    assert {row.detail.get("partition") for row in kept.context} == {"t-1"}
