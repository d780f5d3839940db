"""A clock that is off is corrected, and the total has bounds for what is not known of it (20.1 exact for 20.2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.analysis.tables.bounds import Support
from groupsim.incidents.facts.clock_bounds import member_bounds, static_joins
from groupsim.incidents.facts.skew import estimate_skews
from groupsim.incidents.logs.reading import read_files
from tests.incidents.imported import BROKER, import_logs, joined, supported
from tests.incidents.lines import CLASS, OLD, stamped, write
from tests.incidents.written_logs import shifted

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = sorted(
    [*(EXAMPLES / "incidents").glob("*/broker.log.gz"), *(EXAMPLES / "consumer-groups").glob("kill9-*/b*")]
)
CONSUMER = sorted((EXAMPLES / "consumer-groups" / "kill9-uniform").glob("*.log.gz"))
STATIC = sorted((EXAMPLES / "incidents" / "static-restart-range").glob("*.log.gz"))
MEMBER, NEW, LATEST = "i1-0a", "i1-0b", "i1-0c"


def holds(found: Support, exact: Support) -> bool:
    """Whether the bounds hold those of clocks that fit."""
    most, true_most = found.at_most_ms, exact.at_most_ms
    return found.at_least_ms <= exact.at_least_ms and (most is None or (true_most is not None and true_most <= most))


@pytest.mark.parametrize("broker", FOLDERS, ids=lambda path: path.parent.name)
@pytest.mark.parametrize(("late", "seconds"), [("m1", 2.0), ("m1", -0.3), ("m3", 30.0), ("broker", -30.0)])
def test_the_bounds_hold_the_total_of_clocks_that_fit(broker: Path, late: str, seconds: float, tmp_path: Path) -> None:
    logs = sorted(broker.parent.glob("*.log.gz"))
    exact = supported(logs)
    assert not [skew for skew in estimate_skews(read_files(logs)) if skew.off]
    copies = [shifted(log, tmp_path / log.stem, seconds if log.name.startswith(late) else 0) for log in logs]
    moved = [skew for skew in estimate_skews(read_files(copies)) if skew.ms]
    off_ms = 1000 * seconds if late == "broker" else -1000 * seconds
    assert moved
    assert all(skew.low - 5 <= off_ms <= skew.high + 5 and abs(skew.ms - off_ms) < 250 for skew in moved), moved
    found = supported(copies)
    assert found.unknown is not None or found.inexact
    assert holds(found, exact)
    assert found.at_least_ms > 0.5 * exact.at_least_ms


def test_what_one_side_says_more_often_bounds_nothing(tmp_path: Path) -> None:
    """A broker's log that begins over has each epoch twice: its times differ."""
    again = shifted(CONSUMER[0], tmp_path / "broker-again.log", 600)
    assert list(member_bounds(read_files(CONSUMER)))
    assert list(member_bounds(read_files([*CONSUMER, again]))) == []


def test_a_static_member_that_came_back_is_held_against_the_line_that_replaced_its_old_id(tmp_path: Path) -> None:
    """With a lower bound alone its log was moved by 21,065 of 30,000 ms."""
    back = next(log for log in STATIC if log.name.startswith("m2.1"))
    copies = [shifted(log, tmp_path / log.stem, -30 * (log == back)) for log in STATIC]
    (moved,) = [skew for skew in estimate_skews(read_files(copies)) if skew.ms]
    assert moved.bounded
    assert 0 <= 30_000 - moved.ms < 100
    assert holds(supported(copies), supported(STATIC))


def test_each_return_of_a_static_member_is_named_by_the_next_one_or_by_its_client(tmp_path: Path) -> None:
    static = "Static member with groupInstanceId=i1 and unknown member id joins group billing in"
    said = [
        (1, f"{static} Empty state. Created a new member id {MEMBER} for this member."),
        (2, f"{static} Stable state. Replacing previously mapped member {MEMBER} with this groupInstanceId."),
        (3, f"{static} Stable state. Replacing previously mapped member {NEW} with this groupInstanceId."),
    ]
    broker = write(tmp_path, *(stamped(at, f"{BROKER}{text} {OLD}") for at, text in said), name="broker.log")
    context = "[Consumer instanceId=i1, clientId=c1, groupId=billing] "
    client = write(tmp_path, *joined(3, 1, LATEST, context), name="c1.log")
    times = {member: at % 60_000 for _, member, at in static_joins(read_files([broker, client]).rows)}
    assert times == {NEW: 2_000, LATEST: 3_000}


