"""An account of any piece of a log: without times, of one client, of a broker alone, of lines that name no group."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from groupsim.incidents.account.accounts import NOT_NAMED, accounts_of
from groupsim.incidents.account.group import Account
from groupsim.incidents.account.rules import Place
from groupsim.incidents.account.spans import INF
from groupsim.incidents.account.when import ANY, When
from groupsim.incidents.logs.reading import read_files
from groupsim.simulation.clients.config import CLASSIC, CONSUMER
from tests.incidents.account.draws import draw, written
from tests.incidents.drawn_groups import GROUP, simulated

_STAMP = re.compile(r"^\[[\d-]+ [\d:,]+\] ", re.MULTILINE)
CLIENT = "[Consumer clientId=c1, groupId=billing]"
COORDINATOR = "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
JOINED = "Generation{generationId=7, memberId='c1-x', protocol='range'}"
LINES = [
    f"INFO {CLIENT} (Re-)joining group {COORDINATOR}",
    f"INFO {CLIENT} Successfully joined group with generation {JOINED} {COORDINATOR}",
    f"INFO {CLIENT} Successfully synced group in generation {JOINED} {COORDINATOR}",
    f"INFO {CLIENT} Adding newly assigned partitions: orders-0, orders-1 {COORDINATOR}",
    f"INFO {CLIENT} Lost previously assigned partitions orders-0, orders-1 {COORDINATOR}",
]


def account(path: Path, lines: list[str]) -> Account:
    """The only account of a log."""
    path.write_text("".join(line + "\n" for line in lines))
    (found,) = accounts_of(read_files([path]))
    return found


def test_of_lines_without_times_the_order_is_known_and_no_instant_is_sure(tmp_path: Path) -> None:
    found = account(tmp_path / "app.log", LINES)
    (own,) = found.incarnations
    assert [said.when for said in own.said] == [ANY] * len(LINES)
    assert [(said.order, said.place.line) for said in own.said] == [(n, n + 1) for n in range(len(LINES))]
    held = own.holding(found.named[0])
    assert not held.surely(True)
    assert held.possibly(True)
    assert [step.value for step in held.steps][-2:] == [True, False]
    assert held.steps[-1].why is not None
    assert held.steps[-1].why.places == (Place(str(tmp_path / "app.log"), 5),)


def test_one_clients_log_has_rebalances_with_what_it_heard_of_them(tmp_path: Path) -> None:
    lines = [f"[2024-03-01 10:00:0{at},1{at}7] {line}" for at, line in enumerate(LINES)]
    (rebalance,) = account(tmp_path / "app.log", lines).rebalances
    asked, joined, stored = rebalance.started, rebalance.joined, rebalance.stored
    assert asked is not None
    assert joined is not None
    assert stored is not None
    assert (rebalance.number, joined.lo - asked.lo, stored.lo - joined.lo) == (7, 1_010, 1_010)


def test_what_a_log_that_ends_in_a_membership_says_of_later_is_open(tmp_path: Path) -> None:
    lines = [f"[2024-03-01 10:00:0{at},1{at}7] {line}" for at, line in enumerate(LINES[:4])]
    found = account(tmp_path / "app.log", lines)
    (own,) = found.incarnations
    surely, possibly = found.membership(own)
    assert surely[-1][1] <= own.last.hi
    assert possibly[-1][1] == INF


def test_a_brokers_log_alone_has_members_removals_and_the_phases_of_rebalances(tmp_path: Path) -> None:
    number = next(n for n in range(3, 60, 6) if draw(n, CLASSIC).group.faults)  # the broker alone
    one = draw(number, CLASSIC)
    (log,) = written(one, simulated(one.group), tmp_path)
    (found,) = accounts_of(read_files([log]))
    finished = [each for each in found.rebalances if each.stored is not None]
    assert finished
    for each in finished:
        assert each.reason
        assert isinstance(each.started, When)
        assert each.started.lo <= (each.joined or each.started).lo <= (each.stored or each.started).lo
    assert found.members
    assert all(track.possibly(True) for track in found.members.values())


def test_lines_of_which_none_names_a_group_are_of_one_that_is_not_named(tmp_path: Path) -> None:
    lines = [
        "%4|1709287205.123|MAXPOLL|rdkafka#consumer-1| [thrd:main]: Application maximum poll interval (300000ms)"
        " exceeded by 255ms (adjust max.poll.interval.ms for long-running message processing): leaving group"
    ]
    assert account(tmp_path / "app.log", lines).group == NOT_NAMED


@pytest.mark.parametrize("protocol", [CLASSIC, CONSUMER])
def test_no_piece_of_a_log_is_refused(protocol: str, tmp_path: Path) -> None:
    for number in range(0, 24, 3):
        (folder := tmp_path / str(number)).mkdir()
        one, rng = draw(number, protocol), Random(number)
        files = written(one, simulated(one.group), folder)
        for file in files:
            lines = file.read_text().splitlines(keepends=True)
            begin = rng.randrange(max(1, len(lines)))
            text = "".join(lines[begin : begin + rng.randint(1, 30)])
            file.write_text(_STAMP.sub("", text) if rng.random() < 0.4 else text)
        for found in accounts_of(read_files(files)):
            assert found.group == GROUP
            for partition in found.named:
                for begin, end in found.surely_available(partition):
                    assert any(a <= begin and end <= b for a, b in found.possibly_available(partition))
