"""`--topic` with logs of several groups: where it is not used, the sentences say so, and what would be needed."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Call
from tests.incidents.imported import BROKER
from tests.incidents.lines import CLASS, M1, M2, OLD, stamped, write


def _log(folder: Path) -> str:
    said = [
        stamped(second + 10 * place, BROKER + text.format(group=group, member=member) + OLD)
        for place, (group, member) in enumerate([("billing", M1), ("audit", M2)])
        for second, text in (
            (
                0,
                "Preparing to rebalance group {group} in state PreparingRebalance with old generation 0"
                " (reason: Adding new member {member} with group instance id None) ",
            ),
            (1, "Stabilized group {group} generation 1 (__consumer_offsets-7) with 1 members "),
            (2, "Assignment received from leader {member} for group {group} for generation 1. "),
            (9, "Group {group} with generation 2 is now empty "),
        )
    ]
    return str(write(folder, *said))


def _unknown(called: str) -> str:
    return next(line for line in called.splitlines() if line.startswith("unavailable"))


def test_a_topic_that_no_group_is_known_to_read_is_said_not_to_be_used(call: Call, tmp_path: Path) -> None:
    line = _unknown(call("incident", "import", _log(tmp_path), "--topic", "t=6").out)
    assert "`--topic t=6` was not used: no log says which of the 2 groups (audit, billing) reads it" in line
    assert "; import one group, with `--group NAME`" in line
    assert "makes it known" not in line


def test_one_group_with_its_topic_is_enough(call: Call, tmp_path: Path) -> None:
    line = _unknown(call("incident", "import", _log(tmp_path), "--topic", "t=6", "--group", "audit").out)
    assert "partition-seconds" in line
    assert "--topic" not in line


def test_of_several_groups_a_topic_alone_is_not_promised_to_help(call: Call, tmp_path: Path) -> None:
    line = _unknown(call("incident", "import", _log(tmp_path)).out)
    assert "no log names a partition; of one group, `--group NAME --topic NAME=PARTITIONS` makes it known" in line


def test_of_one_group_the_topic_makes_it_known(call: Call, tmp_path: Path) -> None:
    line = _unknown(call("incident", "import", _log(tmp_path), "--group", "audit").out)
    assert "no log names a partition; `--topic NAME=PARTITIONS` makes it known" in line


def test_a_topic_is_also_said_not_to_be_used_where_logs_name_others(call: Call, tmp_path: Path) -> None:
    added = f"[Consumer clientId=c2, groupId=audit] Adding newly assigned partitions: orders-0{CLASS}"
    client = str(write(tmp_path, stamped(15, added), name="c2.log"))
    imported = call("incident", "import", _log(tmp_path), client, "--topic", "t=6", "--topic", "orders=3", "--notes")
    assert "`--topic t=6` was not used: no log says which of the 2 groups (audit, billing) reads it" in imported.err