def test_a_static_member_whose_lines_do_not_name_its_instance_is_known_by_its_member_id(tmp_path: Path) -> None:
    """aiokafka: it came back to the generation that had long been completed, and its log was moved by 8 s."""
    first, back = (f"i1-{n}0000000-0000-4000-8000-000000000000" for n in (1, 2))
    static = "Static member with groupInstanceId=i1 and unknown member id joins group billing in"
    said = [
        (1, f"{static} Empty state. Created a new member id {first} for this member."),
        (1.5, "Stabilized group billing generation 1 (__consumer_offsets-0) with 1 members."),
        (9.6, f"{static} Stable state. Replacing previously mapped member {first} with this groupInstanceId."),
    ]
    logs = [write(tmp_path, *(stamped(at, f"{BROKER}{text} {OLD}") for at, text in said), name="broker.log")]
    for name, asked, answered, member in (("c1.0.log", 1, 1.51, first), ("c1.1.log", 9.59, 9.61, back)):
        lines = [
            stamped(asked, "(Re-)joining group billing (aiokafka.consumer.group_coordinator)"),
            stamped(answered, f"Joined group 'billing' (generation 1) with member_id {member}"),
        ]
        logs.append(write(tmp_path, *lines, name=name))
    skews = estimate_skews(read_files(logs))
    assert [Path(skew.file).name for skew in skews] == ["c1.0.log", "c1.1.log"]
    assert all(skew.fits and not skew.ms for skew in skews)
    assert skews[1].high <= 10


def test_a_static_member_that_was_removed_did_not_join_later(tmp_path: Path) -> None:
    """The log of its third life is missing: its clock was taken for one that is off by seconds."""
    static = "Static member with groupInstanceId=i1 and unknown member id joins group billing in"
    said = [
        (1, f"{static} Empty state. Created a new member id {MEMBER} for this member."),
        (2, f"{static} Stable state. Replacing previously mapped member {MEMBER} with this groupInstanceId."),
        (3, f"Member {NEW} in group billing has failed, removing it from the group."),
        (4, f"{static} Empty state. Created a new member id {LATEST} for this member."),
        (5, f"{static} Stable state. Replacing previously mapped member {LATEST} with this groupInstanceId."),
    ]
    broker = write(tmp_path, *(stamped(at, f"{BROKER}{text} {OLD}") for at, text in said), name="broker.log")
    client = write(
        tmp_path, *joined(2, 1, NEW, "[Consumer instanceId=i1, clientId=c1, groupId=billing] "), name="c1.log"
    )
    times = {member: at % 60_000 for _, member, at in static_joins(read_files([broker, client]).rows)}
    assert times == {NEW: 2_000}


def test_a_clock_without_an_upper_bound_leaves_the_total_unknown(tmp_path: Path) -> None:
    """The client came back with the generation that was completed before: how late its clock is nobody knows."""
    context = "[Consumer instanceId=i1, clientId=c1, groupId=billing] "
    broker = write(
        tmp_path, stamped(50, f"{BROKER}Stabilized group billing generation 4 (o-7) {OLD}"), name="broker.log"
    )
    lines = [
        *joined(1.003, 4, c=context),
        stamped(30.003, f"{context}Adding newly assigned partitions: orders-0{CLASS}"),
    ]
    client = write(tmp_path, *lines, name="c1.log")
    result, _ = import_logs(broker, client)
    found = supported([broker, client])
    assert any("c1.log: its clock is at least 48,897 ms behind the broker's" in each for each in result.remarks)
    assert "its clock is off, and the logs do not show by how much; name it with --skew" in (found.unknown or "")
    assert (found.at_least_ms, found.at_most_ms) == (0, None)


def test_a_clock_that_was_set_in_between_widens_the_bounds(tmp_path: Path) -> None:
    """Its times before and after fit no single skew; the total was exact."""
    logs = sorted((EXAMPLES / "incidents" / "rolling-restart-range").glob("*.log.gz"))
    exact = supported(logs)
    changed = next(log for log in logs if log.name.startswith("m3"))
    copies = [shifted(log, tmp_path / log.stem, 4 * (log == changed), after=0.3) for log in logs]
    off = [skew for skew in estimate_skews(read_files(copies)) if skew.off]
    assert [skew.fits for skew in off] == [False]
    assert holds(supported(copies), exact)


def test_a_clock_that_steps_back_widens_the_bounds(tmp_path: Path) -> None:
    """Rows after the step got the time before it, and the total was exact."""
    logs = sorted((EXAMPLES / "incidents" / "rolling-restart-range").glob("*.log.gz"))
    copies = [
        shifted(log, tmp_path / log.stem, -8 * log.name.startswith("broker"), after=0.5, before=0.6) for log in logs
    ]
    found = supported(copies)
    assert holds(found, supported(logs))
    assert "step back" in (found.bounds() or found.unknown or "")


def test_a_loose_lower_bound_does_not_move_a_clock_beyond_what_is_known(tmp_path: Path) -> None:
    """Without its join, a member's epochs come up to a heartbeat late: 4,613 ms ahead instead of 2,000."""
    folder = EXAMPLES / "consumer-groups" / "kill9-uniform"
    logs = [shifted(log, tmp_path / log.stem, 2 * log.name.startswith("m1")) for log in sorted(folder.glob("*.log.gz"))]
    for skew in estimate_skews(read_files(logs)):
        if skew.ms:
            assert skew.low <= -2_000 + 5
            assert skew.high >= -2_000 - 5
