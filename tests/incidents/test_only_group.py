"""Rows that name no group: of the only one of their log, of the one that is asked for, else of nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.reading import Wanted, read_files
from tests.incidents.imported import import_logs
from tests.incidents.lines import CLASS, CLIENT, stamped, write

JOINED = "2024-03-01 10:00:00,000 INFO Successfully joined group billing with generation 4"
SUBSCRIBED = "2024-03-01 09:59:59,000 INFO Updating subscribed topics to: ('orders',)"
OTHER = "2024-03-01 10:00:09,000 INFO Successfully joined group orders with generation 4"
KAFKAJS = (
    '{"level":"ERROR","timestamp":"2024-03-01T10:00:00.250Z","logger":"kafkajs","message":"[Connection] Response'
    ' Heartbeat(key: 12, version: 3)","clientId":"c1","error":"The group is rebalancing, so a rejoin is needed"}'
)


def groups_of(log: Path) -> list[str | None]:
    reading = read_files([log])
    return [row.group for row in (*reading.context, *reading.rows)]


def test_in_a_log_of_one_client_of_one_group_every_row_is_of_it(tmp_path: Path) -> None:
    assert groups_of(write(tmp_path, SUBSCRIBED, JOINED)) == ["billing", "billing"]


def test_in_a_log_of_two_groups_nobody_knows(tmp_path: Path) -> None:
    assert groups_of(write(tmp_path, SUBSCRIBED, JOINED, OTHER)) == [None, "billing", "orders"]


def test_in_a_log_of_two_clients_nobody_knows(tmp_path: Path) -> None:
    two = [stamped(at, CLIENT[len(stamped(0, "")) :] + "(Re-)joining group" + CLASS) for at in (0, 1)]
    lines = [two[0], two[1].replace("clientId=c1", "clientId=c2"), SUBSCRIBED]
    assert sorted(groups_of(write(tmp_path, *lines)), key=str) == [None, "billing", "billing"]


def test_where_no_line_names_a_group_the_one_asked_for_is_meant(tmp_path: Path) -> None:
    log = write(tmp_path, KAFKAJS)
    (row,) = read_files([log], wanted=Wanted(groups=frozenset(["billing"]))).rows
    assert row.group == "billing"


def test_a_log_with_times_and_no_group_is_refused_for_the_group(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"no line names its consumer group: 1 line .* with times; give .* --group"):
        import_logs(write(tmp_path, KAFKAJS))


def test_a_log_without_times_is_refused_for_its_times(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="none has a time"):
        import_logs(write(tmp_path, JOINED[24:]))


def test_one_line_that_lost_its_time_does_not_refuse_a_log(tmp_path: Path) -> None:
    rest = [JOINED.replace("joined", "synced"), JOINED.replace("00:00", "00:05")]
    result, _ = import_logs(write(tmp_path, JOINED[24:], *rest))
    assert any("line 1 is about a group and has no time" in str(why) for why in result.run.summary.values())
    with pytest.raises(LogError, match="2 of the 4 rows that a client wrote about groups have no time"):
        import_logs(write(tmp_path, JOINED[24:], JOINED[24:], *rest))
