"""`__consumer_offsets` at the command line: import, read, lag, and what it can't answer."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

from tests.cli.conftest import Call

DUMP = Path(__file__).parents[1] / "golden" / "offsets-topic" / "dev-classic-3.dump.txt.gz"
GROUP = "s03-one-closes.range.d0.r1"


def _group(call: Call) -> str:
    """The full id of the group: what the import names when none is chosen."""
    said = call("incident", "import", str(DUMP))
    assert said.status == 2
    assert "8 groups; choose with --group" in said.err
    return next(word for word in said.err.replace(",", " ").split() if word.startswith(GROUP))


def test_a_group_of_a_dump_becomes_a_run_with_both_bounds_and_what_is_known(call: Call) -> None:
    group = _group(call)
    said = call("incident", "import", str(DUMP), "--group", group, "--format", "json")
    unavailable = json.loads(said.out)["unavailable"]
    assert said.status == 0
    assert unavailable["partition_ms"] is None
    assert 0 < unavailable["known_share"] < 1
    assert 0 < unavailable["at_least_partition_ms"] < unavailable["at_most_partition_ms"]
    table = call("unavailable", "latest", "--by", "label")
    assert table.status == 1
    assert "partition-seconds (" in table.err
    assert "% of all partition time is known): `__consumer_offsets` shows" in table.err
    assert call("rebalances", "latest").out.count(group) >= 3
    assert call("timeline", "latest").status == 0
    assert call("report", "latest").status == 0
    assert call("export", "latest", "--to", "exported").status == 0


def test_a_part_of_a_run_has_bounds_of_its_own_and_blame_adds_up_to_the_lower_one(call: Call) -> None:
    imported = call("incident", "import", str(DUMP), "--group", _group(call), "--format", "json")
    whole = json.loads(imported.out)["unavailable"]
    rows = json.loads(call("blame", "latest", "--format", "json").out)
    assert sum(row["partition_ms"] for row in rows) == whole["after_start"]["at_least_partition_ms"]
    bounds = r"at least ([\d.]+) and at most ([\d.]+) partition-seconds"
    end = json.loads(imported.out)["simulated_ms"]
    sums = [0.0, 0.0]
    for begin, until in ((0, end // 3), (end // 3, end)):
        said = call("unavailable", "latest", "--between", str(begin), str(until))
        found = re.search(bounds, said.err)
        assert found is not None
        sums = [total + float(number) for total, number in zip(sums, found.groups(), strict=True)]
    for total, key in zip(sums, ("at_least_partition_ms", "at_most_partition_ms"), strict=True):
        assert abs(total - whole[key] / 1_000) < 0.2


def test_a_what_if_of_the_topic_alone_is_refused_with_the_reason(call: Call) -> None:
    imported = call("incident", "import", str(DUMP), "--group", _group(call))
    assert "whatif" not in imported.err
    said = call("incident", "whatif", "latest", "--assignor", "cooperative-sticky")
    assert said.status == 2
    assert said.err.rstrip().endswith(
        "does not say when its members joined, so there is nothing to replay; import the logs of its members, too"
    )


def test_the_topic_s_commits_make_the_lag_of_a_recorded_run(call: Call) -> None:
    call("incident", "import", str(DUMP), "--group", _group(call))
    said = call("lag", "latest", "--rate", "orders=2", "--every", "5000", "--format", "json")
    rows = json.loads(said.out)
    assert {row["end_is"] for row in rows} == {"rate"}
    assert {row["lag"] for row in rows if row["committed"] is not None} <= set(range(20))
    caught = json.loads(call("lag", "latest", "--catch-up", "--format", "json").out)
    assert {row["partition"] for row in caught} == set(range(12))


def test_ends_in_a_file_are_read_in_both_forms_and_a_wrong_line_is_named(call: Call) -> None:
    call("incident", "import", str(DUMP), "--group", _group(call))
    Path("ends").write_text("orders:0:1000\norders:1:1000\n")
    said = call("lag", "latest", "--ends", "ends", "--every", "100000", "--format", "json")
    assert {row["end_is"] for row in json.loads(said.out) if row["partition"] < 2} == {"given"}
    Path("ends").write_text("instant,topic,partition,offset\n2026-11-22T06:40:00Z,orders,0,900\nyesterday,orders,0,1\n")
    said = call("lag", "latest", "--ends", "ends")
    assert (said.status, "ends:3: expected instant,topic,partition,offset" in said.err) == (2, True)


def test_a_run_without_commits_has_no_lag(call: Call, tmp_path: Path) -> None:
    log = tmp_path / "broker.log"
    log.write_text(
        "[2024-01-01 10:00:00,000] INFO [GroupCoordinator 1]: Preparing to rebalance group g in state"
        " PreparingRebalance with old generation 0 (__consumer_offsets-1) (reason: Adding new member m-1 with group"
        " instance id None) (kafka.coordinator.group.GroupCoordinator)\n"
        "[2024-01-01 10:00:03,000] INFO [GroupCoordinator 1]: Stabilized group g generation 1 (__consumer_offsets-1)"
        " with 1 members (kafka.coordinator.group.GroupCoordinator)\n"
    )
    call("incident", "import", str(log))
    said = call("lag", "latest")
    assert (said.status, "has no commits" in said.err) == (2, True)


def test_what_a_dump_says_is_listed_like_the_lines_of_a_broker(call: Call) -> None:
    said = call("incident", "read", str(DUMP), "--format", "jsonl")
    kinds = [json.loads(line)["kind"] for line in said.out.splitlines()]
    assert {"rebalance_start", "stabilized", "stored_assignment", "member_gone"} <= set(kinds)
    assert "records of __consumer_offsets: " in said.err


def test_the_topic_with_a_broker_s_log_is_not_called_broker_logs_only(call: Call, tmp_path: Path) -> None:
    log, group = tmp_path / "broker.log", _group(call)
    rows = json.loads(call("incident", "read", str(DUMP), "--format", "json").out)
    last = max(row["at"] for row in rows if row["group"] == group)
    log.write_text(
        f"[{last[:10]} {last[11:-1].replace('.', ',')}] INFO [GroupCoordinator id=1] Member m1-7 in group {group} has"
        " failed, removing it from the group (kafka.coordinator.group.GroupCoordinator)\n"
    )
    alone = call("incident", "import", str(log), "--group", group)
    assert "only broker logs were given, and in them 1 session of members timed out" in alone.out
    both = call("incident", "import", str(DUMP), str(log), "--group", group)
    assert "no client logs were given, and in those of brokers 1 session of members timed out" in both.out
    assert "only broker logs" not in both.out


def test_the_topic_alone_does_not_say_who_was_slowest(call: Call) -> None:
    call("incident", "import", str(DUMP), "--group", _group(call))
    rows = json.loads(call("rebalances", "latest", "--format", "json").out)
    assert {row["slowest_member"] for row in rows if row["took"]} == {None}
    assert any(row["took"] for row in rows)


def test_a_part_of_a_run_may_be_named_by_the_instants_of_the_column_at(call: Call) -> None:
    imported = call("incident", "import", str(DUMP), "--group", _group(call), "--format", "json")
    origin = json.loads(imported.out)["origin"]
    begin = datetime.fromisoformat(origin)
    instants = [f"{begin + timedelta(milliseconds=ms):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z" for ms in (2_000, 9_000)]
    for command in ("unavailable", "blame"):
        named = call(command, "latest", "--between", *instants, "--format", "json")
        counted = call(command, "latest", "--between", "2000", "9000", "--format", "json")
        assert (named.out, named.err) == (counted.out, counted.err)
        assert call(command, "latest", "--between", "2000", instants[1], "--format", "json").out == named.out
    wrong = call("unavailable", "latest", "--between", "noon", "9000")
    said = "--between 'noon': expected milliseconds since the start of the run, or an instant, UTC: "
    assert (wrong.status, wrong.err) == (2, f"groupsim: {said}{origin}\n")
    backwards = call("blame", "latest", "--between", "9000", instants[0])
    assert (backwards.status, "the first must be less than the second" in backwards.err) == (2, True)


def test_a_simulated_run_has_no_instants(call: Call) -> None:
    call("run", "steady_state", "--set", "duration.ms=1000", "--set", "members=1")
    refused = call("unavailable", "latest", "--between", "0", "2026-11-22T06:38:11Z")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "expected milliseconds since the start of the run, a whole number" in refused.err


def test_a_member_that_went_is_the_answer_and_no_line_of_a_segment_is_printed(call: Call) -> None:
    """The topic keeps who is a member, and not why; what stands in a segment is no text."""
    segments = Path(__file__).parents[2] / "examples" / "offsets-topic"
    killed = "s04-kill9.range.d0.r1.a50"
    said = call("import", str(segments), "--group", killed, "--until", "2026-11-22T06:38:30").out
    assert said.startswith("m2 went: closed, or removed when its session ended; `__consumer_offsets` does not show")
    explained = call("explain", "latest").out
    assert "session-expired (possible): m2 went" in explained
    assert explained.replace("\n", "").isprintable()
