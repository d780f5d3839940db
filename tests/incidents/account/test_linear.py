"""The work of an account grows with its rebalances, not with their square."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from groupsim.incidents.account.accounts import accounts_of
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.rows import Reading
from tests.incidents.written_logs import stamped
from tests.thinned import ALL

_COORDINATOR = "[GroupCoordinator id=1 topic=__consumer_offsets partition=7]"
_MANAGER = "(org.apache.kafka.coordinator.group.GroupMetadataManager)"
_CONSUMER = "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"


def _client(name: str, said: str) -> str:
    return f"[Consumer clientId={name}, groupId=billing] {said} {_CONSUMER}"


def _generation(number: int, member: str) -> str:
    return f"Generation{{generationId={number}, memberId='{member}', protocol='range'}}"


def _joins(name: str, member: str, number: int, at: int, partition: int, revoked: bool) -> list[str]:
    said = [f"Revoke previously assigned partitions orders-{partition}"] if revoked else []
    said += ["(Re-)joining group", f"Successfully joined group with generation {_generation(number, member)}"]
    said += [f"Successfully synced group in generation {_generation(number, member)}"]
    said += [f"Adding newly assigned partitions: orders-{partition}"]
    return [stamped(at + place, _client(name, each)) for place, each in enumerate(said)]


def _broker(number: int, at: int, *removed: str) -> list[str]:
    said = [f"Member {member} in group billing has failed, removing it from the group." for member in removed]
    said += [
        f"Preparing to rebalance group billing in state PreparingRebalance with old generation {number - 1} (reason:"
        " x).",
        f"Stabilized group billing generation {number} with 2 members.",
        f"Assignment received from leader a-1 for group billing for generation {number}. The group has 2 members, 0 of"
        " which are static.",
    ]
    return [stamped(at, f"{_COORDINATOR} {each} {_MANAGER}") for each in said]


def _write(folder: Path, logs: dict[str, list[str]]) -> Reading:
    for name, lines in logs.items():
        (folder / name).write_text("".join(line + "\n" for line in lines))
    return read_files([folder / name for name in logs])


def same_members(folder: Path, rebalances: int, *, broker: bool) -> Reading:
    """Two members that rebalance again and again."""
    logs: dict[str, list[str]] = {name: [] for name in ("a.log", "b.log", *(["broker.log"] if broker else []))}
    for number in range(1, rebalances + 1):
        at = number * 10_000
        for place, name in enumerate("ab"):
            logs[f"{name}.log"] += _joins(name, f"{name}-1", number, at, place, revoked=number > 1)
        if broker:
            logs["broker.log"] += _broker(number, at + 2)
    return _write(folder, logs)


def other_members(folder: Path, rebalances: int, *, broker: bool) -> Reading:
    """A member that stays, and a client that dies and comes back before each rebalance."""
    logs: dict[str, list[str]] = {name: [] for name in ("a.log", "b.log", *(["broker.log"] if broker else []))}
    subscribed = "Subscribed to topic(s): orders"
    for number in range(1, rebalances + 1):
        at = number * 10_000
        logs["a.log"] += _joins("a", "a-1", number, at, 0, revoked=number > 1)
        logs["b.log"] += [
            stamped(at - 9, _client("b", subscribed)),
            stamped(at - 8, _client("b", "Discovered group coordinator k:1 (id: 1 rack: null)")),
        ]
        logs["b.log"] += _joins("b", f"b-{number}", number, at, 1, revoked=False)
        if broker:
            logs["broker.log"] += _broker(number, at + 2, *([f"b-{number - 1}"] if number > 1 else []))
    return _write(folder, logs)


def same_place(folder: Path, starts: int, *, broker: bool) -> Reading:
    """A member that stays, and a static one that is started again and again within one generation (KIP-345)."""
    logs = {"a.log": _joins("a", "a-1", 1, 1_000, 0, revoked=False), "b.log": []}
    if broker:
        logs["broker.log"] = _broker(1, 1_002)
    for number in range(starts):
        at = 10_000 * (number + 2)
        said = [
            stamped(at - 9, _client("b", "Subscribed to topic(s): orders")),
            stamped(at - 8, _client("b", "Discovered group coordinator k:1 (id: 1 rack: null)")),
            *_joins("b", f"b-{number}", 1, at, 1, revoked=False),
        ]
        logs["b.log"] += [line.replace("[Consumer ", "[Consumer instanceId=b, ") for line in said]
        if broker and number:
            replaced = (
                "Static member with groupInstanceId=b and unknown member id joins group billing in Stable state."
                f" Replacing previously mapped member b-{number - 1} with this groupInstanceId."
            )
            logs["broker.log"].append(stamped(at + 1, f"{_COORDINATOR} {replaced} {_MANAGER}"))
    return _write(folder, logs)


def refused(folder: Path, times: int, *, broker: bool) -> Reading:
    """A member that was silent, and whose requests are refused again and again since."""
    lines = _joins("a", "a-1", 1, 1_000, 0, revoked=False)
    for number in range(times):
        said = [
            "Request joining group due to: encountered UNKNOWN_MEMBER_ID from HEARTBEAT response",
            "Lost previously assigned partitions orders-0",
        ]
        lines += [stamped(20_000 + 100 * number + place, _client("a", each)) for place, each in enumerate(said)]
    return _write(folder, {"a.log": lines, **({"broker.log": _broker(1, 1_002)} if broker else {})})


def _calls(reading: Reading) -> int:
    """How many functions run to make the account and to ask it for its bounds."""
    calls = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call" and "/incidents/" in frame.f_code.co_filename

    sys.setprofile(count)
    try:
        (account,) = accounts_of(reading)
        for partition in account.named:
            account.surely_available(partition)
            account.possibly_available(partition)
    finally:
        sys.setprofile(None)
    return calls


STORIES = [same_members, other_members, same_place, refused]
CASES = [(story, (at + turn) % 2 == 0) for turn in range(2) for at, story in enumerate(STORIES)]
"""The first half has every story, with the broker's log or without it."""


@pytest.mark.parametrize(("story", "broker"), CASES if ALL else CASES[: len(STORIES)])
def test_twice_the_rebalances_are_twice_the_work(story: Callable[..., Reading], broker: bool, tmp_path: Path) -> None:
    calls = []
    for rebalances in (40, 80, 160):
        (folder := tmp_path / str(rebalances)).mkdir()
        calls.append(_calls(story(folder, rebalances, broker=broker)))
    assert calls[1] < 2.1 * calls[0]
    assert calls[2] < 2.1 * calls[1]
