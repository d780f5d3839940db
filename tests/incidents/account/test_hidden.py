"""What a contradiction between lines hides: one short story for each kind of draw that was false once."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.events.types import TopicPartition
from groupsim.incidents.account.accounts import accounts_of
from groupsim.incidents.account.group import Account
from groupsim.incidents.account.spans import both
from groupsim.incidents.logs.reading import read_files
from tests.incidents.account.test_fragments import COORDINATOR
from tests.incidents.written_logs import BEGINS_MS, stamped

ORDERS = TopicPartition("orders", 0)
_BROKER = "[GroupCoordinator id=1 topic=__consumer_offsets partition=7]"


def _account(folder: Path, logs: dict[str, dict[int, str]]) -> Account:
    """Of logs: by file, what is said at which millisecond of the run."""
    for name, lines in logs.items():
        head = _BROKER if name == "broker" else f"[Consumer {name}, groupId=billing]"
        text = "".join(f"{stamped(at, f'{head} {said} {COORDINATOR}')}\n" for at, said in lines.items())
        (folder / f"{name.rsplit('=', 1)[-1]}.log").write_text(text)
    (account,) = accounts_of(read_files(sorted(folder.iterdir())))
    return account


def _generation(number: int, member: str) -> str:
    return f"Generation{{generationId={number}, memberId='{member}', protocol='range'}}"


def _joins(number: int, member: str, at: int) -> dict[int, str]:
    return {
        at: "(Re-)joining group",
        at + 10: f"Successfully joined group with generation {_generation(number, member)}",
        at + 20: f"Successfully synced group in generation {_generation(number, member)}",
        at + 21: "Adding newly assigned partitions: orders-0",
    }


def _stored(number: int) -> str:
    return (
        f"Assignment received from leader b for group billing for generation {number}. The group has 2 members, 0 of"
        " which are static."
    )


def test_a_member_of_a_generation_that_was_never_stored_has_no_part_before_the_next_one(tmp_path: Path) -> None:
    """A rebalance began again before the leader's assignment came: what the old id had is not the new id's."""
    broker = {
        1_015: _stored(1),
        15_000: "Member a-1 in group billing has failed, removing it from the group.",
        30_015: _stored(3),
    }
    client = {
        0: "Subscribed to topic(s): orders",
        **_joins(1, "a-1", 1_000),
        20_000: "Lost previously assigned partitions orders-0",
        20_001: "(Re-)joining group",
        20_010: f"Successfully joined group with generation {_generation(2, 'a-2')}",
        20_020: "Request joining group due to: group is already rebalancing",
        **_joins(3, "a-2", 30_000),
    }
    account = _account(tmp_path, {"broker": broker, "clientId=a": client})
    surely = account.entitled[account.incarnations[0].name].surely(ORDERS)
    assert both(surely, [(BEGINS_MS + 1_021, BEGINS_MS + 5_000)])
    assert not both(surely, [(BEGINS_MS + 15_000, BEGINS_MS + 30_015)])
    assert both(surely, [(BEGINS_MS + 30_020, BEGINS_MS + 30_021)])


@pytest.mark.parametrize(
    ("name", "line", "shows"),
    [
        ("clientId=b", "Request joining group due to: group is already rebalancing", True),
        ("clientId=b", "(Re-)joining group", True),
        ("instanceId=b, clientId=b", "(Re-)joining group", False),  # answered without a rebalance (KIP-345)
    ],
)
def test_a_rebalance_that_a_members_log_does_not_name_leaves_open_whether_it_runs(
    name: str, line: str, shows: bool, tmp_path: Path
) -> None:
    """It may be its own removal that began it: no broker's log says so."""
    silent = {0: "Subscribed to topic(s): orders", **_joins(1, "a-1", 1_000)}
    other = {
        0: "Subscribed to topic(s): payments",
        30_000: line,
        30_001: "Revoke previously assigned partitions orders-1",
    }
    account = _account(tmp_path, {"clientId=a": silent, name: other})
    own = next(own for own in account.incarnations if own.process.client == "a")
    later = [(BEGINS_MS + 2_000, BEGINS_MS + 30_000)]
    assert bool(both(own.runs.surely(True), later)) is not shows
    assert both(own.runs.possibly(True), later) == later
