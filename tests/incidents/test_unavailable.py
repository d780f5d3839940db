"""How long partitions were unavailable: by the logs alone, and as members' code saw it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.incidents.recordings import BOTH, BROKER, CLIENTS, CONSUMER_GROUPS, FAMILIES
from tests.incidents.unavailable import compare, recorded

EVERY = {"families": FAMILIES[::8], "beside": recorded()[::10]}
KNOWN_WRONG = (
    "-f06__r",  # a process is stopped (SIGSTOP) for less than its session while nothing happens: no line shows it
    "S03-one-closes__kip848-uniform__d0__r2",  # 9 %: on a busy machine a listener was called 65 ms after its line
)


@pytest.mark.parametrize("folder", CONSUMER_GROUPS, ids=[folder.name for folder in CONSUMER_GROUPS])
def test_logs_of_broker_and_clients_give_the_recorded_total_and_those_of_one_side_give_none(folder: Path) -> None:
    one = compare(folder)
    assert one.totals[BOTH].why is None
    assert one.totals[BOTH].right(one.truth)
    for given in (CLIENTS, BROKER):
        assert one.totals[given].why is not None
        assert one.totals[given].right(one.truth)


@pytest.mark.slow
@pytest.mark.parametrize("place", [name for name, folders in EVERY.items() if folders])
def test_recorded_groups_have_the_recorded_total_or_none(place: str) -> None:
    """Classic groups of the repository, consumer groups beside it. A sample; `python -m tests.incidents.unavailable`
    compares all consumer groups."""
    every = [compare(folder) for folder in EVERY[place]]
    wrong = {one.name for one in every for found in one.totals.values() if not found.right(one.truth)}
    assert {name for name in wrong if not any(known in name for known in KNOWN_WRONG)} == set()


def test_a_rolling_restart_of_aiokafka_has_the_recorded_total() -> None:
    """It prints of its end only that LeaveGroup succeeded: without that line its members seem to fall silent. Static
    members send none."""
    folders = [folder for folder in FAMILIES if "-f37__" in folder.name and "-static__" not in folder.name]
    found = [compare(folder) for folder in folders]
    assert len(found) == 4
    for one in found:
        assert one.totals[BOTH].why is None
        assert one.totals[BOTH].right(one.truth)
