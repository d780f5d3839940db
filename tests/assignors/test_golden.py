"""Every recorded answer of Kafka's Java assignors, list by list, error by error, with its metrics."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from groupsim.assignors.problem import Group
from groupsim.assignors.problem_files import answer, read, specs_of
from tests.thinned import some

GOLDEN = Path(__file__).parents[1] / "golden" / "assignors"
FAMILIES = sorted(path.name.removesuffix(".jsonl.gz") for path in GOLDEN.glob("*.jsonl.gz"))
KAFKAS = ("range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "server-range")


def lines(family: str) -> list[str]:
    with gzip.open(GOLDEN / f"{family}.jsonl.gz", "rt") as file:
        return file.readlines()


def differences(text: str) -> list[str]:
    """What differs from the record, named by id and assignor."""
    recorded: dict[str, Any] = json.loads(text)
    found = answer(read(text), KAFKAS)
    wrong = []
    for name in KAFKAS:
        if "trace" in recorded:
            for call in recorded["trace"][name]:
                del call["invariance"]
            same = found["trace"][name] == recorded["trace"][name]
        else:
            same = all(
                found.get(key, {}).get(name) == recorded.get(key, {}).get(name)
                for key in ("assignments", "errors", "metrics")
            )
        if not same:
            wrong.append(f"{recorded['id']} {name}")
    return wrong


def test_the_golden_files_are_all_there() -> None:
    assert sum(len(lines(family)) for family in FAMILIES) == 3733


@pytest.mark.parametrize("family", FAMILIES)
def test_every_answer_is_javas(family: str) -> None:
    assert [wrong for text in some(lines(family), 4) for wrong in differences(text)] == []


@pytest.mark.parametrize("family", [family for family in FAMILIES if not family.startswith("chain_")])
def test_members_and_topics_are_visited_in_javas_order(family: str) -> None:
    for text in some(lines(family), 4):
        recorded = json.loads(text)
        (spec,) = specs_of(read(text))
        group = Group.of(spec)
        order = recorded["java_order"]
        assert [member.id for member in group.members] == order["members"], recorded["id"]
        assert [group.names[rank] for rank in group.java_topics()] == order["topics"], recorded["id"]
