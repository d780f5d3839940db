"""Where the logs leave the total unknown, no command prints a figure that looks like the total without saying so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.report.test_data import data
from tests.cli.conftest import Call
from tests.incidents.imported import BROKER
from tests.incidents.lines import CLASS, M1, M2, OLD, stamped, write

INCIDENTS = Path(__file__).parents[2] / "examples" / "incidents"


def broker_log(folder: Path) -> Path:
    """A group at work, then empty for ten seconds, and with a member again; the member's own log is missing."""
    member = "m1-11111111-2222-3333-4444-555555555555"
    joins = f"(reason: Adding new member {member} with group instance id None) {OLD}"
    said = {
        1: f"Preparing to rebalance group billing in state PreparingRebalance with old generation 6 {joins}",
        4: f"Stabilized group billing generation 7 (__consumer_offsets-7) with 1 members {OLD}",
        5: f"Assignment received from leader {member} for group billing for generation 7. {OLD}",
        20: f"Group billing with generation 8 is now empty {OLD}",
        30: f"Preparing to rebalance group billing in state PreparingRebalance with old generation 8 {joins}",
        33: f"Stabilized group billing generation 9 (__consumer_offsets-7) with 1 members {OLD}",
        34: f"Assignment received from leader {member} for group billing for generation 9. {OLD}",
        50: f"Group billing with generation 10 is now empty {OLD}",
    }
    return write(folder, *(stamped(second + 0.253, BROKER + text) for second, text in said.items()))


@pytest.fixture
def reason(call: Call, tmp_path: Path) -> str:
    """Import the log; why its total is unknown, as the import says it."""
    imported = call("incident", "import", str(broker_log(tmp_path)), "--topic", "orders=12")
    assert imported.status == 0
    return imported.out.partition("unknown")[2].splitlines()[0].partition(": ")[2]


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("blame", 1),
        ("blame --by piece", 0),
        ("unavailable --by label", 1),
        ("unavailable --by label --format json", 1),
        ("unavailable", 0),
    ],
)
def test_a_table_of_a_run_whose_total_is_unknown_says_so(call: Call, reason: str, command: str, status: int) -> None:
    name, *options = command.split()
    called = call(name, "latest", *options)
    assert called.status == status
    said = [line for line in called.err.splitlines() if line.startswith("the total is unknown")]
    assert said == [f"the total is unknown, at least 168.0 partition-seconds, with no upper bound: {reason}"]
    assert "total unavailable time" not in called.err


def test_a_report_shows_the_unknown_total_in_the_place_of_the_figure(call: Call, reason: str) -> None:
    assert call("report", "latest").status == 0
    shown = data(Path("report.html").read_text())["runs"][0]
    assert shown["numbers"]["unknown"].startswith("unknown (at least ")
    assert reason in shown["lead"][0]


def test_a_simulated_run_has_no_caveat(call: Call) -> None:
    assert call("run", "zombie_member", "--record", "facts").status == 0
    called = call("blame", "latest")
    assert (called.status, "the total is unknown" in called.err) == (0, False)


def test_a_log_of_one_moment_in_the_middle_of_a_rebalance_shows_that_rebalance(call: Call) -> None:
    """A leader assigns within a rebalance: its log may begin after all have joined."""
    said = "[Consumer clientId=c1, groupId=billing] Finished assignment for group at generation 18: "
    assigned = f"{said}{{{M1}=Assignment(partitions=[t-0, t-1]), {M2}=Assignment(partitions=[t-2])}}"
    write(Path(), f"[2024-03-01 10:00:00,000] INFO {assigned}{CLASS}")
    imported = call("incident", "import", "a.log")
    assert "2024-03-01T10:00:00.000Z  one moment recorded  1 rebalance  " in imported.out
    rebalances = call("rebalances", "latest", "--format", "json").json
    assert [row["generation"] for row in rebalances] == [18]


def test_an_import_of_a_broker_alone_says_how_long_nobody_could_read_beside_the_unknown_total(call: Call) -> None:
    """The same bounds as `explain` has them: they need no partition."""
    broker = str(INCIDENTS / "kill9-range" / "broker.log.gz")
    imported = call("import", broker).out.splitlines()
    (stopped,) = (line for line in call("explain", broker).out.splitlines() if "could read" in line)
    assert stopped.startswith('nobody in group "')
    assert imported.index(stopped) + 1 == next(n for n, line in enumerate(imported) if line.startswith("unavailable"))


def test_partition_counts_are_advised_only_where_they_give_bounds_of_the_total_after_start_up(call: Call) -> None:
    """By a broker alone a member counts as unlogged all the time: then a count of partitions bounds nothing."""
    imported = call("import", str(INCIDENTS / "kill9-range" / "broker.log.gz"))
    assert "--topic" not in imported.err
