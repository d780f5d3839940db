"""A broker's log beside the topic takes nothing away: bounds get no wider, and the truth stays inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.tables.bounds import Support
from groupsim.events import classic as c
from groupsim.events import consumer as k
from groupsim.events.base import Recorded
from groupsim.incidents.logs.times import iso
from tests.incidents.drawn_groups import GROUP
from tests.incidents.offsets_topic.simulated_topic import write_dump
from tests.incidents.offsets_topic.test_truth import GOLDEN, _records
from tests.incidents.offsets_topic.truth import clipped, measure, truths
from tests.incidents.recordings import began
from tests.incidents.written_logs import BEGINS_MS, write_logs
from tests.simulation.finished_run import World, play

_NEAR_MS = 100
_FENCED = "Member {} fenced from the group because the member session expired."
_REFUSED = "Static member {} with instance id i2 cannot join the group because the instance id is owned by member {}."


def _assert_no_wider(topic: Support, both: Support, truth: int) -> None:
    assert topic.at_most_ms is not None
    assert both.at_most_ms is not None
    assert topic.at_least_ms - _NEAR_MS <= both.at_least_ms <= truth + _NEAR_MS
    assert truth - _NEAR_MS <= both.at_most_ms <= topic.at_most_ms + _NEAR_MS


def _broker_log(folder: Path, group: str, said: Sequence[tuple[int, str]]) -> Path:
    """A broker's lines about a consumer group, at UTC milliseconds since 1970."""
    log = folder / "broker-consumer.log"
    lines = []
    for at_ms, sentence in sorted(said):
        at = iso(at_ms).replace("T", " ").replace(".", ",").rstrip("Z")
        coordinator = f"[GroupCoordinator id=1 topic=__consumer_offsets partition=0] [GroupId {group}]"
        lines.append(f"[{at}] INFO {coordinator} {sentence} (org.apache.kafka.coordinator.group.GroupMetadataManager)")
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return log


def _consumer_lines(facts: Sequence[Recorded]) -> Iterator[tuple[int, str]]:
    for fact in facts:
        at = BEGINS_MS + fact.at_ms
        match fact.event:
            case k.GroupEpochBumped(epoch=epoch):
                yield at, f"Bumped group epoch to {epoch} with metadata hash 7."
            case k.TargetComputed(epoch=epoch):
                yield at, f"Computed a new target assignment for epoch {epoch} with 'uniform' assignor in 0ms."
            case k.ConsumerMemberRemoved(member=member):
                yield at, _FENCED.format(member)
                yield at - 1, _REFUSED.format("notInTheGroup111111111", member)
            case _:
                pass


@pytest.mark.parametrize(
    "setting",
    [
        ("group_protocol", "consumer"),
        ("partition_assignment_strategy", "cooperative-sticky"),
        ("partition_assignment_strategy", "range"),
    ],
)
def test_a_broker_s_log_beside_the_topic_of_a_group_with_a_killed_member(
    setting: tuple[str, str], tmp_path: Path
) -> None:
    def story(world: World) -> Iterator[Any]:
        topic, group = world.topic("orders", 12, rate=2), world.group(GROUP)
        members = [each for n in range(3) for each in group.join(f"m{n}", topics=[topic], after=None)]
        for member in members:
            yield member.start()
        yield world.sleep(30_000)
        members[1].kill()
        yield world.sleep(90_000)

    name, value = setting
    facts = list(play(story, 200_000, seed=3, green=False, **{name: value}).log)
    first = next(fact.at_ms for fact in facts if isinstance(fact.event, c.AssignmentStored | k.TargetComputed))
    end, window = facts[-1].at_ms, (BEGINS_MS + first, BEGINS_MS + facts[-1].at_ms)
    truth = sum(each.duration_ms for each in clipped(intervals(facts), first, end) if each.unavailable)
    dump, logs = write_dump(facts, GROUP, tmp_path / "dump.txt"), write_logs(facts, GROUP, tmp_path)
    broker = next(log for log in logs if log.name == "broker.log") if value != "consumer" else None
    broker = broker or _broker_log(tmp_path, GROUP, list(_consumer_lines(facts)))
    clients = [log for log in logs if not log.name.startswith("broker")]
    some = [clients[0], clients[2]] if value != "consumer" else []  # what a consumer of KIP-848 logs is not written
    for beside in ([], some):
        topic, _ = measure([dump, *beside], GROUP, window[1], window)
        both, _ = measure([dump, *beside, broker], GROUP, window[1], window)
        _assert_no_wider(topic.rests_on, both.rests_on, truth)


@pytest.mark.parametrize(
    "name",
    ["M03-mixed-kills__range-and-kip848__d0__r1", "M05-last-new-member-killed__range-and-kip848__d0__r1"],
)
def test_a_broker_s_lines_about_killed_members_beside_the_topic_of_a_migration(name: str, tmp_path: Path) -> None:
    record = _records()[name]
    start, group = began(record), record["config"]["group_id"]
    begin, end = record["summary"]["window_ms"]
    window, until = (start + begin, start + end), start + record["run_end_ms"]
    dump = GOLDEN / f"{record['batch']}.dump.txt.gz"
    topic, history = measure([dump], group, until, window)
    killed = {each["member_id"] for each in record["broker"] if each["kind"] == "fenced"}
    gone = {each.member: each.gone_ms for each in history[group].ledger.memberships.values()}
    said = [(at, _FENCED.format(member)) for member in killed if (at := gone[member]) is not None]
    assert said
    both, _ = measure([dump, _broker_log(tmp_path, group, said)], group, until, window)
    _assert_no_wider(topic.rests_on, both.rests_on, truths(record)[2])
