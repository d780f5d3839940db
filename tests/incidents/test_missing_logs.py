"""No figure is printed as known that is off because logs are missing; what all logs tell stays known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.incidents.imported import BROKER, adding, import_logs, joined, revoking
from tests.incidents.lines import M2, stamped, write
from tests.incidents.missing_logs import imported, outcome, subsets

EXAMPLES = Path(__file__).parents[2] / "examples" / "incidents"
MIDDLE = "2026-11-20T11:27:20.000Z"
C2 = "[Consumer clientId=c2, groupId=billing] "


@pytest.mark.parametrize("name", ["kill9-range", "rolling-restart-cooperative"])
def test_no_subset_of_the_logs_gives_a_wrong_figure(name: str, tmp_path: Path) -> None:
    logs = sorted((EXAMPLES / name).glob("*.log.gz"))
    whole = imported(logs)
    assert whole.total_ms is not None
    found = {}
    for subset in subsets(logs, MIDDLE, tmp_path):
        if "half of" not in subset.kind:
            part = imported(subset.logs, subset.wanted)
            found[subset.kind] = outcome(part, whole.unavailable_ms(part.begins, part.ends))
    assert not {"known, wrong", "bounds wrong"} & set(found.values()), found


def test_the_clients_of_a_killed_member_alone_give_bounds_and_what_to_export() -> None:
    logs = sorted((EXAMPLES / "kill9-range").glob("*.log.gz"))
    part = imported([log for log in logs if not log.name.startswith("broker")])
    truth = imported(logs).total_ms
    assert truth is not None
    assert part.total_ms is None
    assert part.rests_on.at_least_ms < 0.5 * truth
    assert part.rests_on.at_most_ms is not None
    assert part.rests_on.at_most_ms > truth
    assert "m2.0 fell silent" in (part.rests_on.unknown or "")
    assert "export the broker's log too" in (part.rests_on.unknown or "")


@pytest.mark.parametrize("name", ["kill9-range", "rolling-restart-cooperative"])
def test_the_log_of_one_client_bounds_the_total_of_its_group(name: str) -> None:
    """It is the leader, so that its plans name all partitions; while it may have run, what others had is open."""
    whole = imported(sorted((EXAMPLES / name).glob("*.log.gz")))
    part = imported(sorted((EXAMPLES / name).glob("m1*.log.gz")))
    truth, rests_on = whole.unavailable_ms(part.begins, part.ends), part.rests_on
    assert part.before.at_most_ms is None
    assert rests_on.at_most_ms is not None
    assert (
        part.before.at_least_ms < rests_on.at_least_ms <= truth <= rests_on.at_most_ms < 12 * (part.ends - part.begins)
    )


def test_a_broker_s_log_with_a_gap_is_left_out_as_if_it_were_not_given(tmp_path: Path) -> None:
    logs = sorted((EXAMPLES / "rolling-restart-cooperative").glob("*.log.gz"))
    whole = imported(logs)
    gap = next(s for s in subsets(logs, MIDDLE, tmp_path) if s.kind == "broker's log: no middle")
    part = imported(gap.logs, gap.wanted)
    truth, rests_on = whole.unavailable_ms(part.begins, part.ends), part.rests_on
    assert rests_on.at_most_ms is not None
    assert part.before.at_most_ms is not None
    assert part.before.at_least_ms < rests_on.at_least_ms <= truth <= rests_on.at_most_ms < part.before.at_most_ms


@pytest.mark.parametrize("name", ["streams", "connect"])
def test_tasks_and_connectors_are_not_counted_as_partitions_of_consumers(name: str) -> None:
    logs = sorted((EXAMPLES.parent / name).glob("*.log.gz"))
    result, _ = import_logs(*logs[1:2])
    assert result.run.summary["unsupported"] or result.run.summary["doubts"]
    assert "proved" not in result.run.summary


def test_a_broker_log_without_the_dead_member_s_own_leaves_its_last_session_open() -> None:
    logs = sorted((EXAMPLES / "kill9-range").glob("*.log.gz"))
    part = imported([log for log in logs if not log.name.startswith("m2")])
    assert part.total_ms is None
    assert "no client log of it is given" in (part.rests_on.unknown or "")


def test_logs_that_end_while_a_group_rebalances_tell_of_a_part_only(tmp_path: Path) -> None:
    begins = stamped(
        9, BROKER + "Preparing to rebalance group billing in state PreparingRebalance with old generation 1"
    )
    broker = write(
        tmp_path, begins + " (__consumer_offsets-7) (reason: Adding new member c2-1 with group instance id None)"
    )
    client = write(tmp_path, *joined(1, 1), adding(2, "orders-0"), revoking(9.5, "orders-0"), name="c1.log")
    result, _ = import_logs(broker, client)
    assert any("rebalancing when the logs end" in str(why) for why in _reasons(result.run.summary))


def test_logs_that_begin_with_the_end_of_a_rebalance_say_so(tmp_path: Path) -> None:
    result, _ = import_logs(write(tmp_path, *joined(1, 5)[1:], adding(2, "orders-0")))
    assert any("rebalancing already when the logs begin" in str(why) for why in _reasons(result.run.summary))


def test_a_partition_that_is_given_up_in_order_leaves_no_doubt(tmp_path: Path) -> None:
    """Clocks differ a little: the new owner may have it before the old one's line."""
    old = [*joined(1, 1), adding(2, "orders-0"), revoking(9.2, "orders-0"), *joined(9.3, 2)]
    new = [*joined(8.5, 2, M2, C2), adding(9.1, "orders-0", c=C2)]
    result, _ = import_logs(write(tmp_path, *old, name="c1.log"), write(tmp_path, *new, name="c2.log"))
    doubts = result.run.summary["doubts"]
    assert isinstance(doubts, list)
    assert not [each for each in doubts if "fell silent" in each["why"]]


def _reasons(summary: dict[str, object]) -> list[object]:
    found = summary["unsupported"]
    assert isinstance(found, list)
    return found
