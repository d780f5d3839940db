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


def test_what_a_topic_would_give_is_computed_group_by_group(call: Call, tmp_path: Path) -> None:
    called = call("incident", "import", _log(tmp_path))
    assert _unknown(called.out).endswith("unknown: no log names a partition")
    assert '`--group NAME --topic NAME=PARTITIONS` makes the total known, of groups "audit", "billing"' in called.err
    alone = call("incident", "import", _log(tmp_path), "--group", "audit")
    assert "`--topic NAME=PARTITIONS` makes the total known\n" in alone.err
    assert "(100.00 %" not in _unknown(alone.out)
    assert "makes the total known" not in call("incident", "import", _log(tmp_path), "--topic", "t=1").err


def test_what_is_left_out_names_the_command_that_lists_it(call: Call, tmp_path: Path) -> None:
    """And the same of a stored run by the command that was asked."""
    said = call("incident", "import", _log(tmp_path), "--topic", "t=6", "--group", "audit").err
    assert "and what was assumed: `groupsim import --notes` lists them\n" in said
    assert "\nwhat would" not in said
    later = call("unavailable", "latest").err
    assert "and what was assumed: `groupsim unavailable --notes` lists them\n" in later


def test_a_question_to_ask_next_is_not_printed_as_an_answer(call: Call) -> None:
    logs = sorted(map(str, (Path(__file__).parents[2] / "examples/incidents/kill9-range").glob("*")))
    said = call("incident", "import", *logs).err
    assert "\nto test what would have helped: groupsim whatif " in said
    assert "\nto test what the consumer protocol would change: groupsim whatif " in said
    assert "lines not recognised; `groupsim import --unrecognised` lists them\n" in said


def test_a_topic_is_not_promised_to_make_known_what_stays_unknown(call: Call, tmp_path: Path) -> None:
    head = "Loaded member MemberMetadata(memberId=m1-1, groupInstanceId=None, clientId=m1, clientHost=/10.0.1.45,"
    said = f"{head} sessionTimeoutMs=30000, rebalanceTimeoutMs=30000, supportedProtocols=List(range)) in group audit"
    called = call("incident", "import", str(write(tmp_path, stamped(0, f"{said} with generation 4."))))
    assert "no log names a partition" in _unknown(called.out)
    assert "--topic" not in called.err


def test_a_group_of_workers_has_no_partitions_to_ask_for(call: Call, tmp_path: Path) -> None:
    text = Path(_log(tmp_path)).read_text().replace(M1, "connect-1-7").replace("billing", "connect-x")
    log = write(tmp_path, *[line for line in text.splitlines(keepends=True) if "audit" not in line])
    called = call("incident", "import", str(log))
    assert 'unknown: group "connect-x" is of Kafka Connect, and which connectors and tasks' in _unknown(called.out)
    assert _unknown(called.out).endswith("export the logs of all workers")
    assert not {"missing:", "whatif", "--topic"} & set(called.err.split())


def test_a_topic_is_also_said_not_to_be_used_where_logs_name_others(call: Call, tmp_path: Path) -> None:
    added = f"[Consumer clientId=c2, groupId=audit] Adding newly assigned partitions: orders-0{CLASS}"
    client = str(write(tmp_path, stamped(15, added), name="c2.log"))
    imported = call("incident", "import", _log(tmp_path), client, "--topic", "t=6", "--topic", "orders=3", "--notes")
    assert "`--topic t=6` was not used: no log says which of the 2 groups (audit, billing) reads it" in imported.err
