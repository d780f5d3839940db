"""What an owner served while an assignment was in force of which it had not heard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.incidents.imported import BROKER, C1, adding, import_logs, joined_keeping
from tests.incidents.lines import CLASS, M1, stamped, write

_AGAIN = f"{C1}Request joining group due to: group is already rebalancing{CLASS}"
_REVOKED = stamped(9.2, f"{C1}Revoke previously assigned partitions orders-0{CLASS}")
_LOST = stamped(9.2, f"{C1}Lost previously assigned partitions orders-0{CLASS}")
_SECOND = joined_keeping(5, 2)
_THIRD = joined_keeping(9, 3)


def _stored(second: float, generation: int) -> str:
    said = f"Assignment received from leader m2 for group billing for generation {generation}. The group has 2 members"
    return stamped(second, f"{BROKER}{said}, 0 of which are static. (o.a.k.coordinator.group.GroupMetadataManager)")


@pytest.mark.parametrize(
    ("lines", "since"),
    [
        pytest.param([*_SECOND, *_THIRD, _REVOKED], [], id="it got its part of each generation"),
        pytest.param([*_SECOND[:2], *_THIRD, _REVOKED], [5_150], id="it asked to join again before it had its part"),
        pytest.param([*_SECOND[:2], _LOST], [5_150], id="it was removed before it had its part"),
    ],
)
def test_an_owner_that_did_not_get_its_part_may_have_served_what_was_another_ones(
    lines: list[str], since: list[int], tmp_path: Path
) -> None:
    client = write(tmp_path, *joined_keeping(1, 1), adding(1.25, "orders-0"), stamped(4.9, _AGAIN), *lines)
    broker = write(tmp_path, _stored(1.15, 1), _stored(5.15, 2), _stored(9.15, 3), name="b.log")
    result, _ = import_logs(client, broker)
    doubts: list[dict[str, Any]] = result.run.summary["doubts"]  # type: ignore[assignment]
    found = [doubt for doubt in doubts if "did not get its part of generation 2" in doubt["why"]]
    assert [(each["from_ms"], each["to_ms"], each["inexact"]) for each in found] == [
        (each - 1_000, 9_200 - 1_000, True) for each in since
    ]


@pytest.mark.parametrize("got", [False, True], ids=["nobody got it", "it was got"])
def test_an_assignment_that_nobody_got_may_have_been_stored(got: bool, tmp_path: Path) -> None:
    plan = f"{{{M1}=Assignment(partitions=[orders-1]), m2=Assignment(partitions=[])}}"
    sent = stamped(5.15, f"{C1}Finished assignment for group at generation 2: {plan}{CLASS}")
    lines = [
        *joined_keeping(1, 1),
        adding(1.25, "orders-0", "orders-1"),
        stamped(4.9, _AGAIN),
        *joined_keeping(5, 2)[:2],
        sent,
    ]
    lines += [joined_keeping(5, 2)[2]] if got else []
    result, _ = import_logs(write(tmp_path, *lines, *joined_keeping(9, 3), _REVOKED))
    doubts: list[dict[str, Any]] = result.run.summary["doubts"]  # type: ignore[assignment]
    found = [doubt for doubt in doubts if "no log shows whether that was stored" in doubt["why"]]
    said = [(each["from_ms"], each["to_ms"], each["partitions"], each["inexact"]) for each in found]
    assert said == ([] if got else [(4_150, 8_200, [["orders", 0]], True)])
