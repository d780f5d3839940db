"""What `read` advises after reading: what each log is, the hours and groups, and which logs are missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from groupsim.incidents.facts.what_to_export import LogSummary, advice, missing, summarise
from groupsim.incidents.logs.reader import LogReader
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row
from groupsim.wording.lists import folded

EXAMPLES = Path(__file__).parents[2] / "examples" / "incidents"
INCIDENTS = sorted(folder for folder in EXAMPLES.iterdir() if folder.is_dir())


def logs_of(folder: Path, *names: str) -> list[LogSummary]:
    """The summaries of an example's logs: all, or those named."""
    paths = [folder / f"{name}.log.gz" for name in names] or sorted(folder.glob("*.log.gz"))
    return [summarise(path.name, LogReader(path)) for path in paths]


def starts(sentences: list[str]) -> list[str]:
    return [sentence.partition(":")[0] for sentence in sentences]


@pytest.mark.parametrize("folder", INCIDENTS, ids=lambda folder: folder.name)
def test_where_all_logs_are_given_nothing_is_missing(folder: Path) -> None:
    said = advice(logs_of(folder))
    assert starts(said) == ["logs of brokers", "logs of clients (java)", "times", "groups", "next"]
    assert said[0] == "logs of brokers: broker.log.gz"


def test_the_hours_and_groups_are_those_of_all_logs() -> None:
    said = advice(logs_of(EXAMPLES / "kill9-range"))
    assert "times: 2026-11-20T11:27:14.260Z to 2026-11-20T11:27:28.583Z" in said
    assert 'groups: "s04-kill9.range.d0.r1.937f" (109 lines)' in said


def test_without_client_logs_the_owners_are_unknown() -> None:
    assert starts(advice(logs_of(EXAMPLES / "kill9-range", "broker")))[-2] == "no client logs"


def test_without_a_broker_log_removals_are_unknown() -> None:
    assert starts(advice(logs_of(EXAMPLES / "kill9-range", "m1.0", "m2.0", "m3.0")))[-2] == "no broker log"


def test_a_member_that_only_the_broker_names_lacks_its_log() -> None:
    said = advice(logs_of(EXAMPLES / "kill9-range", "broker", "m1.0", "m2.0"))
    assert said[-2] == (
        "1 member without a client log: m3-75a7276f-194f-4e00-b33a-5b246367b53b; export the logs of its process too"
    )


def test_a_static_member_that_came_back_lacks_the_log_of_its_new_process() -> None:
    said = advice(logs_of(EXAMPLES / "static-restart-range", "broker", "m1.0", "m2.0", "m3.0", "m3.1"))
    assert said[-2] == (
        "1 static member came back, and no log of its new process is given: i2-s08-static-restart__range__d0__r2;"
        " export it too"
    )


def row(at: str | None, program: Program, group: str = "g", **detail: object) -> Row:
    return Row("x.log", 1, at, RowKind.JOINED, group, None, None, dict(detail), program)


BROKER = row("2026-11-20T11:00:00.000Z", Program.BROKER)
CLIENT = row("2026-11-20T11:00:01.000Z", Program.LIBRDKAFKA, partitions=["orders-0"])


def test_times_that_do_not_overlap_are_named() -> None:
    later = structs.replace(CLIENT, at="2026-11-20T13:00:01.000Z")
    said = advice([summarise("b.log", [BROKER]), summarise("c.log", [later])])
    assert said[-2] == (
        "the logs of brokers end at 2026-11-20T11:00:00.000Z,"
        " before those of clients begin at 2026-11-20T13:00:01.000Z;"
        " export the same hours of both, unless only their time zones differ: an import corrects that where both log"
        " the same events"
    )
    together = summarise("b.log", [BROKER, structs.replace(BROKER, at=later.at)])
    assert starts(advice([together, summarise("c.log", [CLIENT])]))[-2] == "groups"


def test_clients_that_name_no_partitions_are_not_enough() -> None:
    bare = structs.replace(CLIENT, kind=RowKind.POLL_TIMEOUT, detail={})
    said = advice([summarise("b.log", [BROKER, BROKER]), summarise("c.log", [bare, bare])])
    assert any(sentence.startswith("no client line names assigned partitions") for sentence in said)


