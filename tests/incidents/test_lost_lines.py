"""A line that is lost makes no known total false: what the next lines show happened all the same, and has bounds."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from groupsim.events import client
from groupsim.events.types import TopicPartition
from groupsim.storage.log_gaps import doubts
from tests.incidents.imported import C1, adding, import_logs, joined, of, parts, revoking, supported
from tests.incidents.lines import CLASS, M1, stamped, write
from tests.incidents.lost_lines import case, one_lost, revoked_lost, shown, without
from tests.incidents.recordings import CONSUMER_GROUPS, EXAMPLES, FAMILIES, logs_of

LIBRDKAFKA = Path(__file__).parent / "data" / "closes-librdkafka-cooperative"
NEAR_MS, FEW_MS = 100, 300
"""Bounds are the same, or wider by a few lines of all partitions."""
RECORDINGS = [*FAMILIES[::40], *CONSUMER_GROUPS[1:]]


def named(name: str) -> Path:
    """A recording of the examples."""
    return next(folder for folder in EXAMPLES + CONSUMER_GROUPS if folder.name == name)


@pytest.mark.parametrize("folder", RECORDINGS, ids=[folder.name for folder in RECORDINGS])
def test_the_total_is_right_or_its_bounds_hold_it_with_one_line_lost(folder: Path) -> None:
    recording = case(folder)
    assert recording is not None
    losses = list(one_lost(recording, 3))
    assert all(lost.right for lost in losses), "\n".join(shown(losses))


@pytest.mark.parametrize("folder", [FAMILIES[0], FAMILIES[-1]], ids=[FAMILIES[0].name, FAMILIES[-1].name])
def test_members_that_joined_again_have_revoked_what_they_had(folder: Path) -> None:
    recording = case(folder)
    assert recording is not None
    (lost,) = revoked_lost(recording)
    assert lost.right
    assert not lost.known


REJOINS = C1 + "Request joining group due to: group is already rebalancing" + CLASS
NOTIFIED = C1 + "Notifying assignor about the new Assignment(partitions=[orders-0])" + CLASS
OFFSET = C1 + "Setting offset for partition orders-0 to the committed offset FetchPosition{offset=5, offsetEpoch=null}"
EAGER = {
    4: adding(1.303, "orders-0", "orders-1"),
    5: stamped(5.001, REJOINS),
    6: revoking(5.103, "orders-0", "orders-1"),
    10: stamped(5.501, NOTIFIED),
    11: adding(5.502, "orders-0"),
    12: stamped(5.604, OFFSET + CLASS),
}
"""By number, lines of an eager member that joins twice; the others are those of joining."""


def _eager(*lost: int) -> list[str]:
    lines = dict(EAGER)
    lines |= dict(zip((1, 2, 3, 7, 8, 9), joined(1.001, 1) + joined(5.201, 2), strict=True))
    return [lines[number] for number in sorted(lines) if number not in lost]


@pytest.mark.parametrize(
    ("lost", "at", "partitions"),
    [
        (6, (5_001, 5_201), parts(0, 1)),  # it asked to join again
        (11, (5_501, 5_604), parts(0)),  # it looked for an offset
        (4, (1_201, 5_103), parts(0, 1)),  # it gave them up
    ],
)
def test_a_step_that_no_line_shows_was_taken_between_the_lines_around_it(
    tmp_path: Path, lost: int, at: tuple[int, int], partitions: tuple[TopicPartition, ...]
) -> None:
    views = [event.partitions for event in of(import_logs(write(tmp_path, *_eager()))[1], client.ViewChanged)]
    result, facts = import_logs(write(tmp_path, *_eager(lost)))
    assert [event.partitions for event in of(facts, client.ViewChanged)] == views
    (doubt,) = [each for each in doubts(result.run.summary) if "no line of it" in each.why]
    began = 1_001
    assert (doubt.from_ms + began, doubt.to_ms + began) == at
    assert doubt.partitions == partitions


def test_a_cooperative_member_that_joins_again_keeps_what_it_has(tmp_path: Path) -> None:
    lines = [line.replace("'range'", "'cooperative-sticky'") for line in _eager(6)]
    result, _ = import_logs(write(tmp_path, *lines))
    assert not [each for each in doubts(result.run.summary) if "no line of it" in each.why]


@pytest.mark.parametrize(
    "words", ["delegating incremental assign of", ": add orders", ": delete orders", "delegating incremental revoke of"]
)
def test_operations_and_states_of_librdkafka_show_what_its_lines_do_not(tmp_path: Path, words: str) -> None:
    """An assignment that was not shown as taken waited to the end: 32.0 partition-seconds instead of 0.6."""
    dropped: list[int] = []

    def first(name: str, number: int, text: str) -> bool:
        if name.startswith("m1") and words in text and not dropped:
            dropped.append(number)
            return True
        return False

    found, full = supported(without(LIBRDKAFKA, tmp_path, first)[0]), supported(logs_of(LIBRDKAFKA))
    assert dropped
    assert found.at_least_ms == full.at_least_ms
    assert found.at_most_ms == full.at_most_ms


def test_a_callback_is_over_when_the_member_has_acknowledged_its_target(tmp_path: Path) -> None:
    """Its end was looked for at the next target: 38.4 partition-seconds instead of 13.8."""
    lost = ("m1", "transitioned from RECONCILING to ACKNOWLEDGING")
    folder = named("kill9-uniform")
    logs, dropped = without(folder, tmp_path, lambda name, _, text: name.startswith(lost[0]) and lost[1] in text)
    assert dropped
    found, full = supported(logs), supported(logs_of(folder))
    assert abs(found.at_least_ms - full.at_least_ms) <= 20
    assert found.at_most_ms is not None
    assert full.at_most_ms is not None
    assert abs(found.at_most_ms - full.at_most_ms) <= 20


def test_a_revoked_callback_is_over_when_the_member_has_acknowledged_its_target(tmp_path: Path) -> None:
    """Its end was looked for at the next callback, 5 s later: from 14.1 to 109.8 instead of from 17.9 to 61.2."""
    folder = named("kill9-uniform")
    logs, dropped = without(
        folder, tmp_path, lambda name, _, text: name[:2] == "m1" and "Adding newly assigned partitions: []" in text
    )
    assert dropped
    found, full = supported(logs), supported(logs_of(folder))
    assert abs(found.at_least_ms - full.at_least_ms) <= 50
    assert found.at_most_ms is not None
    assert full.at_most_ms is not None
    assert abs(found.at_most_ms - full.at_most_ms) <= 50


@pytest.mark.parametrize(
    ("name", "log", "words"),
    [
        ("rolling-restart-range", "broker", "Assignment received from leader"),  # a rebalance went on to the next one
        ("static-restart-range", "broker", "Replacing previously mapped member"),  # it served, and was not entitled
        ("max-poll-range", "m2", "consumer poll timeout has expired"),  # it left, so it seemed to be closed
    ],
)
def test_a_line_that_the_protocol_requires_is_not_missed(tmp_path: Path, name: str, log: str, words: str) -> None:
    """A total was called exact without it, and was more than twice what it is."""
    logs, full = logs_of(named(name)), supported(logs_of(named(name)))
    (changed,) = (each for each in logs if each.name.startswith(log))
    lines = gzip.decompress(changed.read_bytes()).decode().splitlines(keepends=True)
    copy = tmp_path / f"{log}.log"
    for number in [number for number, line in enumerate(lines) if words in line][:3]:
        copy.write_text("".join(lines[:number] + lines[number + 1 :]))
        found = supported([copy, *(each for each in logs if each != changed)])
        assert found.at_most_ms is not None
        assert full.at_most_ms is not None
        assert found.at_least_ms - NEAR_MS <= full.at_least_ms <= found.at_least_ms + FEW_MS, lines[number]
        assert found.at_most_ms - FEW_MS <= full.at_most_ms <= found.at_most_ms + NEAR_MS, lines[number]


@pytest.mark.parametrize(
    ("name", "log", "lost"),
    [
        ("rolled-range-to-consumer", "m1.1", (40, 41)),  # that it acknowledged its target: a callback of 2 s
        ("rolled-range-to-consumer", "m1.1", (32, 39)),  # its target, and that it took that: 12 partition-seconds more
    ],
)
def test_two_lines_on_one_step_that_are_lost_widen_the_bounds(
    tmp_path: Path, name: str, log: str, lost: tuple[int, ...]
) -> None:
    folder = named(name)
    full = supported(logs_of(folder))
    logs, dropped = without(folder, tmp_path, lambda file, number, _: file.startswith(log) and number in lost)
    assert len(dropped) == len(lost)
    found = supported(logs)
    assert full.at_most_ms is not None
    assert found.at_most_ms is not None
    assert found.at_least_ms <= full.at_most_ms
    assert full.at_least_ms <= found.at_most_ms
    assert found.inexact


def test_what_a_member_has_its_part_of_it_has_joined(tmp_path: Path) -> None:
    """The line on joining and that on taking its part are lost."""
    views = [event.partitions for event in of(import_logs(write(tmp_path, *_eager()))[1], client.ViewChanged)]
    result, facts = import_logs(write(tmp_path, *_eager(8, 11, 12)))
    assert [event.partitions for event in of(facts, client.ViewChanged)] == views[:-1]
    lines = [*_eager(8, 11, 12), stamped(9.001, REJOINS), *joined(9.1, 3)]
    result, facts = import_logs(write(tmp_path, *lines))
    assert [event.partitions for event in of(facts, client.ViewChanged)] == [*views, ()]
    assert any("took what it was assigned, 1 partition" in each.why for each in doubts(result.run.summary))


def test_a_last_line_on_an_assignment_leaves_open_whether_its_callback_returned(tmp_path: Path) -> None:
    """Only the line on an offset shows that; this client prints such lines."""
    other = write(tmp_path, *joined(20, 9), name="b.log")
    lines = sorted([*_eager(), stamped(1.4, OFFSET + CLASS)])
    exact, _ = import_logs(write(tmp_path, *lines), other)
    result, _ = import_logs(write(tmp_path, *lines[:-1]), other)
    assert not [each for each in doubts(exact.run.summary) if "assigned callback" in each.why]
    assert [each for each in doubts(result.run.summary) if "assigned callback" in each.why]


def test_librdkafka_has_added_a_partition_that_it_removes(tmp_path: Path) -> None:
    """Two lines say that it adds one."""
    dropped: list[str] = []

    def first(name: str, _: int, text: str) -> bool:
        words = ("received op PARTITION_JOIN", ": add orders")[len(dropped) :][:1]
        if name.startswith("m1") and any(word in text for word in words):
            dropped.append(text)
        return bool(dropped) and dropped[-1] == text

    found, full = supported(without(LIBRDKAFKA, tmp_path, first)[0]), supported(logs_of(LIBRDKAFKA))
    assert len(dropped) == 2
    assert found.at_most_ms is not None
    assert full.at_most_ms is not None
    assert abs(found.at_least_ms - full.at_least_ms) <= 20
    assert abs(found.at_most_ms - full.at_most_ms) <= 20


@pytest.mark.parametrize(("lost", "at"), [(7, (5_103, 5_301))])
def test_a_callback_is_over_when_the_member_has_joined_though_no_line_says_that_it_asked(
    tmp_path: Path, lost: int, at: tuple[int, int]
) -> None:
    result, _ = import_logs(write(tmp_path, *_eager(lost)))
    (doubt,) = [each for each in doubts(result.run.summary) if "no line of it" in each.why]
    assert (doubt.from_ms + 1_001, doubt.to_ms + 1_001) == at
    assert doubt.partitions == parts(0, 1)


def test_a_topic_has_grown_when_an_assignment_names_more_of_it(tmp_path: Path) -> None:
    """It was called exact, of a topic that had these partitions from the begin."""

    def plan(second: float, generation: int, *partitions: str) -> str:
        given = f"{{{M1}=Assignment(partitions=[{', '.join(partitions)}])}}"
        return stamped(second, C1 + f"Finished assignment for group at generation {generation}: {given}" + CLASS)

    lines = _eager()
    lines.insert(2, plan(1.15, 1, "orders-0", "orders-1"))
    lines.insert(-4, plan(5.35, 2, "orders-0", "orders-1", "orders-2"))
    result, _ = import_logs(write(tmp_path, *sorted(lines)))
    (doubt,) = [each for each in doubts(result.run.summary) if "instead of 2 partitions" in each.why]
    assert (doubt.from_ms + 1_001, doubt.to_ms + 1_001) == (1_150, 5_350)
    assert doubt.partitions == parts(2)


def test_a_member_whose_partitions_others_have_and_that_nobody_removed_goes_on(tmp_path: Path) -> None:
    """Its last word counted to the end: at most 13.2 partition-seconds, where there were 24."""
    folder = named("kill9-uniform")
    logs, dropped = without(folder, tmp_path, lambda file, number, _: file.startswith("m1") and number > 33)
    assert dropped
    found, full = supported(logs), supported(logs_of(folder))
    assert full.at_most_ms is not None
    assert found.at_most_ms is not None
    assert found.at_least_ms <= full.at_least_ms
    assert full.at_most_ms <= found.at_most_ms + NEAR_MS
    assert "goes on: others have what it had" in str(found.unknown)
