"""The sentences of Java clients: the classic consumer (0.10-4.x), the KIP-848 consumer, Connect, Schema Registry."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.partition_lists import partitions
from groupsim.incidents.logs.patterns import Detail, Wording, wording
from groupsim.incidents.logs.producers.java_context_sentences import worker

_GENERATION = (
    r"Generation\{generationId={int:generation}, memberId='{some:member}', protocol='?(?P<protocol>[^'}]{0,200})'?\}"
)

_TASK = re.compile(r"\b\d{1,6}_\d{1,9}\b")
_LISTED = r"(?P<stream_tasks>[\[{][^\]}]{0,400000}[\]}])"


def _short_reason(detail: Detail, record: Record) -> None:
    """The reason of a leave without the advice that old clients append to it."""
    reason = str(detail.get("reason", "")).split(". This means")[0]
    detail["reason"] = reason.rstrip(". ")


def _assignment(detail: Detail, record: Record) -> None:
    """The leader's whole plan: member -> partitions."""
    plan: dict[str, list[str]] = {}
    pieces = str(detail.pop("plan")).split("=Assignment(partitions=[")
    member = pieces[0].lstrip("{")
    for piece in pieces[1:]:
        listed, _, rest = piece.partition("]")
        plan[member] = partitions(listed)
        member = rest.partition("), ")[2]
    if plan:
        detail["assignment"] = dict(sorted(plan.items()))


def _block(detail: Detail, record: Record) -> None:
    """`Updating assignment with` and `Reconciling assignment`: the sets listed on the lines that follow."""
    for name in ("assigned", "owned", "added", "revoked"):
        detail[name] = []
    for line in record.more:
        label, _, listed = line.partition(":")
        words = label.strip().lower()
        if listed.lstrip().startswith("["):
            listed = listed.partition("]")[0]
        if words == "member":
            detail["member"] = re.split(r"[\s\"\\]", listed.strip(), maxsplit=1)[0]
        elif words.startswith(("added", "newly added")):
            detail["added"] = partitions(listed)
        elif words.startswith("revoked"):
            detail["revoked"] = partitions(listed)
        elif "owned" in words:
            detail["owned"] = partitions(listed)
        elif "assigned partitions" in words:
            detail["assigned"] = partitions(listed)


def _tasks(detail: Detail, record: Record) -> None:
    """Tasks of Kafka Streams, `SUBTOPOLOGY_PARTITION`."""
    detail["stream_tasks"] = _TASK.findall(str(detail["stream_tasks"]))


def _no_id(detail: Detail, record: Record) -> None:
    if str(detail.get("member", "")).strip("<>").lower() in ("no id", "", "null"):
        detail.pop("member", None)


def _local(detail: Detail, record: Record) -> None:
    detail["local"] = True