def test_rows_without_a_time_are_counted() -> None:
    timeless = structs.replace(CLIENT, at=None)
    assert "2 rows without a time; export the logs with the platform's time" in advice(
        [summarise("all.json", [BROKER, CLIENT, timeless, timeless])]
    )


def test_a_log_of_both_is_called_so() -> None:
    said = advice([summarise("all.json", [BROKER, CLIENT]), LogSummary("other.log")])
    assert said[0] == "logs of brokers and clients in one: all.json"
    assert "other.log" not in " ".join(said)


def test_where_not_all_groups_are_named_the_option_that_lists_them_is() -> None:
    said = advice([summarise("all.json", [row(None, Program.JAVA, group=f"g{n}") for n in range(6)])])
    assert 'groups: "g0" (1 line), "g1" (1 line), "g2" (1 line), "g3" (1 line) and 2 more; --groups lists all' in said


def test_with_several_groups_one_can_be_chosen() -> None:
    said = advice([summarise("all.json", [BROKER, CLIENT, row(None, Program.JAVA, group="other")])])
    assert 'groups: "g" (2 lines), "other" (1 line)' in said
    assert said[-1].endswith("; --group NAME imports one group")


def test_where_nothing_is_recognised_the_lines_needed_are_named() -> None:
    (sentence,) = advice([LogSummary("app.log")])
    assert "kafka.coordinator.group" in sentence
    assert "org.apache.kafka.clients.consumer" in sentence


def test_a_log_of_any_number_of_groups_needs_bounded_memory() -> None:
    found = summarise("b.log", (row(None, Program.BROKER, group=f"g{number}") for number in range(12_000)))
    assert len(found.groups) == 10_000
    assert found.broker_rows == 12_000


def test_the_lines_that_are_missing_are_those_of_the_library() -> None:
    said = missing([summarise("c.log", [structs.replace(CLIENT, kind=RowKind.POLL_TIMEOUT, detail={})])])
    assert said[0].endswith("export what librdkafka logs with debug=cgrp")


@pytest.mark.parametrize("kind", [RowKind.CGRP_STATE, RowKind.JOINING, RowKind.HEARTBEAT_SENT])
def test_a_log_that_has_the_steps_of_a_join_is_not_asked_for_again(kind: RowKind) -> None:
    said = missing([summarise("c.log", [structs.replace(CLIENT, kind=kind, detail={})])])
    assert said[0].endswith("export more of the same logs: in these lines no member is given anything")


def test_what_is_asked_of_members_is_what_their_library_logs() -> None:
    def asked(*members: str) -> str:
        rows = [structs.replace(BROKER, member=f"{member}-4bbb8859-cf4e-4d2b-8f5f-f5b5d9167829") for member in members]
        (sentence,) = missing([summarise("b.log", rows)])
        return sentence.partition("; export ")[2]

    assert asked("rdkafka") == "the members' logs too: what librdkafka logs with debug=cgrp"
    assert asked("rdkafka", "kafka-python-2.0.2").startswith(
        "the members' logs too: the lines of kafka.coordinator and"
    )
    assert asked("rdkafka", "orders").startswith("the lines of org.apache.kafka.clients.consumer too (Java;")


@pytest.mark.parametrize("member", ["connect-1-4bbb8859", "sr-1-4bbb8859"])
def test_nothing_is_missing_of_a_group_whose_members_share_no_partitions(member: str) -> None:
    assert missing([summarise("b.log", [structs.replace(BROKER, member=member)])]) == []
    assert missing([summarise("b.log", [structs.replace(BROKER, member=member), structs.replace(BROKER, group="h")])])


def test_rows_without_any_time_are_not_imported_but_exported_again() -> None:
    said = advice([summarise("c.log", [structs.replace(CLIENT, at=None)])])
    assert said[-1].startswith("next: export the logs again, with times")
    assert any("--date" in sentence for sentence in said)


def test_what_is_said_of_many_files_is_said_once() -> None:
    same = [f"/logs/p{number}.json: read as JSON" for number in range(6)]
    assert folded([*same, "a.log: damaged", "b.log: damaged", "plain"]) == [
        "6 files (p0.json, p1.json, p2.json, p3.json and 2 more): read as JSON",
        "a.log: damaged",
        "b.log: damaged",
        "plain",
    ]
