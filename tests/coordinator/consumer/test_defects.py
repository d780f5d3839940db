"""Defects of Kafka 4.4 that are simulated, too: each has a name, in the code and in the documents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from groupsim.coordinator import consumer
from groupsim.coordinator.classic.commands import Join, JoinAnswer
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.commands import FetchOffsets, FetchOffsetsAnswer, Load, Unload
from groupsim.coordinator.consumer.classic_requests import join
from groupsim.coordinator.consumer.commands import ClassicJoinTimedOut
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.outcome import Error
from groupsim.events.types import Protocol, Subscription
from tests.coordinator.consumer.driven import Driven, parts

CODE = Path(consumer.__file__).parent
DOCUMENT = Path(__file__).parents[3] / "docs" / "model" / "consumer-groups.md"


def offer(**sent: str) -> tuple[Protocol, ...]:
    return (Protocol("range", Subscription(topics=("a",), **sent)),)  # type: ignore[arg-type]


def test_every_defect_has_a_name_in_the_code_and_a_line_in_the_documents() -> None:
    files = sorted(file for folder in (CODE, CODE.parent / "modern") for file in folder.glob("*.py"))
    code = "\n".join(re.sub(r"\s+", " ", file.read_text("utf-8")) for file in files)
    named = set(re.findall(r"[Dd]efect `([a-z-]+)`", code))
    table = DOCUMENT.read_text("utf-8").partition("## Defects of Kafka 4.4")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)
    assert len(listed) == len(set(listed)) > 10
    assert named == set(listed)


def forgotten() -> Driven:
    """An empty group to which a JoinGroup came that names a member."""
    kafka = Driven()
    kafka.beat("m1", 0)
    kafka.beat("m1", -1)
    answer = kafka.send(Join(request=1, member="c1", protocols=offer()))
    assert isinstance(answer, JoinAnswer)
    assert answer.error is Error.UNKNOWN_MEMBER_ID
    return kafka


def test_a_forgotten_group_is_still_read_and_comes_back_with_the_next_coordinator() -> None:
    kafka = forgotten()
    epoch = kafka.group.epoch
    assert kafka.beat("m1", epoch).error is Error.GROUP_ID_NOT_FOUND
    fetched = kafka.send(FetchOffsets(request=1, partitions=parts(a=0), member="m1", epoch=epoch))
    assert isinstance(fetched, FetchOffsetsAnswer)
    assert fetched.error is Error.UNKNOWN_MEMBER_ID
    assert kafka.group.epoch == epoch
    kafka.send(Unload())
    kafka.send(Load())
    assert kafka.beat("m1", 0).epoch == epoch + 1


@pytest.mark.parametrize(("epoch", "error"), [(-1, Error.NONE), (0, Error.UNKNOWN_SERVER_ERROR)])
def test_offsets_are_read_without_a_member_only_without_an_epoch(epoch: int, error: Error) -> None:
    kafka = Driven()
    kafka.beat("m1", 0)
    fetched = kafka.send(FetchOffsets(request=1, partitions=parts(a=0), epoch=epoch))
    assert isinstance(fetched, FetchOffsetsAnswer)
    assert fetched.error is error


def test_in_a_forgotten_groups_place_a_group_of_either_protocol_begins_anew() -> None:
    native = forgotten()
    assert native.beat("m1", 0).epoch == 2
    classic = forgotten()
    classic.send(Join(request=1, new_member="c2", instance_id="i", protocols=offer()))
    assert isinstance(classic.state, ClassicGroup)
    assert list(classic.state.members) == ["c2"]


def test_a_native_member_is_removed_when_the_timer_of_its_former_rejoin_ends() -> None:
    kafka = Driven()
    kafka.beat("m1", 0)
    kafka.send(ClassicJoinTimedOut(member="m1"))
    assert kafka.group.members == {}


@pytest.mark.parametrize(
    ("version", "error"), [("4.0", Error.UNKNOWN_SERVER_ERROR), ("4.4", Error.INCONSISTENT_GROUP_PROTOCOL)]
)
def test_metadata_that_do_not_parse_change_nothing(version: str, error: Error) -> None:
    kafka = Driven(broker_version=version)
    kafka.beat("m1", 0, instance_id="i")
    group: ConsumerGroup = kafka.group
    outcome = join(group, Join(request=1, new_member="c1", instance_id="i", protocols=offer(unreadable="00030000")))
    answer = outcome.replies[0].answer
    assert (answer.error, outcome.state, outcome.events) == (error, group, ())
