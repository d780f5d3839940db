"""Examples of the defects of streams groups."""

_BROKER = (
    "[2026-11-29 {at}] {level} [GroupCoordinator id=1{where}] {text} (org.apache.kafka.coordinator.group.{source})\n"
)
_CLIENT = (
    "[2026-11-29 {at}] {level} [Consumer clientId={thread}, groupId=orders] {text}"
    " (org.apache.kafka.clients.consumer.internals.{source})\n"
)


def _manager(at: str, member: str, text: str, level: str = "INFO") -> str:
    named = f"[GroupId orders]{f'[MemberId {member}]' if member else ''} {text}"
    where = " topic=__consumer_offsets partition=3"
    return _BROKER.format(at=at, level=level, where=where, text=named, source="GroupMetadataManager")


def _state(at: str, member: str, epochs: str, state: str, active: str = "", revoked: str = "") -> str:
    text = (
        f"Member's new assignment state: {epochs}, state={state}, assignedTasks=(active=[{active}], standby=[],"
        f" warmup=[]) and tasksPendingRevocation=(active=[{revoked}], standby=[], warmup=[])."
    )
    return _manager(at, member, text)


def _bumped(at: str, member: str, epoch: int, validated: int = 0) -> str:
    text = f"Bumped streams group epoch to {epoch} with metadata hash -94 and validated topic epoch {validated}."
    return _manager(at, member, text)


def _changes(at: str, thread: str, epoch: int, before: str, after: str) -> str:
    text = f"Member {thread}-id with epoch {epoch} transitioned from {before} to {after}."
    return _CLIENT.format(at=at, level="INFO", thread=thread, text=text, source="StreamsMembershipManager")


EXAMPLES = {
    "copy-follows-instance-id": (
        _manager("10:00:00,055", "s1", "Static member s1 with instance id i1 joins the streams group.")
        + _bumped("10:00:00,092", "s1", 2)
        + _state("10:00:00,145", "s1", "epoch=2, previousEpoch=0", "STABLE", "0-0@2, 0-1@2, 0-2@2, 0-3@2")
        + _manager("10:00:30,277", "m2", "Member joins the streams group.")
        + _bumped("10:00:30,278", "m2", 3)
        + _state("10:00:30,278", "m2", "epoch=3, previousEpoch=0", "UNRELEASED_TASKS")
        + _state("10:00:31,288", "s1", "epoch=2, previousEpoch=2", "UNREVOKED_TASKS", "0-0@2, 0-1@2", "0-2@2, 0-3@2")
        + _manager(
            "10:00:32,311",
            "",
            "Static member x1 with instance id i1 cannot join the group because the instance id is owned by member s1.",
        )
        + _state("10:00:36,315", "s1", "epoch=3, previousEpoch=2", "UNREVOKED_TASKS", "", "0-0@2, 0-1@2")
    ),
    "endpoint-without-topics": (
        _manager("10:00:00,057", "m1", "Member joins the streams group.")
        + _manager(
            "10:00:00,085",
            "m1",
            "Topic configuration failed for topology epoch 0 in 1ms: Source topics orders are missing.",
            "WARN",
        )
        + _bumped("10:00:00,087", "m1", 2, -1)
        + _BROKER.format(
            at="10:00:00,243",
            level="ERROR",
            where="",
            text="Operation streams-group-heartbeat with StreamsGroupHeartbeatRequestData(groupId='orders',"
            " memberId='m1', memberEpoch=0, shutdownApplication=false) hit an unexpected exception: No value present.",
            source="GroupCoordinatorService",
        )
        + "java.util.NoSuchElementException: No value present\n"
        "\tat java.base/java.util.Optional.get(Optional.java:143)\n"
        "\tat org.apache.kafka.coordinator.group.streams.topics.EndpointToPartitionsManager.endpointToPartitions("
        "EndpointToPartitionsManager.java:78)\n"
    ),
    "shutdown-sticks": (
        _changes("10:00:00,997", "m3-StreamThread-1-consumer", 0, "UNSUBSCRIBED", "JOINING")
        + _CLIENT.format(
            at="10:00:01,064",
            level="WARN",
            thread="m3-StreamThread-1-consumer",
            text="Membership is in the following statuses: (4) Streams group member m1 encountered a fatal error and"
            " requested a shutdown for the entire application.",
            source="StreamsGroupHeartbeatRequestManager",
        )
        + _changes("10:00:01,071", "m3-StreamThread-1-consumer", 5, "JOINING", "RECONCILING")
    ),
}
