"""Which draws need each row of the account's tables: `python -m tests.incidents.account.rows [--draws N] [--start S]`.

A row is needed by a draw if the account without it is false, or its bounds are wider. Prints the first draw found for
each row, as `test_rows.NEEDED` has it, and the rows for which none was.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from groupsim.incidents.account import hidden
from groupsim.incidents.account.evidence import BY_KIND, EVIDENCE, Evidence
from groupsim.simulation.clients.config import CLASSIC, CONSUMER
from tests.incidents.account.draws import Checked, Draw, checked, draw

Without = Callable[[], AbstractContextManager[None]]
CUT = "a cut log"


class Needs(NamedTuple):
    """A draw by its protocol and number, and whether one of its logs is cut (`draws.DAMAGES`)."""

    protocol: str
    number: int
    damage: str = ""

    def draw(self) -> Draw:
        """What is simulated and given."""
        return replace(draw(self.number, self.protocol), damage=self.damage)


def rows() -> dict[str, Without]:
    """By name, how to do without each row."""
    evidence = {f"{'/'.join(sorted(row.kinds))}: {row.rule.name}": _without_evidence(row) for row in EVIDENCE}
    stops = {f"hidden: {finds.__name__.strip('_')}": _without_stop(finds) for finds in hidden.HIDDEN}
    return evidence | stops


def _without_evidence(row: Evidence) -> Without:
    @contextmanager
    def without() -> Iterator[None]:
        kept = {kind: list(BY_KIND[kind]) for kind in row.kinds}
        for kind in row.kinds:
            BY_KIND[kind].remove(row)
        try:
            yield
        finally:
            BY_KIND.update(kept)

    return without


def _without_stop(finds: object) -> Without:
    @contextmanager
    def without() -> Iterator[None]:
        kept = hidden.HIDDEN
        hidden.HIDDEN = tuple(each for each in kept if each is not finds)
        try:
            yield
        finally:
            hidden.HIDDEN = kept

    return without


def needed(without: Without, one: Draw) -> str | None:
    """What becomes of the account of a draw without a row: `false` or `wider`; None: nothing."""
    whole = _checked(one)
    if whole is None or whole.broken:
        return None
    with without():
        less = _checked(one)
    if less is None:
        return None
    if less.broken:
        return "false"
    return "wider" if _width(less) > _width(whole) or less.at_least_ms < whole.at_least_ms else None


def _checked(one: Draw) -> Checked | None:
    with TemporaryDirectory() as folder:
        return checked(one, Path(folder))


def _width(found: Checked) -> float:
    return float("inf") if found.at_most_ms is None else found.at_most_ms - found.at_least_ms


def main(arguments: list[str]) -> int:
    """See the module; 0 if each row is needed."""
    parser = argparse.ArgumentParser(prog="python -m tests.incidents.account.rows")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--start", type=int, default=40_000_000)
    parser.add_argument("--only", action="append", help="only this row; may be repeated")
    given = parser.parse_args(arguments)
    left = {name: without for name, without in rows().items() if given.only is None or name in given.only}
    for number in range(given.start, given.start + given.draws):
        for each in (Needs(protocol, number, damage) for protocol in (CLASSIC, CONSUMER) for damage in ("", CUT)):
            for name, without in list(left.items()):
                if (what := needed(without, each.draw())) is not None:
                    print(f'    "{name}": {each!r},  # {what}', flush=True)
                    del left[name]
    print("needed by none:", *left, sep="\n")
    return int(bool(left))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
