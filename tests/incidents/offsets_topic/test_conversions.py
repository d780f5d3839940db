"""A group that changes its protocol: each generation and epoch is one rebalance, of the topic alone and beside logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groupsim.analysis.timelines.builder import rebalances
from groupsim.events import consumer as k
from groupsim.events.base import Recorded
from tests.incidents.imported import import_logs, of
from tests.incidents.lines import stamped
from tests.incidents.offsets_topic.dumps import CLASSIC, Records, generation, write_records

_COORDINATOR = "[GroupCoordinator id=1 topic=__consumer_offsets partition=0] "
_MANAGER = " (org.apache.kafka.coordinator.group.GroupMetadataManager)"
_OLD, _NEW = ("c1-a", "c2-b"), "QWxpY2U"
_GROUP = {"groupId": "billing"}


def _member(name: str, *, classic: bool) -> tuple[int, dict[str, Any], dict[str, Any]]:
    about = {"clientId": name[:2], "subscribedTopicNames": ["orders"], "rebalanceTimeoutMs": 10_000}
    return 5, {**_GROUP, "memberId": name}, {**about, "classicMemberMetadata": {} if classic else None}


def _target(epoch: int, targets: dict[str, list[int]]) -> Records:
    found: Records = [
        (7, {**_GROUP, "memberId": member}, {"topicPartitions": [{"topicId": "T", "partitions": numbers}]})
        for member, numbers in targets.items()
    ]
    return [*found, (6, _GROUP, {"assignmentEpoch": epoch})]


def _current(member: str, epoch: int, before: int, state: int, numbers: list[int]) -> Records:
    held = [{"topicId": "T", "partitions": numbers}] if numbers else []
    step = {"memberEpoch": epoch, "previousMemberEpoch": before, "state": state, "assignedPartitions": held}
    return [(8, {**_GROUP, "memberId": member}, {**step, "partitionsPendingRevocation": []})]


def _topic(path: Path) -> Path:
    """Two classic members, one of the consumer protocol comes and goes again."""
    first = {"c1-a": [0, 1], "c2-b": [2, 3]}
    upgrade: Records = [(2, CLASSIC, None), *(_member(name, classic=True) for name in _OLD)]
    upgrade += [(3, _GROUP, {"epoch": 1}), *_target(1, first)]
    upgrade += [each for name in _OLD for each in _current(name, 1, 1, 0, first[name])]
    upgrade += [_member(_NEW, classic=False), (3, _GROUP, {"epoch": 2})]
    upgrade += _target(2, {"c1-a": [0, 1], "c2-b": [2], _NEW: [3]})
    upgrade += _current(_NEW, 2, 0, 2, [])
    gone: Records = [(kind, {**_GROUP, "memberId": name}, None) for kind in (8, 7, 5) for name in (*_OLD, _NEW)]
    gone += [(6, _GROUP, None), (3, _GROUP, None)]
    batches = {
        1: generation(1, 1, first),
        5.02: upgrade,
        5.5: _current("c1-a", 2, 1, 0, [0, 1]),
        5.6: _current("c2-b", 2, 1, 0, [2]),
        6: _current(_NEW, 2, 2, 0, [3]),
        9.02: [*gone, *generation(9.02, 2, {"c1-a": [0, 1], "c2-b": [2]})],
        10.5: generation(10.5, 3, first),
    }
    return write_records(path, batches)


def _log(path: Path) -> Path:
    in_group = "[GroupId billing] "
    said = [
        (0.9, "Preparing to rebalance group billing in state PreparingRebalance with old generation 0 (reason:"
              " Adding new member c1-a with group instance id null)."),
        (0.98, "Stabilized group billing generation 1 with 2 members."),
        (1.0, "Assignment received from leader c1-a for group billing for generation 1. The group has 2 members, 0 of"
              " which are static."),
        (5.0, f"{in_group}Converted the classic group to a consumer group."),
        (5.0, f"{in_group}Member {_NEW} joins the consumer group using the consumer protocol."),
        (5.0, f"{in_group}Bumped group epoch to 2 with metadata hash 4."),
        (5.013, f"{in_group}Computed a new target assignment for epoch 2 with 'uniform' assignor in 8ms."),
        (9.0, f"{in_group}Member {_NEW} left the consumer group."),
        (9.0, "Preparing to rebalance group billing in state PreparingRebalance with old generation 2 (reason:"
              " Downgrade group billing from consumer to classic for member leaving.)."),
        (9.0, f"{in_group}Converted the consumer group to a classic group."),
        (10.48, "Stabilized group billing generation 3 with 2 members."),
        (10.5, "Assignment received from leader c1-a for group billing for generation 3. The group has 2 members, 0 of"
               " which are static."),
    ]  # fmt: skip
    path.write_text("".join(stamped(second, f"{_COORDINATOR}{text}{_MANAGER}") + "\n" for second, text in said))
    return path


def _table(facts: list[Recorded]) -> list[tuple[int | None, str, int | None, int | None]]:
    return [(each.generation, str(each.cause), each.duration_ms, each.members) for each in rebalances(facts)]


def test_a_conversion_is_no_rebalance_of_its_own_in_the_topic(tmp_path: Path) -> None:
    _, facts = import_logs(_topic(tmp_path / "d.gz"))
    assert _table(facts) == [
        (1, "member-joined", 20, 2),
        (2, "member-joined", 980, 3),
        (3, "downgraded", 1_480, 2),
    ]
    (upgraded,), (downgraded,) = of(facts, k.GroupUpgraded), of(facts, k.GroupDowngraded)
    assert (upgraded.generation, downgraded.generation) == (1, 2)
    assert {member: [tp.partition for tp in held] for member, held in upgraded.assignment.items()} == {
        "c1-a": [0, 1],
        "c2-b": [2, 3],
    }


def test_the_topic_beside_a_broker_s_log_has_the_log_s_rebalances_and_what_they_moved(tmp_path: Path) -> None:
    topic, log = _topic(tmp_path / "d.gz"), _log(tmp_path / "broker.log")
    _, by_log = import_logs(log)
    _, by_both = import_logs(topic, log)
    assert [row[:2] for row in _table(by_log)] == [(1, "member-joined"), (2, "member-joined"), (3, "downgraded")]
    assert _table(by_both) == [
        (1, "member-joined", 100, 2),
        (2, "member-joined", 1_000, 3),
        (3, "downgraded", 1_500, 2),
    ]
    assert [(each.moved, each.revoked) for each in rebalances(by_both)] == [(0, 0), (1, 1), (1, 0)]
    assert [each.cause for each in of(by_both, k.ConsumerMemberRemoved)] == ["left"]
