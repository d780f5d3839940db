"""One streams group or share group under Kafka 4.1 to 4.4: each row of the table of differences changes an answer."""

from __future__ import annotations

import pytest

from groupsim.coordinator.commands import Commit
from groupsim.coordinator.config import Configs
from groupsim.coordinator.modern.group_config import altered
from groupsim.coordinator.outcome import Error
from groupsim.coordinator.share.commands import DescribeShareOffsets
from groupsim.coordinator.streams.reconcile import Step, next_member
from groupsim.coordinator.streams.state import Member, StreamsGroup
from groupsim.coordinator.streams.target import problem
from groupsim.events.consumer import MemberState
from groupsim.events.streams import Tasks
from groupsim.events.types import TopicPartition
from tests.coordinator.share.test_properties import INITIALIZED_MS, NAMES, Group
from tests.coordinator.streams.test_properties import Application

UNRELEASED = MemberState.UNRELEASED_PARTITIONS


def differ(old: object, new: object, before: str = "4.3", since: str = "4.4") -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("version", "found"), [(before, old), (since, new)])


def application(version: str, **named: str) -> Application:
    settings = {"group_streams_assignment_interval_ms": "0", "group_streams_initial_rebalance_delay_ms": "0"}
    return Application(**{"broker_version": version} | settings | named)


def two_members(version: str) -> Application:
    """m0 runs all tasks and has to give some up, since m1 of another process joined."""
    group = application(version)
    group.send(0, 0, instance_id=None)
    group.send(1, 0, instance_id=None, process="p9")
    return group


@differ((Error.UNSUPPORTED_VERSION, Error.UNSUPPORTED_VERSION), (Error.NONE, Error.NONE), "4.1", "4.2")
def test_both_kinds_of_groups_came_with_4_2(version: str, found: tuple[Error, Error]) -> None:
    share = Group(broker_version=version)
    share.beat(0, 0, NAMES[0])
    assert (application(version).send(0, 0).error, share.answers[-1].error) == found
    share.host.handle("g", DescribeShareOffsets(request=0))
    assert share.answers[-1].error is found[1]


@differ(Error.INVALID_REQUEST, Error.NONE)
def test_static_members(version: str, found: Error) -> None:
    assert application(version).send(2, 0).error is found


@differ([Error.INVALID_REQUEST] * 3, [Error.NONE] * 3)
def test_offsets_of_tasks_and_warm_ups(version: str, found: list[Error]) -> None:
    group = application(version)
    group.send(0, 0)
    sums = (("0", 0, 1),)
    tasks = {"active": (), "standby": (), "warmup": (TopicPartition("0", 0),)}
    asked = ({"offsets": sums}, {"end_offsets": sums}, tasks)
    assert [group.send(0, 2, **says).error for says in asked] == found


@differ((0, 0), (60_000, 10_000))
def test_what_an_answer_says_besides_tasks(version: str, found: tuple[int, int]) -> None:
    group = application(version)
    for answer in (group.send(0, 0), group.send(0, 2)):
        assert (answer.task_offset_interval_ms, answer.acceptable_recovery_lag) == found


@differ(3, 5)
def test_the_assignor_goes_on_from_the_last_target_or_from_what_members_run(version: str, found: int) -> None:
    """m0 is to give tasks up, and still runs all five."""
    state = two_members(version).state
    assert isinstance(state, StreamsGroup)
    asked = {member.id: member for member in problem(state, state, 0).members}
    assert sum(len(numbers) for numbers in asked["m0"].active.values()) == found


@differ(False, True)
def test_an_active_task_becomes_a_standby_of_its_member_at_once(version: str, found: bool) -> None:
    group = application(version, group_streams_num_standby_replicas="1")
    group.send(0, 0)
    group.send(1, 0, process="p9")
    answer = group.send(0, 2)
    assert isinstance(group.state, StreamsGroup)
    assert group.state.targets["m0"].standby != ()
    assert (answer.tasks.standby != ()) is found


