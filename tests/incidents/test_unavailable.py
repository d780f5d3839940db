"""How long partitions of consumer groups (KIP-848) were unavailable: by the logs alone, and as members' code saw it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.incidents.unavailable import BOTH, BROKER, CLIENTS, compare, recorded

EXAMPLES = sorted(p.parent for p in (Path(__file__).parents[2] / "examples" / "consumer-groups").glob("*/*.json"))
RECORDINGS = recorded()
KNOWN_WRONG = (
    "S03-one-closes__kip848-uniform__d0__r2",  # 9 %: on a busy machine a listener was called 65 ms after its line
)


@pytest.mark.parametrize("folder", EXAMPLES, ids=[folder.name for folder in EXAMPLES])
def test_logs_of_broker_and_clients_give_the_recorded_total_and_those_of_one_side_give_none(folder: Path) -> None:
    one = compare(folder)
    assert one.totals[BOTH].why is None
    assert one.totals[BOTH].right(one.truth)
    for given in (CLIENTS, BROKER):
        assert one.totals[given].why is not None
        assert one.totals[given].right(one.truth)


@pytest.mark.slow
@pytest.mark.skipif(not RECORDINGS, reason="the recordings (../shared/recordings-848) are not here")
def test_recorded_consumer_groups_have_the_recorded_total_or_none() -> None:
    """Every tenth recording; `python -m tests.incidents.unavailable` compares all."""
    every = [compare(folder) for folder in RECORDINGS[::10]]
    wrong = {one.name for one in every for found in one.totals.values() if not found.right(one.truth)}
    assert {name for name in wrong if not name.startswith(KNOWN_WRONG)} == set()
