"""The page "What one deploy costs": which of two costs less is said as its own ranges have it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from groupsim import GroupsimError

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "deploy-costs.md"
RANGE = re.compile(r"\(([\d.]+)–([\d.]+)\)")
Table = dict[str, list[str]]
EXAMPLE = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "deploy_on_hosts.py"))


def tables(head: str) -> list[Table]:
    """All tables of the page whose first column has this head: the cells of each row by its name."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", PAGE.read_text(), re.MULTILINE):
        first, _, *rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines()]
        if first[0] == head and first[1] == "ideal":
            found.append({name: cells for name, *cells in rows})
    return found


def ends(cell: str) -> tuple[float, float]:
    """The least and the most of a cell such as `223 (219–229)`."""
    match = RANGE.search(cell)
    assert match is not None, cell
    return float(match[1]), float(match[2])


def cheaper(one: str, other: str, costs: Table, column: int) -> str:
    """The one that costs less under every seed, or `either`."""
    (least, most), (others_least, others_most) = ends(costs[one][column]), ends(costs[other][column])
    return one if most < others_least else other if others_most < least else "either"


def test_which_of_two_costs_less_follows_from_the_ranges_and_is_bold_where_it_is_not_the_same_everywhere() -> None:
    costs, pairs = tables("assignor"), tables("which costs less")
    assert len(costs) == len(pairs) == 2
    for table, said in zip(costs, pairs, strict=True):
        assert len(table) == 5
        assert len(said) == 3
        for name, cells in said.items():
            one, other = name.strip("*").split(" or ")
            assert cells == [cheaper(one, other, table, column) for column in range(5)], name
            assert name.startswith("**") is (len(set(cells)) > 1), name


def test_the_example_asks_what_members_of_this_client_can_have(capsys: pytest.CaptureFixture[str]) -> None:
    ways = {
        client: list(EXAMPLE["ways_of"]({"client": client, "members": "2"}))
        for client in ("java", "librdkafka", "kafkajs")
    }
    classic = ["range", "roundrobin", "sticky", "cooperative-sticky"]
    assert ways["java"] == list(EXAMPLE["ways_of"]({})) == [*classic, "consumer protocol"]
    assert ways["librdkafka"] == ["range", "roundrobin", "cooperative-sticky", "consumer protocol"]
    assert ways["kafkajs"] == ["RoundRobinAssigner"]
    assert "left out: sticky: " in capsys.readouterr().err
    with pytest.raises(GroupsimError, match="client must be one of java"):
        EXAMPLE["ways_of"]({"client": "rust"})


def test_the_example_takes_the_size_of_the_group() -> None:
    def costs(**own: str) -> list[float]:
        found: list[float] = EXAMPLE["costs"](EXAMPLE["WAYS"]["range"], {"host": "ideal"}, 1, True, own)
        return found

    assert costs() == costs(members="3", partitions="12", client="java")
    assert costs() != costs(partitions="24")
    assert costs() != costs(client="sarama")
