"""Examples of the defects of brokers."""

_SCALA = "[2024-03-04 {at}] INFO [GroupCoordinator 0]: {text} (kafka.coordinator.group.GroupCoordinator)\n"
_JAVA = "[2024-03-04 {at}] {level} [GroupCoordinator id=2] {text} (org.apache.kafka.coordinator.group.{source})\n"
_UUID = "7fdb63ba-4fba-432d-9af3-89411c63d4c"


def _scala(*lines: tuple[str, str]) -> str:
    return "".join(_SCALA.format(at=at, text=text) for at, text in lines)


def _starts(generation: int, reason: str, state: str = "PreparingRebalance") -> str:
    return (
        f"Preparing to rebalance group orders in state {state} with old generation {generation} (__consumer_offsets-7)"
        f" (reason: {reason})"
    )


def _stabilized(generation: int, members: str = "") -> str:
    return f"Stabilized group orders generation {generation} (__consumer_offsets-7){members}"


def _assigned(generation: int) -> str:
    return f"Assignment received from leader for group orders for generation {generation}"


def _rebalances_that_end_at_once() -> str:
    lines = []
    for nth in range(5):
        member = f"web-{nth % 2}-{_UUID}{nth}"
        start = _starts(nth + 7, f"Adding new member {member} with group instanceid None")
        lines += [(f"10:00:{5 * nth:02},400", start), (f"10:00:{5 * nth:02},401", _stabilized(nth + 8))]
    return _scala(*lines)


_JOINS = (
    ("10:00:01,100", _starts(4, f"Adding new member web-1-{_UUID}1 with group instance id None")),
    ("10:00:04,200", _stabilized(5, " with 2 members")),
    ("10:00:04,230", _assigned(5)),
)
_ONE_JOINS = _JAVA.format(
    at="10:00:01,100",
    level="INFO",
    source="GroupMetadataManager",
    text="[GroupId orders] Member 3hVfrX5nQ1ifVbT3CSwVjA joins the consumer group using the consumer protocol.",
) + _JAVA.format(
    at="10:00:01,101",
    level="INFO",
    source="GroupMetadataManager",
    text="[GroupId orders] Bumped group epoch to 7 with metadata hash 4242.",
)


def _load(text: str) -> str:
    return _ONE_JOINS + _JAVA.format(at="10:02:00,000", level="ERROR", source="CoordinatorRuntime", text=text)


EXAMPLES = {
    "KAFKA-8653": _rebalances_that_end_at_once(),
    "KAFKA-12890": _scala(
        *_JOINS,
        ("10:10:01,100", _starts(5, f"Adding new member web-2-{_UUID}2 with group instance id None", "Stable")),
        ("10:10:04,200", _stabilized(6, " with 3 members")),
        ("11:40:04,200", _starts(6, f"Adding new member web-3-{_UUID}3 with group instance id None")),
        ("11:40:07,200", _stabilized(7, " with 4 members")),
        ("11:40:07,210", _assigned(7)),
    ),
    "KAFKA-14422": _scala(
        ("10:00:01,100", _starts(4, f"Adding new member web-1-{_UUID}1 with group instance id web-1"))
    )
    + "[2024-03-04 10:00:04,200] ERROR [KafkaApi-0] Unexpected error handling request (kafka.server.KafkaApis)\n"
    "org.apache.kafka.common.errors.UnsupportedVersionException: Attempted to write a non-default groupInstanceId at"
    " version 2\n",
    "KAFKA-9801": _scala(
        ("10:00:01,100", _starts(4, f"Adding new member web-1-{_UUID}1 with group instanceid Some(web-1)")),
        ("10:00:04,200", _stabilized(5)),
        (
            "10:00:04,900",
            f"Static member Some(web-2) with unknown member id rejoins, assigning new member id web-2-{_UUID}4, while"
            f" old member web-2-{_UUID}3 will be removed.",
        ),
        ("10:00:05,100", _assigned(5)),
    ),
    "KAFKA-10284": "[2024-03-04 10:00:00,100] INFO [GroupMetadataManager brokerId=0] Loading group metadata for"
    " orders with generation 5 (kafka.coordinator.group.GroupMetadataManager)\n"
    "[2024-03-04 10:00:02,100] ERROR given member.id"
    f" web-1-{_UUID}2 is identified as a known static member web-1, but not matching the expected member.id"
    f" web-1-{_UUID}1 during heartbeat, will respond with instance fenced error"
    " (kafka.coordinator.group.GroupMetadata)\n",
    "KAFKA-20115": _load(
        "Failed to unload metadata for __consumer_offsets-4 with epoch OptionalInt[5] due to"
        " org.apache.kafka.common.errors.NotLeaderOrFollowerException."
    ),
    "KAFKA-19862": _load(
        "Failed to load metadata from __consumer_offsets-4 with epoch 10 due to java.lang.RuntimeException: Replaying"
        " record CoordinatorRecord(key=ConsumerGroupCurrentMemberAssignmentKey(groupId='orders',"
        " memberId='3hVfrX5nQ1ifVbT3CSwVjA'), value=ApiMessageAndVersion(ConsumerGroupCurrentMemberAssignmentValue("
        "memberEpoch=7, previousMemberEpoch=6, state=0, assignedPartitions=[], partitionsPendingRevocation=[]) at"
        " version 0)) from __consumer_offsets-4 at offset 812 with producer id -1 and producer epoch -1 failed.."
    ),
    "automq#978": _load(
        "Failed to load metadata from __consumer_offsets-4 with epoch 2 due to scala.MatchError:"
        " kafka.log.streamaspect.ElasticLogFileRecords$BatchIteratorRecordsAdaptor@6627bbcd (of class"
        " kafka.log.streamaspect.ElasticLogFileRecords$BatchIteratorRecordsAdaptor)."
    ),
    "redpanda#3300": "[2024-03-04 10:00:00,000] INFO [Consumer clientId=web-1, groupId=orders] (Re-)joining group\n"
    "WARN  2024-03-04 10:00:04,200 [shard 0] kafka - connection_context.cc:308 - Detected error processing request:"
    f" std::runtime_error (updating non-joining member web-1-{_UUID}1)\n",
}
