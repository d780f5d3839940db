"""Known defects: each is recognised in its example, and in no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.known import DEFECTS
from groupsim.diagnosis.to_text import as_text
from groupsim.incidents.logs.reading import read_files
from tests.diagnosis.scoring import fragments

_BROKER = (
    "[2024-03-04 10:00:{s:02d},40{n}] INFO [GroupCoordinator 0]: {text} (kafka.coordinator.group.GroupCoordinator)\n"
)
_UUID = "7fdb63ba-4fba-432d-9af3-89411c63d4c"


def _rebalances_that_end_at_once() -> str:
    lines = []
    for nth in range(5):
        start = (
            f"Preparing to rebalance group orders in state PreparingRebalance with old generation {nth + 7}"
            f" (__consumer_offsets-7) (reason: Adding new member web-{nth % 2}-{_UUID}{nth} with group instanceid None)"
        )
        end = f"Stabilized group orders generation {nth + 8} (__consumer_offsets-7)"
        lines += [_BROKER.format(s=5 * nth, n=0, text=start), _BROKER.format(s=5 * nth, n=1, text=end)]
    return "".join(lines)


_JOINS_ELECTED = (
    '%7|1709546399.000|JOINGROUP|web#consumer-1| [thrd:main]: Elected leader for group "orders" with 2 member(s)\n'
)
EXAMPLES = {
    "KAFKA-8653": _rebalances_that_end_at_once(),
    "confluent-kafka-dotnet#1369": _JOINS_ELECTED
    + "web: rdkafka_roundrobin_assignor.c:97: rd_kafka_roundrobin_assignor_assign_cb: Assertion"
    " `next < rd_list_cnt(&eligible_topic->members)' failed.\n",
    "aiokafka#727": "2024-03-04 10:00:01,000 INFO aiokafka.consumer.group_coordinator: (Re-)joining group orders\n"
    "2024-03-04 10:00:04,000 ERROR aiokafka.consumer.group_coordinator: OffsetCommit failed for group orders due to"
    " group error ([Error 25] UnknownMemberIdError: orders), will rejoin\n"
    "2024-03-04 10:00:04,020 INFO aiokafka.consumer.group_coordinator: Successfully synced group orders with"
    " generation -1\n",
    "ruby-kafka#941": "".join(
        f"E, [2024-03-04T10:00:{s}.100000 #11] ERROR -- : [[orders] {{}}:] {text}\n"
        for s in (15, 26, 37)
        for text in (
            "[join_group] Timed out while waiting for response 2",
            "Connection error while trying to join group `orders`; retrying...",
        )
    ),
}


@pytest.mark.parametrize("id_", DEFECTS)
def test_a_known_defect_is_named_in_its_example_and_in_no_other(id_: str, tmp_path: Path) -> None:
    path = tmp_path / "example.log"
    path.write_text(EXAMPLES[id_], encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    known = {finding.known for group in explanation.groups for finding in group.findings} - {None}
    assert known == {id_}
    said = [line for line in as_text(explanation) if line.startswith("  known defect (possible): ")]
    assert len(said) == 1
    assert f"{id_} in {DEFECTS[id_].library}" in said[0]


def test_a_rebalance_that_waits_for_its_members_shows_no_defect(tmp_path: Path) -> None:
    path = tmp_path / "example.log"
    path.write_text(EXAMPLES["KAFKA-8653"].replace(",401]", ",900]"), encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    assert not [f.known for group in explanation.groups for f in group.findings if f.known]


def test_fragments_of_recorded_and_simulated_logs_show_no_defect(tmp_path: Path) -> None:
    for labelled in fragments(tmp_path, every=4):
        explanation = explain_reading(read_files(labelled.files))
        found = [f.known for group in explanation.groups for f in group.findings if f.known] if explanation else []
        assert not found, labelled.name