EVENTS: tuple[Wording, ...] = (
    wording("joining", "(Re-)joining group", r"^\(Re-\)joining group"),
    wording(
        "joined",
        "Successfully joined group with generation Gen",
        r"^Successfully joined group with generation " + _GENERATION,
    ),
    wording("joined", "Successfully joined group with", r"^Successfully joined group with generation {int:generation}"),
    wording(
        "synced",
        "Successfully synced group",
        r"^Successfully synced group in generation " + _GENERATION,
        show="generation protocol",
    ),
    wording("rejoin_requested", "Request joining group due to", r"^Request joining group due to: {text:reason}"),
    wording(
        "rejoin_requested",
        "equesting to re-join the group",
        r"^Requesting to re-join the group and trigger rebalance since {text:reason}",
    ),
    wording(
        "leader_computed_assignment",
        "Finished assignment for group at",
        r"^Finished assignment for group at generation {int:generation}: {text:plan}",
        _assignment,
    ),
    wording(
        "assigned",
        "newly assigned partitions",
        r"^(?:Adding|Setting) newly assigned partitions:? ?{text:partitions}",
    ),
    wording(
        "revoked",
        "previously assigned partitions",
        r"^Revok(?:e|ing) previously assigned partitions:? ?{text:partitions}",
    ),
    wording(
        "assigned",
        "Invoking tasks assigned callback",
        r"^Invoking tasks assigned callback for new assignment: Assignment\{activeTasks=" + _LISTED,
        _tasks,
    ),
    wording(
        "revoked",
        "Invoking task revoked callback",
        r"^Invoking task revoked callback for revoked active tasks " + _LISTED,
        _tasks,
    ),
    wording("lost", "Invoking tasks lost callback", r"^Invoking tasks lost callback for all tasks"),
    wording("client_reconciling", "Assigned tasks with local epoch", r"^Assigned tasks with local epoch {int:epoch}"),
    wording("lost", "Lost previously assigned", r"^Lost previously assigned partitions:? ?{text:partitions}"),
    wording(
        "giving_away_all",
        "Giving away all assigned",
        r"^Giving away all assigned partitions as lost since {text:reason}",
    ),
    wording("client_block", "Updating assignment with", r"^Updating assignment with", _block),
    wording(
        "client_reconciling",
        "Reconciling assignment with",
        r"^Reconciling assignment with local epoch {int:epoch}",
        _block,
    ),
    wording(
        "client_notified",
        "Notifying assignor about",
        r"^Notifying assignor about the new Assignment\(partitions=\[(?P<partitions>[^\]]{0,4000000})\]",
    ),
    wording(
        "poll_timeout leave_sent",
        "consumer poll timeout has expired. This means",
        r"^Member {member} sending LeaveGroup request to coordinator .{1,300}? due to {text:reason}",
        _short_reason,
    ),
    wording(
        "leave_sent",
        "sending LeaveGroup request",
        r"^Member {member} sending LeaveGroup request to coordinator .{1,300}? due to {text:reason}",
        _short_reason,
    ),
    wording("leave_sent", "Sending LeaveGroup request", r"^Sending LeaveGroup request to coordinator"),
    wording("leave_sent", "sending LeaveGroup request", r"^Member {member} sending LeaveGroup request"),
    wording(
        "leave_failed", "LeaveGroup request", r"^LeaveGroup request (?:with .{0,300}? )?failed with error: {text:error}"
    ),
    wording(
        "poll_timeout",
        "onsumer poll timeout has expired",
        r"^(?:This member will leave the group because )?[Cc]onsumer poll timeout",
    ),
    wording(
        "client_poll_was_late",
        "Time between subsequent calls to poll()",
        r"longer than the configured max\.poll\.interval\.ms, exceeded approximately by {int:exceeded_by_ms} ms",
    ),
    wording(
        "generation_reset",
        "Resetting generation",
        r"^Resetting generation(?P<id_too> and member id)? due to:? {text:reason}",
        lambda detail, _: detail.update(member_id_too=detail.pop("id_too", None) is not None),
    ),
    wording(
        "client_heartbeat_stale",
        "Attempt to heartbeat with stale",
        r"^Attempt to heartbeat with stale " + _GENERATION,
    ),
    wording(
        "generation_reset",
        "Attempt to heartbeat with Gen",
        r"^Attempt to heartbeat with " + _GENERATION + r".{0,300}? failed due to {word:reason}, resetting generation",
    ),
    wording(
        "generation_reset",
        "Attempt to heartbeat failed",
        r"^Attempt to heartbeat failed (?:since|for since) (?P<reason>(?:generation|member id) .{1,700}?) is not",
    ),
    wording(
        "heartbeat_says_rebalancing",
        "Attempt to heart",
        r"^Attempt to heart ?beat failed (?:for group .{1,400}? )?since (?:the )?(?:group|it) is rebalancing",
    ),
    wording("client_heartbeat_refused", "Attempt to heartbeat failed", r"^Attempt to heartbeat failed {text:reason}"),
    wording(
        "coordinator_found",
        "Discovered group coordinator",
        r"^Discovered group coordinator {text:coordinator}",
        show="",
    ),
    wording("coordinator_found", "Discovered coordinator", r"^Discovered coordinator {text:coordinator}", show=""),
    wording(
        "coordinator_lost",
        "is unavailable or invalid",
        r"^Group coordinator (?P<coordinator>.{1,300}?) is unavailable or invalid(?: due to cause:"
        r" (?P<reason>.{1,600}?)\.(?: ?isDisconnected|$))?",
    ),
    wording("coordinator_lost", "Marking the coordinator", r"^Marking the coordinator (?P<coordinator>.{1,300}?) dead"),
    wording("join_failed", "JoinGroup failed", r"^JoinGroup failed:? {text:error}"),
    wording("join_failed", "Join group failed", r"^Join group failed with {text:error}"),
    wording("join_failed", "Attempt to join group", r"^Attempt to join group (?:.{0,400}? )?failed {text:error}"),
    wording("rebalance_failed", "SyncGroup failed", r"^SyncGroup failed:? {text:error}"),
    wording("rebalance_failed", "SyncGroup for group", r"^SyncGroup for group {group} failed due to {text:error}"),
    wording("rebalance_failed", "ebalance failed", r"^Rebalance failed\.?"),
    wording(
        "commit_failed",
        "Failing OffsetCommit request",
        r"^Failing OffsetCommit request since {text:error}",
        _local,
    ),
    wording(
        "commit_failed",
        "Offset commit failed on",
        r"^Offset commit (?:with .{0,4000}? )?failed on partition {word:partition} at offset"
        r" {int:offset}: {text:error}",
    ),
    wording("commit_failed", "OffsetCommit failed", r"^OffsetCommit failed (?:with|for) {text:error}"),
    wording(
        "commit_failed",
        "commit of offsets",
        r"^(?:Asynchronous |Synchronous )?[Aa]uto-commit of offsets \{.*? failed[^:]{0,60}(?:: {text:error})?$",
        show="error",
    ),
    wording(
        "commit_failed",
        "Offset commit",
        r"^(?:Asynchronous )?Offset commit .{0,4000}? failed:? {text:error}",
        show="error",
    ),
    wording(
        "state_change",
        " transitioned from ",
        r"^Member {member} with epoch {int:epoch} transitioned from (?P<from>[A-Z_]{1,40}) to"
        r" (?P<to>[A-Z_]{1,40})\.?\s*$",
        _no_id,
    ),
    wording(
        "client_heartbeat_refused", "HeartbeatRequest failed", r"^ConsumerGroupHeartbeatRequest failed {text:reason}"
    ),
    wording(
        "client_fatal",
        "Caught fenced group.instance.id",
        r"^Caught fenced group\.instance\.id .{0,300}? error in heartbeat",
    ),
    wording("client_fatal", "transitioned to fatal state", r"^Member .{0,600}? transitioned to fatal"),
    wording("rebalance_start", "Rebalance started", r"^Rebalance started"),
    wording(
        "worker_assigned",
        "and got assignment: Assignment{",
        r"^Joined group(?: at generation {int:generation})?(?: with protocol version"
        r" {int:protocol_version})? and got assignment:"
        r" {text:printed}",
        worker,
        show="generation connectors tasks delay_ms leader",
    ),
    wording(
        "worker_revoked_itself",
        "Broker coordinator was unreachable for",
        r"^Broker coordinator was unreachable for {int:after_ms}ms\. Revoking previous assignment",
    ),
)
"""What follows `[Consumer clientId=..., groupId=...]` and is shown."""
