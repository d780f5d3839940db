"""When what happened, in runs made of hand-written logs: callbacks between lines, clocks that disagree."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.events import client
from groupsim.incidents.facts.skew import Skew
from tests.incidents.imported import BROKER, adding, import_logs, joined, joined_keeping, parts, revoking
from tests.incidents.lines import OLD, stamped, write


def test_a_callback_that_gives_up_ends_at_the_next_line_and_the_view_follows(tmp_path: Path) -> None:
    first, second = joined_keeping(0, 4), joined_keeping(7, 5)
    log = write(tmp_path, *first, adding(1, "orders-0", "orders-1"), revoking(5, "orders-1"), *second)
    _, facts = import_logs(log)
    views = [(f.at_ms, f.event.partitions) for f in facts if isinstance(f.event, client.ViewChanged)]
    assert views == [(1000, parts(0, 1)), (7000, parts(0))]
    ends = [(f.at_ms, f.event.kind) for f in facts if isinstance(f.event, client.CallbackEnd)]
    assert ends == [(1000, "assigned"), (7000, "revoked")]


def test_of_a_short_gap_only_half_of_what_the_quickest_callback_took_is_the_callbacks(tmp_path: Path) -> None:
    log = write(
        tmp_path,
        *joined(0, 4),
        adding(1, "orders-0"),
        revoking(5, "orders-0"),
        *joined(5.002, 5),
        adding(6, "orders-0"),
        revoking(7, "orders-0"),
        *joined(7.02, 6),
        adding(8, "orders-0"),
        revoking(9, "orders-0"),
        *joined(11, 7),
    )
    _, facts = import_logs(log)
    starts = [f.at_ms for f in facts if isinstance(f.event, client.CallbackStart) and f.event.kind == "revoked"]
    ends = [f.at_ms for f in facts if isinstance(f.event, client.CallbackEnd) and f.event.kind == "revoked"]
    assert list(zip(starts, ends, strict=True)) == [(5001, 5002), (7019, 7020), (9000, 11000)]


def test_a_quick_assigned_callback_ends_halfway_to_the_next_line(tmp_path: Path) -> None:
    offset = (
        "Setting offset for partition orders-{} to the committed offset FetchPosition{{offset=42, x}} (x.ConsumerUtils)"
    )
    log = write(
        tmp_path,
        adding(1, "orders-0"),
        stamped(1.006, offset.format(0)),
        adding(2, "orders-1"),
        stamped(2.04, offset.format(1)),
    )
    _, facts = import_logs(log)
    assert [f.at_ms for f in facts if isinstance(f.event, client.CallbackEnd)] == [3, 1005]


def test_equal_times_are_ordered_by_cause_question_broker_answer(tmp_path: Path) -> None:
    asked, answered, _ = joined(1, 4)
    c = write(tmp_path, asked, answered.replace("01,100", "01,000"), name="z.log")
    b = write(
        tmp_path,
        stamped(1, BROKER + "Stabilized group billing generation 4 (__consumer_offsets-7) " + OLD),
        name="a.log",
    )
    _, facts = import_logs(c, b)
    kinds = [type(f.event).__name__ for f in facts]
    assert kinds.index("JoinSent") < kinds.index("JoinPhaseCompleted") < kinds.index("JoinOk")


def test_a_clock_that_steps_back_never_takes_the_run_back(tmp_path: Path) -> None:
    log = write(tmp_path, *joined(10, 4), adding(8, "orders-0"), revoking(20, "orders-0"))
    result, facts = import_logs(log)
    times = [f.at_ms for f in facts]
    assert times == sorted(times)
    assert any("steps back by up to 2200 ms (first at line 4)" in note for note in result.notes)


def brokers(tmp_path: Path, second_s: float) -> Path:
    """A broker's log of two generations, the first at 1.05 s."""
    said = BROKER + "Stabilized group billing generation {} (__consumer_offsets-7) " + OLD
    return write(tmp_path, stamped(1.05, said.format(4)), stamped(second_s, said.format(5)), name="broker.log")


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("19:00:", "a.log: times are 9h00m ahead of the broker's, as in another time zone; they are corrected"),
        ("09:15:", "a.log: times are 45m00s behind the broker's, as in another time zone; they are corrected"),
        ("19:07:", "ms ahead of the broker's, by 2 events that both log"),
    ],
)
def test_a_client_whose_clock_is_hours_off_is_brought_to_the_brokers(tmp_path: Path, at: str, said: str) -> None:
    broker = brokers(tmp_path, 7.08)
    ahead = [line.replace("2024-03-01 10:00:", f"2024-03-01 {at}") for line in (*joined(1, 4), *joined(7, 5))]
    assert at in ahead[0]
    result, facts = import_logs(broker, write(tmp_path, *ahead))
    kinds = [
        type(f.event).__name__ for f in facts if type(f.event).__name__ in ("JoinSent", "JoinPhaseCompleted", "JoinOk")
    ]
    assert kinds == ["JoinSent", "JoinPhaseCompleted", "JoinOk"] * 2
    assert (result.run.simulated_ms or 0) < 10_000
    assert any(said in note for note in result.notes)
    assert len([note for note in result.notes if "the broker's" in note]) == 1


def test_a_clock_that_is_late_is_behind_and_not_ahead_by_a_negative_number() -> None:
    said = str(Skew("m1.log", 3_600_000, 3_600_000, 3_600_010, 2))
    assert said == "m1.log: its clock is 3,600,000 ms behind the broker's, by 2 events that both log"
    assert "is 5,000 ms ahead of the broker's" in str(Skew("m1.log", -5_000, -5_000, -4_990, 2))


def test_clocks_that_fit_are_left_alone(tmp_path: Path) -> None:
    line = stamped(1.05, BROKER + "Stabilized group billing generation 4 (__consumer_offsets-7) " + OLD)
    result, _ = import_logs(write(tmp_path, line, name="broker.log"), write(tmp_path, *joined(1, 4)))
    assert not any("ahead of the broker" in note for note in result.notes)


def test_a_clock_that_fits_in_no_way_is_said_and_left_alone(tmp_path: Path) -> None:
    broker = brokers(tmp_path, 9.05)
    result, _ = import_logs(broker, write(tmp_path, *joined(1, 4), *joined(7, 5)))
    assert any("no single skew" in note for note in result.notes)


def test_a_static_member_that_gets_an_old_generation_is_no_sign_of_a_wrong_clock(tmp_path: Path) -> None:
    static = "[Consumer instanceId=i1, clientId=c1, groupId=billing] "
    line = stamped(1.05, BROKER + "Stabilized group billing generation 4 (__consumer_offsets-7) " + OLD)
    result, _ = import_logs(write(tmp_path, line, name="broker.log"), write(tmp_path, *joined(30, 4, c=static)))
    assert not any("ahead of the broker" in note for note in result.notes)
