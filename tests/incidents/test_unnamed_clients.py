"""Clients whose lines name no client, in one log: separated by members and partitions, or the total is unknown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groupsim.analysis.tables.summary import summarise
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.memory import MemoryStore

BROKER = "[GroupCoordinator id=1] "
HALVES = ("{TopicPartition(topic='t', partition=0)}", "{TopicPartition(topic='t', partition=1)}")
BOTH = "{TopicPartition(topic='t', partition=1), TopicPartition(topic='t', partition=0)}"


def joined(member: str, generation: int) -> str:
    return f"Successfully joined group g <Generation {generation} (member_id: {member}-1, protocol: range)>"


def start(member: str) -> list[str]:
    return [
        "Discovered coordinator 1 for group g",
        "Revoking previously assigned partitions set() for group g",
        "(Re-)joining group g",
        f"Received member id {member}-1 for group g; will retry join-group",
        "(Re-)joining group g",
    ]


def given(partitions: str) -> str:
    return f"Setting newly assigned partitions {partitions} for group g"


def revoked(partitions: str, close: str = "") -> str:
    return f"Revoking previously assigned partitions {partitions} for group g{close}"


def broker(generation: int, members: int) -> list[str]:
    return [
        BROKER + f"Stabilized group g generation {generation} with {members} members.",
        BROKER + f"Assignment received from leader a-1 for group g for generation {generation}."
        f" The group has {members} members, 0 of which are static.",
    ]


def prepare(generation: int, reason: str) -> str:
    return (
        BROKER
        + f"Preparing to rebalance group g in state PreparingRebalance with old generation {generation} ({reason})"
    )


REJOIN = ["Group g is rebalancing; rejoining.", revoked(HALVES[0]), "(Re-)joining group g"]


def lines(end: str) -> list[tuple[int, str, str]]:
    """(second, who wrote it, text) of two consumers of two partitions, of which b ends."""
    found = [(0, "a", text) for text in start("a")]
    found += [(1, "broker", prepare(0, "reason: Adding new member a-1 with group instance id null"))]
    found += [(1, "b", text) for text in start("b")]
    found += [(4, "broker", text) for text in broker(1, 2)]
    found += [
        (5, "a", joined("a", 1)),
        (5, "b", joined("b", 1)),
        (6, "b", given(HALVES[1])),
        (6, "a", given(HALVES[0])),
    ]
    if end == "close":
        found += [(20, "b", revoked(HALVES[1], " on close")), (20, "b", "Leaving consumer group g (member b-1)")]
        found += [(20, "broker", prepare(1, "reason: explicit `LeaveGroup` request for (b-1) members."))]
    else:
        found += [(20, "broker", BROKER + "Member b-1 in group g has failed, removing it from the group.")]
        found += [(20, "broker", prepare(1, "reason: removing member b-1 on heartbeat expiration."))]
    found += [(23, "a", text) for text in REJOIN]
    found += [(24, "broker", text) for text in broker(2, 1)]
    return [*found, (25, "a", joined("a", 2)), (26, "a", given(BOTH))]


def write(path: Path, chosen: list[tuple[int, str, str]]) -> Path:
    path.write_text(
        "".join(
            f"[2026-11-20 11:00:{second:02d},{place:03d}] INFO {text}"
            f" ({'kafka.coordinator.group.GroupCoordinator' if who == 'broker' else 'kafka.coordinator'})\n"
            for place, (second, who, text) in enumerate(chosen)
        )
    )
    return path


def figures(paths: list[Path]) -> tuple[dict[str, int], list[str]]:
    store = MemoryStore()
    result = import_run(read_files(paths), store, name=None, topics={}, session_timeout_ms=10_000)
    numbers: Any = summarise(list(store.read(result.run.id)))
    summary: Any = result.run.summary
    return numbers["unavailable"]["by_label"], list(summary["unsupported"])


@pytest.mark.parametrize("end", ["close", "death"])
def test_one_log_of_all_gives_what_a_log_each_gives(end: str, tmp_path: Path) -> None:
    every = lines(end)
    apart = []
    for name in ("broker", "a", "b"):
        rows = [f"[2026-11-20 11:00:{s:02d},{p:03d}] INFO {t}" for p, (s, who, t) in enumerate(every) if who == name]
        logger = "kafka.coordinator.group.GroupCoordinator" if name == "broker" else "kafka.coordinator"
        (tmp_path / f"{name}.log").write_text("".join(f"{row} ({logger})\n" for row in rows))
        apart.append(tmp_path / f"{name}.log")
    expected, _ = figures(apart)
    assert sum(expected.values()) > 5_000
    assert figures([write(tmp_path / "all.log", every)]) == (expected, [])


def test_lines_that_fit_no_client_leave_the_total_unknown(tmp_path: Path) -> None:
    every = [each for each in lines("close") if each[2] != given(HALVES[1])]
    _, unsupported = figures([write(tmp_path / "all.log", every)])
    assert ["several clients wrote into it" in sentence for sentence in unsupported] == [True]
