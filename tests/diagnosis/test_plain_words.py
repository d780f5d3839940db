"""What a screen says of lines that name no year, no member, or one event twice."""

from __future__ import annotations

from pathlib import Path

from groupsim.diagnosis.to_text import as_text
from tests.diagnosis.small_logs import explained
from tests.diagnosis.test_sentences import BROKER, FAILED, at


def test_a_year_that_no_line_prints_is_not_invented(tmp_path: Path) -> None:
    glog = "W0612 09:15:2{}.000000   12 ] topic=t, lvl=7, facility=HEARTBEAT, msg=[thrd:main]: Heartbeat failed:"
    refused = "REBALANCE_IN_PROGRESS: group is rebalancing"
    shown = list(as_text(explained(tmp_path, *(f"{glog.format(n)} {refused}" for n in (1, 4)))))
    assert "  when: 06-12 09:15:21 to 09:15:24" in shown


def test_a_member_without_a_name_is_that_member(tmp_path: Path) -> None:
    lines = [
        at(0, BROKER + "Stabilized group g generation 4 (__consumer_offsets-1) with 1 members"),
        at(12, FAILED.format("***", "g")),
    ]
    assert explained(tmp_path, *lines).answer.endswith("; read the end of that member's log.")


def test_one_event_is_one_block(tmp_path: Path) -> None:
    fails = (
        "E, [2026-03-01T10:00:{:02}.000000 #7] ERROR -- : [[g] {{}}:] Connection error while trying to join group `g`"
    )
    joins = "I, [2026-03-01T10:00:{:02}.000000 #7]  INFO -- : [[g] {{}}:] Joining group `g`"
    lines = [line.format(3 * n + k) for n in range(4) for k, line in enumerate((joins, f"{fails}; retrying..."))]
    shown = list(as_text(explained(tmp_path, *lines)))
    assert len([line for line in shown if line == "  lines:"]) == 1
    assert not [line for line in shown if "connection-lost" in line]


def test_a_group_that_rebalanced_often_needs_more_of_the_brokers_log(tmp_path: Path) -> None:
    loaded = "[GroupMetadataManager brokerId=1] Loading group metadata for g with generation 40321"
    (first, *_) = explained(tmp_path, at(0, loaded), at(1, loaded.replace("for g", "for g2"))).groups
    assert first.findings[0].do[0].brief == "read more of the broker's log"


def test_a_line_of_one_stream_of_several_is_shown_as_it_stands_in_their_file(tmp_path: Path) -> None:
    lines = [
        "app-1    | hello",
        "kafka-1  | " + at(0, BROKER + "Stabilized group g generation 4 (__consumer_offsets-1) with 1 members"),
        "app-1    | hello again",
        "kafka-1  | " + at(12, FAILED.format("app-0a1b", "g")),
        "app-1    | bye",
    ]
    shown = list(as_text(explained(tmp_path, *lines)))
    assert f"    some.log[kafka-1]:4  {lines[3]}" in shown
