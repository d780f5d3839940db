"""`groupsim whatif --protocol … --migrate rolling` as a user calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.report.test_data import data
from tests.cli.conftest import Call
from tests.cli.test_whatif import imported


def test_a_migration_has_its_cost_beside_a_plain_restart_and_a_list_of_what_to_change(call: Call) -> None:
    imported(call)
    called = call("incident", "whatif", "latest", "--migrate", "rolling", "--seeds", "0:2")
    assert called.status == 0
    assert " group.protocol=consumer (uniform by default) " in called.out.splitlines()[0]
    assert " group.protocol=consumer (uniform by default) " in called.out.partition("as recorded")[2]
    assert "A roll to the consumer protocol (uniform by default) costs" in called.out
    assert "the same roll without another protocol costs" in called.out
    assert "assumed: the record has no restart" in called.out
    assert "--alter --entity-type groups --entity-name s" in called.out
    assert " --add-config consumer.session.timeout.ms=" in called.out
    row = call("incident", "whatif", "latest", "--migrate", "rolling", "--seeds", "0:2", "--format", "json").json[0]
    assert row["migration"]["protocol"] == "consumer"
    assert row["migration"]["assignor"] == "uniform by default"
    assert row["migration"]["seeds"] == 2
    assert row["migration"]["impossible"] is None
    assert row["migration"]["range"][0] <= row["migration"]["unavailable_partition_ms"] <= row["migration"]["range"][1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--migrate", "at-once"], "--migrate must be rolling or stop-all, not 'at-once'"),
        (
            ["--migrate", "rolling", "--protocol", "consumer", "--set", "protocol=consumer,assignor=range"],
            "group.protocol=consumer (uniform by default) and protocol=consumer,assignor=range are two changes; name",
        ),
        (["--migrate", "rolling", "--protocol", "classic"], "uses the classic protocol already; name the other one"),
    ],
)
def test_a_migration_that_makes_no_sense_is_one_sentence_and_status_2(
    call: Call, arguments: list[str], sentence: str
) -> None:
    imported(call)
    called = call("incident", "whatif", "latest", *arguments, "--seeds", "0:1")
    assert called.status == 2
    assert sentence in called.err


def test_a_server_side_assignor_means_the_consumer_protocol(call: Call) -> None:
    imported(call)
    asked = ("incident", "whatif", "latest", "--seeds", "0:2", "--format", "json")
    rows = call(*asked, "--assignor", "uniform", "--protocol", "classic", "--assignor", "sticky").json
    assert [row["choice"] for row in rows[1:]] == [
        "group.protocol=classic,partition.assignment.strategy=sticky",
        "group.protocol=consumer,group.remote.assignor=uniform",
    ]


def test_an_import_of_a_consumer_group_ends_with_the_question_for_the_other_protocol(call: Call) -> None:
    folder = Path(__file__).parents[2] / "examples" / "consumer-groups" / "kill9-uniform"
    called = call("incident", "import", *map(str, sorted(folder.glob("*.log.gz"))))
    assert called.status == 0
    assert " --protocol classic" in called.err


def test_range_is_the_brokers_in_a_group_of_the_consumer_protocol(call: Call) -> None:
    """It was taken for the classic assignor that such members also have, and answered as what the record has."""
    folder = Path(__file__).parents[2] / "examples" / "consumer-groups" / "kill9-uniform"
    assert call("incident", "import", *map(str, sorted(folder.glob("*.log.gz")))).status == 0
    given = ("--assignor", "range", "--set", "assignor=range", "--seeds", "0:2", "--format", "json")
    rows = call("incident", "whatif", "latest", *given).json
    assert [(row["choice"], row["as_recorded"]) for row in rows[1:]] == [("range", False), ("assignor=range", False)]
    assert rows[1]["unavailable_partition_ms"] == rows[2]["unavailable_partition_ms"]


def test_the_consumer_protocol_without_an_assignor_names_the_one_that_is_meant(call: Call) -> None:
    imported(call)
    asked = ("incident", "whatif", "latest", "--seeds", "0:1", "--format", "json")
    with_default = "group.protocol=consumer,group.consumer.assignors=range"
    rows = call(*asked, "--protocol", "consumer", "--set", with_default).json
    names = [row["choice"] for row in rows[1:]]
    assert names == ["group.protocol=consumer (uniform by default)", f"{with_default} (range by default)"]
    assert names[0] in rows[1]["answer"]
    named = call(*asked, "--protocol", "consumer", "--assignor", "uniform").json[1]
    assert named["unavailable_partition_ms"] == rows[1]["unavailable_partition_ms"]


KILLED_UNIFORM = Path(__file__).parents[2] / "examples" / "consumer-groups" / "kill9-uniform"


def test_the_roll_back_to_a_named_classic_assignor_is_simulated_with_it(call: Call) -> None:
    """It ended with "partition.assignment.strategy cannot be set when group.protocol=CONSUMER"."""
    assert call("incident", "import", *map(str, sorted(KILLED_UNIFORM.glob("*.log.gz")))).status == 0
    asked = ("incident", "whatif", "latest", "--seeds", "0:2", "--format", "json", "--migrate", "rolling")
    named = call(*asked, "--protocol", "classic", "--assignor", "cooperative-sticky")
    assert named.status == 0
    row = named.json[0]["migration"]
    assert row["assignor"] == "cooperative-sticky"
    assert any(
        "set partition.assignment.strategy=cooperative-sticky on each member (class names:" in each
        for each in row["checks"]
    )
    by_set = call(*asked, "--set", "group.protocol=classic,partition.assignment.strategy=cooperative-sticky").json
    assert len(by_set) == 2  # no choice of the consumer protocol is added
    assert by_set[0]["migration"] == row
    default = call(*asked, "--protocol", "classic").json
    assert default[1]["choice"] == "group.protocol=classic (range by default)"
    assert default[0]["migration"]["assignor"] == "range by default"
    assert default[0]["migration"]["unavailable_partition_ms"] != row["unavailable_partition_ms"]
    assert any("offer range,cooperative-sticky, and use range" in each for each in default[0]["migration"]["checks"])


def test_all_members_stopped_together_are_a_form_with_a_cost(call: Call) -> None:
    imported(call)
    called = call("incident", "whatif", "latest", "--migrate", "stop-all", "--seeds", "0:2")
    assert called.status == 0
    assert (
        "A stop of all members together, and a start with the consumer protocol (uniform by default), costs"
        in called.out
    )
    assert "3 members, all away for 2.0 s (assumed: the record has no restart), in a quiet time" in called.out
    row = call("incident", "whatif", "latest", "--migrate", "stop-all", "--seeds", "0:2", "--format", "json").json[0]
    found = row["migration"]
    assert (found["form"], found["max_partitions"], found["failures"]) == ("stop-all", 12, [])
    given = ("--set", "group.protocol=consumer,restart.ms=9000")
    longer = call("incident", "whatif", "latest", "--migrate", "stop-all", *given, "--seeds", "0:1", "--format", "json")
    assert (longer.status, longer.json[0]["migration"]["downtime_ms"]) == (1, 9_000)  # no member came back in it
    assert longer.json[0]["migration"]["range"][0] > 12 * 9_000
    assert found["range"][0] > 12 * 2_000  # all 12 partitions for the time in which nobody is there


def test_the_report_has_the_cost_of_the_change_and_what_is_to_do(call: Call) -> None:
    imported(call)
    called = call("incident", "whatif", "latest", "--migrate", "rolling", "--seeds", "0:1")
    assert call("report", "latest").status == 0
    page = Path("report.html").read_text("utf-8")
    (kept,) = data(page)["runs"][0]["what_ifs"]
    assert all(each in called.out for each in kept["migration"])
    decision, cost, _ = kept["migration"]
    assert decision.startswith("In short: ")
    assert cost.startswith("A roll to the consumer protocol (uniform by default) costs ")
    assert len(kept["to_do"]) > 3
    assert all(each in called.out for each in kept["to_do"])
    assert "<li>A roll to the consumer protocol" in page
