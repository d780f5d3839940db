"""How much of the recorded Java answers we reproduce, by family: `python -m benchmarks.assignor_golden`."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from groupsim.assignors.problem_files import answer, read

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "assignors"
KAFKAS = ("range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "server-range")
COMPARED = ("assignments", "errors", "error", "metrics", "inputs")


def calls(line: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Every call of one assignor in a line, single or chain, as what is compared of it: lists in order, all exact."""
    if "trace" in line:
        return [{key: call.get(key) for key in COMPARED} for call in line["trace"][name]]
    return [{key: line.get(key, {}).get(name) for key in COMPARED}]


def compare(path: Path) -> tuple[int, Counter[str], Counter[str]]:
    """Lines, calls and equal calls by assignor of one golden file."""
    lines, total, equal = 0, Counter[str](), Counter[str]()
    with gzip.open(path, "rt") as file:
        for text in file:
            lines += 1
            recorded, answered = json.loads(text), answer(read(text), KAFKAS)
            for name in KAFKAS:
                wanted, got = calls(recorded, name), calls(answered, name)
                total[name] += len(wanted)
                equal[name] += sum(a == b for a, b in zip(wanted, got, strict=False))
    return lines, total, equal


def table() -> Iterator[str]:
    """Markdown: equal calls of all calls, and per cent, by family and assignor."""
    yield f"| family | lines | {' | '.join(KAFKAS)} |"
    yield f"|---|---:|{'---:|' * len(KAFKAS)}"
    sums: list[tuple[int, Counter[str], Counter[str]]] = []
    for path in sorted(GOLDEN.glob("*.jsonl.gz")):
        sums.append(compare(path))
        yield _row(path.name.removesuffix(".jsonl.gz"), *sums[-1])
    total = sum((calls for _, calls, _ in sums), Counter[str]())
    equal = sum((matching for _, _, matching in sums), Counter[str]())
    yield _row("all", sum(sums_of_file[0] for sums_of_file in sums), total, equal)


def _row(name: str, lines: int, total: Counter[str], equal: Counter[str]) -> str:
    cells = [f"{equal[a]:,}/{total[a]:,} {100 * equal[a] / total[a]:.1f} %" for a in KAFKAS]
    return f"| {name} | {lines:,} | {' | '.join(cells)} |"


if __name__ == "__main__":
    for row in table():
        print(row, flush=True)
