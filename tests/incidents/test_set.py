"""What logs of real groups are read as, against a reading that is not ours.

Of the repository's recordings the reading is what their recorder saw. The development set, other people's logs with
readings by hand, lies beside the checkout: where it is, every test has its logs, too.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from groupsim.analysis.timelines.builder import rebalances
from groupsim.conformance.predictions.families import read_record
from groupsim.events import classic, client
from groupsim.events.base import Recorded, group_of
from groupsim.events.group import GroupEmptied
from groupsim.events.types import TopicPartition
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import instant
from tests.incidents.imported import import_logs
from tests.incidents.recordings import BROKER, CLASSIC_FAMILIES, EXAMPLES, FAMILIES, began, logs_of
from tests.incidents.score import PAIRS, SET, exact, expected_of, same_time, score, utc

SET_LOGS = sorted(SET.glob("*.log"))
RECORDED = {folder.name.partition("__d")[0]: folder for folder in [*EXAMPLES, *CLASSIC_FAMILIES[::8]]}
BROKERS = {name: logs_of(folder, BROKER)[0] for name, folder in RECORDED.items()}
LOGS = BROKERS | {log.stem[:3]: log for log in SET_LOGS}


def of_set(*numbers: str) -> dict[str, list[Path]]:
    """Logs of the development set by their numbers, which name them together; nothing if it is not here."""
    found = [log for log in SET_LOGS if log.stem.startswith(numbers)]
    return {"+".join(numbers): found} if found else {}


STORIES = {name: logs_of(folder) for name, folder in RECORDED.items()}
for pair in PAIRS:
    STORIES |= of_set(*pair)


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_nearly_every_expected_event_is_found_and_none_invented(log: Path) -> None:
    result, _ = score(log)
    assert result.expected or expected_of(log)["expected"].get("events_without_a_kind")
    assert result.both >= 0.98 * result.expected, result.missed
    assert result.both >= 0.98 * result.found, result.extra


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_generations_members_and_times_are_those_of_the_reading(log: Path) -> None:
    reading = read_files([log])
    generations, members, windows, found = exact(log, reading)
    assert (generations, members, found) == (True, True, windows)
    at = {(row.line, row.kind): row.at for row in reading.rows}
    for line, printed, kind, *_ in expected_of(log)["expected"]["events"]:
        assert line is None or same_time(printed, at[line, kind]), (line, kind)


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_what_the_reading_names_without_a_kind_is_a_row_of_its_time(log: Path) -> None:
    reading = read_files([log])
    rows = (*reading.rows, *reading.context, *reading.evidence)
    for line, printed, what in expected_of(log)["expected"].get("events_without_a_kind", []):
        assert [row for row in rows if row.line == line and same_time(printed, row.at)], (line, what)


REBALANCED = BROKERS | {number: log for number in ("002", "021") for logs in of_set(number).values() for log in logs}


@pytest.mark.parametrize("log", REBALANCED.values(), ids=REBALANCED)
def test_an_imported_log_has_the_rebalances_of_the_reading(log: Path) -> None:
    expected = expected_of(log)["expected"]
    _, found = import_logs(log)
    facts = [fact.event for fact in found]
    started = [f for f in facts if isinstance(f, classic.RebalanceStarted)]
    ended = [f.generation for f in facts if isinstance(f, classic.JoinPhaseCompleted | GroupEmptied)]
    (counted,) = (count for key, count in expected["rebalance_count"].items() if key != "basis")
    (generations,) = expected["generations"].values()
    assert len(started) == counted
    assert ended == generations
    still_runs = [generations[-1] + 1] * (counted - len(generations))  # at the log's end
    assert [f.generation + 1 for f in started] == [*generations, *still_runs]


def set_back(log: Path, line: int, ms: int, folder: Path) -> Path:
    """A copy of a recorded log, of one line of which the clock is set back by so much."""
    lines = gzip.decompress(log.read_bytes()).decode().splitlines()
    printed = lines[line - 1][1:24]
    at = datetime.strptime(printed, "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC) - timedelta(milliseconds=ms)
    lines[line - 1] = lines[line - 1].replace(printed, f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1_000:03}")
    path = folder / "back.log"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("number", ["recorded", *of_set("010")])
def test_a_clock_that_steps_back_keeps_the_lines_order(number: str, tmp_path: Path) -> None:
    recorded = BROKERS["kill9-range"]
    log = set_back(recorded, 5, 1_420, tmp_path) if number == "recorded" else of_set(number)[number][0]
    group = next(iter(expected_of(recorded if number == "recorded" else log)["expected"]["generations"]))
    result, facts = import_logs(log)
    assert [f.at_ms for f in facts] == sorted(f.at_ms for f in facts)
    kinds = [type(f.event).__name__ for f in facts if f.stream == f"group:{group}"]
    assert kinds.index("JoinPhaseCompleted") < kinds.index("AssignmentStored")
    assert number == "recorded" or kinds.index("AssignmentStored") < kinds.index("GroupEmptied")
    assert any("steps back by up to 1379 ms (first at line 5)" in note for note in result.notes)


@pytest.mark.parametrize("logs", STORIES.values(), ids=STORIES)
def test_all_sides_of_one_story_make_one_run(logs: list[Path]) -> None:
    _, facts = import_logs(*logs)
    files = {fact.source.rpartition(":")[0] for fact in facts if fact.source}
    assert files == {str(log) for log in logs}
    times = [fact.at_ms for fact in facts]
    assert times == sorted(times)


# A static member that returns within its session is answered with the generation that is there (KIP-345).
JOINING = {name: logs for name, logs in STORIES.items() if "static" not in name}


@pytest.mark.parametrize(("name", "logs"), JOINING.items(), ids=JOINING)
def test_a_client_sends_join_before_and_gets_the_answer_after_its_coordinator_completed_the_generation(
    name: str, logs: list[Path]
) -> None:
    _, facts = import_logs(*logs)
    completed = [f for f in facts if isinstance(f.event, classic.JoinPhaseCompleted)]
    answers = [f for f in facts if isinstance(f.event, client.JoinOk)] if completed else []
    for fact in answers:
        assert isinstance(fact.event, client.JoinOk)
        asked = max(
            f.seq for f in facts[: fact.seq] if f.stream == fact.stream and isinstance(f.event, client.JoinSent)
        )
        between = [
            f.event for f in completed if asked < f.seq < fact.seq and group_of(f.stream) == group_of(fact.stream)
        ]
        assert [e.generation for e in between if isinstance(e, classic.JoinPhaseCompleted)] == [fact.event.generation]
    assert bool(answers) == (name != "019+020")


def given_up_and_got(facts: Sequence[Recorded], wanted: TopicPartition) -> tuple[list[int], list[int]]:
    """When owners of a partition gave it up, and when they got it, in milliseconds of the run."""
    given = [
        f.at_ms
        for f in facts
        if isinstance(f.event, client.CallbackStart) and f.event.kind == "revoked" and wanted in f.event.partitions
    ]
    got = [f.at_ms for f in facts if isinstance(f.event, client.ViewChanged) and wanted in f.event.partitions]
    return given, got


def assert_held_throughout(facts: Sequence[Recorded], kept: Sequence[TopicPartition]) -> None:
    """Each of these partitions has one process, from the first view that has it to the last view of the process."""
    views = [f.event for f in facts if isinstance(f.event, client.ViewChanged)]
    for partition in kept:
        (keeper,) = {view.process for view in views if partition in view.partitions}
        own = [partition in view.partitions for view in views if view.process == keeper]
        assert all(own[own.index(True) :])


class Handover(NamedTuple):
    """Logs of two members, of which one gives up a partition that the other gets: from, to (UTC ms since 1970).

    `late_ms`: how far from its line the reading may have it got. `kept`: partitions that neither gives up.
    """

    logs: list[Path]
    partition: TopicPartition
    from_ms: int
    to_ms: int
    late_ms: int
    kept: list[TopicPartition]


def handovers() -> Iterator[Handover]:
    folder = next(folder for folder in FAMILIES if folder.name == "W03-scale-out-in__cooperative-sticky__d3-f16__r1")
    topic, truth = "views-f16-cooperative-sticky-r1", read_record(folder)
    first, second = truth["ownership"][f"{topic}-0"]
    zero, both = began(truth), (first["member"], second["member"])
    logs = [log for log in logs_of(folder) if log.name.startswith(both)]
    kept = [TopicPartition(topic, number) for number in (1, 4)]
    assert all(window["member"] in both for tp in kept for window in truth["ownership"][str(tp)])
    yield Handover(logs, TopicPartition(topic, 0), zero + first["to_ms"], zero + second["from_ms"], 5, kept)
    for logs in of_set("019", "020").values():
        (window,) = expected_of(logs[0])["expected"]["windows"]
        at = instant(str(utc(window["from"]))), instant(str(utc(window["to"])))
        yield Handover(logs, TopicPartition("my-topic", 2), *at, 0, [TopicPartition("my-topic", n) for n in (0, 1)])


@pytest.mark.parametrize("story", list(handovers()), ids=lambda story: story.partition.topic)
def test_a_partition_between_two_members_is_without_an_owner_for_as_long_as_both_logs_say(story: Handover) -> None:
    result, facts = import_logs(*story.logs)
    zero = instant(result.run.origin or "")
    given, got = given_up_and_got(facts, story.partition)
    assert abs(given[0] + zero - story.from_ms) <= 5
    assert abs(next(at for at in got if at > given[0]) + zero - story.to_ms) <= story.late_ms
    assert_held_throughout(facts, story.kept)


class TwoLogs(NamedTuple):
    """A broker's log with a member's, and the rebalances that are in both: generations and causes in order."""

    logs: list[Path]
    group: str
    generations: list[int]
    causes: list[str]
    members: tuple[str, ...]


def with_two_logs() -> Iterator[TwoLogs]:
    causes = ("Adding new", "member-joined"), ("explicit `LeaveGroup`", "member-left"), ("removing", "session-expired")
    for name in ("rolling-restart-range", "kill9-range"):
        truth = read_record(RECORDED[name])
        ((group, generations),) = expected_of(BROKERS[name])["expected"]["generations"].items()
        reasons = [row["reason"] for row in truth["broker"] if row["kind"] == "rebalance_started"]
        named = [cause for reason in reasons for said, cause in causes if reason.startswith(said)]
        logs = [BROKERS[name], RECORDED[name] / "m1.0.log.gz"]
        yield TwoLogs(logs, group, generations, named, tuple(truth["members"]))
    for logs in of_set("008", "009").values():
        group = "connect-local-file-sink"
        generations = expected_of(logs[1])["expected"]["generations"][group]
        yield TwoLogs(logs, group, generations, (["member-joined", "member-left"] * 3)[:5], ("connector-consumer-",))


@pytest.mark.parametrize("story", list(with_two_logs()), ids=lambda story: story.group)
def test_rebalances_have_the_broker_and_a_member_on_one_timeline(story: TwoLogs) -> None:
    _, facts = import_logs(*story.logs)
    rows = [row for row in rebalances(facts) if row.group == story.group]
    assert [row.generation for row in rows] == story.generations
    assert [row.cause for row in rows] == story.causes
    assert all(row.slowest_member is None or row.slowest_member.startswith(story.members) for row in rows)