@differ(False, True)
def test_who_has_a_standby_runs_it_as_active_though_its_process_has_another_one(version: str, found: bool) -> None:
    """As in script R.static.20261129019: m1 of the same process has not yet given the same standby up."""
    task = TopicPartition("0", 2)
    has_it = Member(id="m0", process="p", epoch=3, standby=(task,), tasks=Tasks((), (task,)), state=UNRELEASED)
    gives_up = Member(id="m1", process="p", epoch=3, pending_standby=(task,), state=MemberState.UNREVOKED_PARTITIONS)
    group = StreamsGroup(id="g", configs=configs(version), members={"m0": has_it, "m1": gives_up})
    after = next_member(Step(member=has_it, target_epoch=4, target=Tasks((task,)), known=group, owned=None))
    assert (task in after.active) is found


@differ((1, ("h0", 1)), (2, None))
def test_endpoints_that_change(version: str, found: tuple[int, tuple[str, int] | None]) -> None:
    group = application(version)
    group.send(0, 0, endpoint=("h0", 1))
    group.send(0, 0, endpoint=("h0", 1))
    before = group.answers[-1].endpoint_epoch
    changed = group.send(0, group.member(0).epoch, endpoint=("h1", 1)).endpoint_epoch - before
    group.send(0, group.member(0).epoch, endpoint=("h0", 1))
    group.send(0, 0)
    assert (changed, group.member(0).endpoint) == (found[0] - 1, found[1])


@differ(Error.GROUP_MAX_SIZE_REACHED, Error.NONE)
def test_a_member_joins_again_in_a_full_group(version: str, found: Error) -> None:
    group = application(version, group_streams_max_size="1")
    group.send(0, 0)
    assert group.send(0, 0).error is found


@differ(Error.INVALID_CONFIG, Error.NONE)
@pytest.mark.parametrize("name", ["streams.num.warmup.replicas", "streams.task.offset.interval.ms"])
def test_settings_of_a_group_that_4_4_brought(name: str, version: str, found: Error) -> None:
    assert altered({}, {name: "20000" if name.endswith("ms") else "1"}, configs(version))[0] is found


@differ(Error.INVALID_CONFIG, Error.NONE, "4.2", "4.3")
@pytest.mark.parametrize("of", ["consumer", "share", "streams"])
def test_the_assignment_interval_came_with_4_3(of: str, version: str, found: Error) -> None:
    assert altered({}, {f"{of}.assignment.interval.ms": "500"}, configs(version))[0] is found


def configs(version: str) -> Configs:
    return Configs().with_settings({"broker.version": version})


@differ((1, 1), (2, 0), "4.2", "4.3")
def test_epochs_of_a_share_group(version: str, found: tuple[int, int]) -> None:
    """The first one, and how much it grows by a heartbeat with initialised partitions while a target is due anyway."""
    group = Group(broker_version=version, group_share_assignment_interval_ms="0")
    group.beat(0, 0, NAMES[0])
    first = group.epochs[0]
    group.beat(1, 0, NAMES[0])
    group.env.run(until=INITIALIZED_MS)
    group.beat(1, -1)
    left = getattr(group.state, "epoch", 0)
    group.beat(0, group.epochs[0])
    assert (first, group.epochs[0] - left) == found


@pytest.mark.parametrize("version", ["4.2", "4.3", "4.4"])
def test_the_first_epoch_of_a_streams_group_is_2_in_all_releases(version: str) -> None:
    assert application(version).send(0, 0).epoch == 2


@pytest.mark.parametrize(("commits", "answered"), [(False, 0), (True, 1)])
def test_the_first_member_with_an_endpoint_hears_of_it_only_where_an_empty_group_was_there(
    commits: bool, answered: int
) -> None:
    """As in script R.endpoint.20261201015: `groups.containsKey`, and the classic group is still there."""
    group = application("4.4")
    if commits:
        group.host.handle("g", Commit(request=0, offsets=(("a", 0, 1),)))
    assert group.send(0, 0, endpoint=("h0", 1)).endpoint_epoch == answered
    assert group.send(0, group.member(0).epoch).endpoint_epoch == 0
