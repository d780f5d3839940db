"""`groupsim whatif` as a user calls it."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

import pytest

from groupsim.events.world import GroupDeclared, RunEnded
from groupsim.simulation.clients.config import CLIENTS
from groupsim.storage import open_store
from groupsim.storage.store import RunInfo, RunSource, RunStatus
from tests.analysis.report.test_data import data
from tests.cli.conftest import Call

KILL9 = Path(__file__).parents[2] / "examples" / "incidents" / "kill9-range"
KEYS = {
    "choice",
    "rebalances",
    "unavailable_partition_ms",
    "p95_partition_ms",
    "max_partitions",
    "outage_ms",
    "longest_partition_ms",
    "unsafe_ms",
    "versus_recorded",
    "versus_baseline",
    "versus_record",
    "ranges",
    "answer",
    "verdict",
    "modes",
}


def imported(call: Call, folder: Path = KILL9) -> None:
    """kill9-range, or another example, in the store."""
    assert call("incident", "import", *map(str, sorted(folder.glob("*.log.gz"))), "--name", "kill9").status == 0


def test_rows_are_the_contracts_baseline_first_and_assumptions_are_said_on_stderr(call: Call) -> None:
    imported(call)
    choices = ["--assignor", "cooperative-sticky", "--set", "session.timeout.ms=10000", "--set", "membership=static"]
    called = call("incident", "whatif", "latest", *choices, "--seeds", "0:3", "--format", "json")
    assert called.status == 0
    rows = called.json
    assert [row["choice"] for row in rows] == [
        "as recorded",
        "cooperative-sticky",
        "session.timeout.ms=10000",
        "membership=static",
    ]
    assert all(set(row) >= KEYS for row in rows)
    assert rows[0]["versus_recorded"] == 1.0
    assert rows[0]["recorded"]["generations"] == rows[0]["fidelity"]["played_generations"] == 4
    assert rows[0]["fidelity"]["holds"]
    assert rows[0]["fidelity"]["error"] < 0.1
    for row in (rows[0]["recorded"], *rows):  # of 12 partitions
        assert row["longest_partition_ms"] <= row["outage_ms"] <= row["unavailable_partition_ms"]
        assert row["unavailable_partition_ms"] <= 12 * row["outage_ms"]
    least, most = rows[0]["recorded"]["bounds_partition_ms"]
    assert least < rows[0]["recorded"]["unavailable_partition_ms"] < rows[2]["unavailable_partition_ms"] < most
    assert rows[2]["versus_record"] == 1.0  # it is among what the record may have cost
    assert rows[2]["unavailable_partition_ms"] > rows[0]["unavailable_partition_ms"]
    assert (
        "session.timeout.ms=6000 is the shortest of the values that fit the silence of a removed member" in called.err
    )
    lines = call("incident", "whatif", "latest", "--seeds", "0:1", "--format", "jsonl").out.splitlines()
    assert len(lines) == 1


def test_a_table_shows_the_recording_beside_the_simulation_and_the_assumptions_below(call: Call) -> None:
    imported(call)
    out = call("incident", "whatif", "latest", "--set", "heartbeat.interval.ms=300", "--seeds", "0:2").out
    assert "simulated exactly: 4 generations, 4 of 4 as recorded" in out
    assert out.splitlines()[0].startswith("Whether heartbeat.interval.ms=300 would have helped is not sure")
    assert out.index("as recorded  ") < out.index("start-up, in no comparison: ") < out.index("simulated exactly: 4")
    assert out.index("simulated exactly: 4") < out.index("Assumptions, because the recording does not show it:")


def test_commas_join_settings_into_one_choice_but_stay_inside_a_list_of_assignors(call: Call) -> None:
    imported(call)
    both = "partition.assignment.strategy=cooperative-sticky,range,session.timeout.ms=9000"
    rows = call("incident", "whatif", "latest", "--set", both, "--seeds", "0:1", "--format", "json").json
    assert [row["choice"] for row in rows] == ["as recorded", both]


def test_what_the_user_knows_takes_the_place_of_an_assumption(call: Call) -> None:
    imported(call)
    called = call("incident", "whatif", "latest", "--assume", "heartbeat.interval.ms=1000", "--seeds", "0:1")
    assert "observed heartbeats" not in called.out
    assert "session.timeout.ms=6000 is" in called.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--protocol", "new"], "--protocol must be classic, consumer or streams, not 'new'"),
        (["--set", "group.protocol=new"], "group.protocol=new: must be classic, consumer or streams"),
        (["--assignor", "uniform-4.1"], "'uniform-4.1' is not an assignor that a broker offers"),
        (["--protocol", "consumer", "--assignor", "uniform,range"], "repeat --assignor for each (brokers offer"),
        (
            ["--set", "group.protocol=consumer,session.timeout.ms=9000"],
            "session.timeout.ms cannot be set when group.protocol=CONSUMER; the broker decides",
        ),
        (["--assignor", "rang"], "near names: range"),
        (["--set", "sesion.timeout.ms=1"], "near names: session.timeout.ms"),
        (["--set", "membership=sticky"], "must be static or dynamic"),
        (["--set", "restart.ms=soon"], "must be a whole number"),
        (["--set", "session.timeout.ms=100"], "must be less than session.timeout.ms (100)"),
        (
            ["--set", "session.timeout.ms=4000,group.min.session.timeout.ms=5000"],
            "so no member could join; change both",
        ),
        (["--set", "session.timeout.ms=many"], "must be a whole number"),
        (["--assume", "client=rust"], "must be one of java, librdkafka, kafka-python"),
        (["--assume", "acks=1"], "must be one of session.timeout.ms"),
        (["--group", "nobody"], "has no group 'nobody'"),
        (["--seeds", "5:5"], "the range is empty"),
    ],
)
def test_a_wrong_request_is_one_sentence_and_status_2(call: Call, arguments: list[str], sentence: str) -> None:
    imported(call)
    seeds = [] if "--seeds" in arguments else ["--seeds", "0:1"]
    called = call("incident", "whatif", "latest", *arguments, *seeds)
    assert called.status == 2
    assert sentence in called.err
    assert called.err.count("\n") == 1


@pytest.mark.parametrize("client", CLIENTS)
def test_every_library_that_is_simulated_can_be_assumed(call: Call, client: str) -> None:
    imported(call)
    played = call(
        "whatif", "latest", "--assume", f"client={client}", "--set", "heartbeat.interval.ms=500", "--seeds", "0:1"
    )
    assert played.status == 0, played.err
    assert client in " ".join(call("whatif", "--help").out.split())


def test_an_assignor_that_the_assumed_library_has_not_can_t_be_answered(call: Call) -> None:
    imported(call)
    asked = call("whatif", "latest", "--assume", "client=sarama", "--assignor", "cooperative-sticky", "--seeds", "0:1")
    assert "its members use sarama, which is not simulated with cooperative-sticky" in asked.out


def test_a_group_without_members_is_refused_in_one_sentence(call: Call) -> None:
    store = open_store("groupsim.db")
    writer = store.begin(RunInfo(id="new", name="new", source=RunSource.RECORDED))
    writer.append(0, "world", [GroupDeclared(group="billing", protocol="consumer", topics=())])
    writer.append(9, "world", [RunEnded(status=RunStatus.FINISHED)])
    writer.finish(RunStatus.FINISHED, 9)
    store.close()
    called = call("incident", "whatif", "new")
    assert called.status == 2
    assert "group 'billing': the record has no member of it" in called.err


def test_answers_are_kept_with_the_run_and_shown_by_its_report_also_without_javascript(call: Call) -> None:
    imported(call)
    ask = ("incident", "whatif", "latest", "--assignor", "cooperative-sticky", "--format", "json")
    for seeds in ("0:1", "0:3"):  # the same question again replaces its first answer
        rows = call(*ask, "--seeds", seeds).json
    call("incident", "whatif", "latest", "--set", "session.timeout.ms=10000", "--seeds", "0:2")
    assert call("report", "latest").status == 0
    text = Path("report.html").read_text("utf-8")
    newest, older = data(text)["runs"][0]["what_ifs"]
    assert call("replay", "latest", "--fresh").status == 0  # forgets states, but no answer
    call("report", "latest", "-o", "again.html")
    assert data(Path("again.html").read_text("utf-8"))["runs"][0]["what_ifs"] == [newest, older]
    assert newest["headline"].startswith("Whether session.timeout.ms=10000 would have helped is not sure")
    assert older["headline"] == rows[0]["answer"]
    assert [each["choice"] for each in older["choices"]] == ["as recorded", "cooperative-sticky"]
    assert older["choices"][1]["median_ms"] == rows[1]["unavailable_partition_ms"]
    assert older["seeds"] == 3
    sentences = [each for name in ("inferred", "drawn", "assumed") for each in older[name]]
    assert sorted(sentences) == sorted(rows[0]["assumed"])
    lead = text.partition("<noscript>")[2].partition("</noscript>")[0]
    assert escape(rows[0]["answer"]) in lead


def test_a_choice_that_the_record_cannot_answer_is_refused_with_the_reason_and_the_others_are_answered(
    call: Call,
) -> None:
    imported(call)
    choices = ("--set", "restart.ms=500", "--set", "heartbeat.interval.ms=300")
    called = call("incident", "whatif", "latest", *choices, "--seeds", "0:2", "--format", "json")
    assert called.status == 0
    _, refused, answered = called.json
    assert refused["verdict"] == "can't be answered"
    assert refused["refused"] == "no member comes back in it, so there is no restart to change"
    assert refused["unavailable_partition_ms"] is None
    assert answered["unavailable_partition_ms"] > 0
    slow = call("incident", "whatif", "latest", "--set", "heartbeat.interval.ms=9000", "--seeds", "0:1")
    assert slow.status == 1
    assert re.match(
        r".*: session\.timeout\.ms, which must be longer, may be \d+ in it; name it with", slow.out.splitlines()[0]
    )
    table = call("incident", "whatif", "latest", "--set", "restart.ms=500", "--seeds", "0:1")
    assert table.out.splitlines()[0].startswith(
        "restart.ms=500 can't be answered from this record: no member comes back in it"
    )


def test_an_impossible_choice_is_named_with_its_reason_and_the_others_are_answered(call: Call) -> None:
    imported(call)
    choices = ("--set", "session.timeout.ms=100", "--assignor", "cooperative-sticky")
    both = "group.protocol=consumer,session.timeout.ms=9000"
    called = call("incident", "whatif", "latest", *choices, "--set", both, "--seeds", "0:2", "--format", "json")
    assert called.status == 0
    _, answered, impossible, other = called.json
    assert impossible["verdict"] == other["verdict"] == "not possible"
    assert impossible["refused"] == "heartbeat.interval.ms (1000) must be less than session.timeout.ms (100)"
    assert "cannot be set when group.protocol=CONSUMER" in other["refused"]
    assert answered["unavailable_partition_ms"] > 0
    table = call("incident", "whatif", "latest", *choices, "--seeds", "0:2")
    assert table.status == 0
    first, *lines = table.out.splitlines()
    assert "cooperative-sticky" in first
    assert first.endswith(" The others: session.timeout.ms=100 is not possible.")
    assert any(
        line.startswith("  session.timeout.ms=100 is not possible: heartbeat.interval.ms (1000) must") for line in lines
    )
    roll = call("incident", "whatif", "latest", "--migrate", "rolling", *choices[:2], "--seeds", "0:1")
    assert roll.status == 0
    none = call("incident", "whatif", "latest", *choices[:2], "--set", both, "--seeds", "0:1")
    assert (none.status, none.out, none.err.count("\n")) == (2, "", 1)
    assert "must be less than session.timeout.ms (100); session.timeout.ms cannot be set" in none.err
    assert "cannot be set" in none.err


def test_what_was_given_inferred_drawn_and_assumed_is_each_named(call: Call) -> None:
    imported(call)
    ask = ("incident", "whatif", "latest", "--assignor", "cooperative-sticky", "--seeds", "0:1")
    given = ("--assume", "session.timeout.ms=6000", "--assume", "client=java", "--topic", "orders=12")
    table = call(*ask, *given).out
    assert "Given by you:\n  session.timeout.ms=6000\n  client=java\n  orders=12 partitions\n" in table
    assert "Inferred from the logs:\n  heartbeat.interval.ms=1000 is the interval that fits" in table
    assert "Unknown, so each seed draws a value:" not in table
    assert "Unknown, so each seed draws a value:\n  session.timeout.ms=6000 is the shortest" in call(*ask).out
    row = call(*ask, *given, "--format", "json").json[0]
    assert row["given"] == ["session.timeout.ms=6000", "client=java", "orders=12 partitions"]
    assert [each.partition("=")[0] for each in row["inferred"]] == ["heartbeat.interval.ms"]
    drawn = call(*ask, "--format", "json").json[0]
    assert (len(drawn["given"]), len(drawn["drawn"])) == (0, 1)
    assert {*row["inferred"], *drawn["drawn"]} <= {*row["assumed"], *drawn["assumed"]}
    call("report", "latest")
    newest, older = data(Path("report.html").read_text("utf-8"))["runs"][0]["what_ifs"]
    assert (newest["given"], older["given"]) == ([], row["given"])  # other things are given: another question
    assert newest["drawn"] == drawn["drawn"]


def test_only_the_time_that_was_named_is_compared_and_start_up_is_in_no_comparison(call: Call) -> None:
    imported(call)
    ask = ("incident", "whatif", "latest", "--seeds", "0:2", "--format", "json")
    whole, part = call(*ask).json[0], call(*ask, "--between", "7000", "9000").json[0]
    assert part["recorded"]["from_ms"] == 7_000
    assert part["unavailable_partition_ms"] < whole["unavailable_partition_ms"]
    assert whole["recorded"]["from_ms"] == 238  # the first member has all partitions
    assert whole["founding_partition_ms"] > 0
    outside = call(*ask, "--between", "90000", "91000")
    assert (outside.status, outside.err.count("\n")) == (2, 1)
    assert "there is nothing to compare" in outside.err


def test_a_simulated_run_plays_its_own_story_again(call: Call) -> None:
    assert call("run", "initial_delay").status == 0
    called = call("incident", "whatif", "latest", "--set", "group.initial.rebalance.delay.ms=0", "--seeds", "0:2")
    assert called.status == 0
    assert "; the lengths of their phases differ from the record by 0 ms (median), 0 ms (p95)" in called.out
    refused = call("incident", "whatif", "latest", "--set", "membership=static")
    assert refused.status == 2
    assert "its scenario says who is static" in refused.err


def test_names_out_of_logs_are_shown_and_not_obeyed(call: Call, tmp_path: Path) -> None:
    group, client = "<script>alert(1)</script>%s';DROP", "c\x1b]0;owned\x07/../{0}"
    member = f"{client}-11111111-2222-3333-4444-555555555555"
    at = "[2024-03-01 10:00:0{},000] INFO [GroupCoordinator 1]: "
    end = " (kafka.coordinator.group.GroupCoordinator)\n"
    log = tmp_path / "broker.log"
    reason = f"(reason: Adding new member {member} with group instance id None)"
    log.write_text(
        at.format(1) + f"Preparing to rebalance group {group} in state PreparingRebalance with old generation 0"
        f" (__consumer_offsets-3) {reason}{end}"
        + at.format(4)
        + f"Stabilized group {group} generation 1 (__consumer_offsets-3) with 1 members{end}"
        + at.format(5)
        + f"Assignment received from leader {member} for group {group} for generation 1.{end}"
    )
    assert call("incident", "import", str(log), "--require-total").status == 1  # no log names a partition
    called = call("incident", "whatif", "latest", "--seeds", "0:1")
    assert called.status == 1  # nor can a choice be compared with it
    assert "\x1b" not in called.out + called.err
    assert "\x07" not in called.out + called.err
    assert "<script>" in called.out


@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interrupted_what_if_says_so_and_answers_nothing(
    call: Call, tmp_path: Path, number: str, status: int
) -> None:
    (tmp_path / "story.py").write_text(
        "import os\nimport signal\nfrom pathlib import Path\n\nfrom groupsim.scenarios.dsl import scenario\n\n"
        "@scenario(lasts=9000)\ndef story(world):\n"
        "    (m,) = world.group('g').join('m', topics=[world.topic('t', 1)])\n    yield world.sleep(100)\n"
        f"    if Path('now').exists():\n        signal.raise_signal(signal.{number})\n    yield world.sleep(100)\n"
    )
    assert call("run", "story.py").status == 0
    (tmp_path / "now").touch()
    called = call("incident", "whatif", "latest", "--assignor", "sticky", "--seeds", "0:3", "--trust")
    assert (called.status, called.out, called.err) == (status, "", "groupsim: interrupted\n")
    assert call("replay", "latest", "--verify", "--trust").status == status
    interrupted = call("run", "story.py")
    assert interrupted.status == status
    assert interrupted.err.startswith("groupsim: interrupted at 100 ms; run ")
