"""The page "What one deploy costs": which of two costs less is said as its own ranges have it."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "deploy-costs.md"
RANGE = re.compile(r"\(([\d.]+)–([\d.]+)\)")
Table = dict[str, list[str]]


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
