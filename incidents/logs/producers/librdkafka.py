"""librdkafka: stderr, `debug=cgrp`, and inside another program's log (`[rdk:CGRPOP] [thrd:main]: …`)."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Match, Wording, first_match, wording
from groupsim.incidents.logs.producers.librdkafka_evidence import EVIDENCE, GROUP, partition_named


def _coordinator(detail: Detail, record: Record) -> None:
    before, after = detail.pop("before"), detail.pop("after")
    detail["reason"] = f"{'' if after == '-1' else 'another broker is the '}coordinator {before} -> {after}"


def _setting(detail: Detail, record: Record) -> None:
    detail["settings"] = {str(detail.pop("name")): int(str(detail.pop("printed")))}


_PLACE = re.compile(r"([^\s,\"()]{1,300})\([^\s()]{1,100}\)\[(\d{1,9})\]")
"""`orders(YhoqH87LRYWvcMCYj2Y87A)[8]`: a partition with its topic's id."""
_NOBODY = ("(null)", "NULL")


def _epoch_sent(detail: Detail, record: Record) -> None:
    if detail.get("instance") in _NOBODY:
        detail.pop("instance")


def _target(detail: Detail, record: Record) -> None:
    printed = detail.pop("printed", None)
    if printed is not None:
        detail["assigned"] = [f"{topic}-{number}" for topic, number in _PLACE.findall(str(printed))]


WORDINGS: tuple[Wording, ...] = (
    wording(
        "poll_timeout leave_sent",
        "Application maximum poll interval",
        r"Application maximum poll interval \({int:limit_ms}ms\) exceeded by {int:exceeded_by_ms}ms \(adjust"
        r" max\.poll\.interval\.ms .{0,120}?\): leaving group",
    ),
    wording(
        "session_expired",
        "Consumer group session timed out",
        r"(?:^|\]:? )Consumer group session timed out \(in join-state {word:join_state}\) after {int:after_ms} ms",
    ),
    wording(
        "coordinator_lost",
        "Coordinator response error: ",
        GROUP + r" (?:Group|Find)Coordinator response error: (?:\w{1,60}: )?(?P<reason>Broker: .{1,300})",
    ),
    wording(
        "commit_failed",
        "unable to OffsetCommit",
        GROUP + r": unable to OffsetCommit in state [\w-]{1,40}: {text:error}",
        show="error",
    ),
    wording(
        "commit_failed",
        "Offset commit (",
        r"Offset commit \(.{0,200}?\) failed for (?:\d{1,9}/\d{1,9}|all) partition\(s\)"
        r"(?: .{0,60}?in join-state {word:join_state})?: {text:error}",
        show="error",
    ),
    wording("client_closing", " received op TERMINATE", GROUP + r" received op TERMINATE\b"),
    wording(
        "cgrp_state",
        " received op ",
        GROUP + r" received op (?P<op>[\w:]{1,60})(?: \(v\d{1,9}\))? in state {word:state} \(join[- ]state"
        r" (?P<join_state>[\w-]{1,60})(?:, v\d{1,9}(?: vs \d{1,9})?)?\)"
        r"(?: for (?P<topic>\S{1,300}) \[(?P<number>\d{1,9})\])?",
        partition_named,
    ),
    wording("client_added", ": add ", GROUP + r": add (?P<topic>\S{1,300}) \[(?P<number>\d{1,9})\]", partition_named),
    wording(
        "client_removed", ": delete ", GROUP + r": delete (?P<topic>\S{1,300}) \[(?P<number>\d{1,9})\]", partition_named
    ),
    wording(
        "cgrp_state",
        " changed state ",
        GROUP + r" changed state (?P<from>\S{1,60}) -> (?P<to>\S{1,60})(?: \((?:v\d{1,9}, )?join-state"
        r" (?P<join_state>[\w-]{1,60})\))?",
    ),
    wording(
        "cgrp_state",
        " changed join state ",
        GROUP + r" changed join state (?P<from>\S{1,60}) -> (?P<to>\S{1,60})"
        r"(?: \((?:v\d{1,9}, )?state (?P<state>[\w-]{1,60})\))?",
    ),
    wording(
        "client_setting",
        ".ms = ",
        r"\[thrd:\w{1,40}\]:? {1,4}(?P<name>(?:session\.timeout|heartbeat\.interval|max\.poll\.interval)\.ms) = "
        r"(?P<printed>\d{1,9})$",
        _setting,
    ),
    wording(
        "heartbeat_sent", ": Heartbeat for group", r": Heartbeat for group \"{group}\" generation id {int:generation}$"
    ),
    wording(
        "joining",
        'oining group "',
        r"Joining group \"{group}\" with \d{1,9} subscribed topic\(s\)(?: and member id \"(?P<member>[^\"]{0,600})\")?",
        show="",
    ),
    wording(
        "joined",
        "JoinGroup response: GenerationId",
        r"JoinGroup response: GenerationId {int:generation}, Protocol (?P<protocol>.{0,200}?), LeaderId"
        r" (?P<leader>.{0,600}?)"
        r"(?: \(me\))?, my MemberId {member}, (?:member metadata count \d{1,9}|\d{1,9} members in group): \(no error\)",
    ),
    wording(
        "join_failed",
        "JoinGroup response: GenerationId",
        r"JoinGroup response: GenerationId .{0,1900}?"
        r"(?:member metadata count \d{1,9}|\d{1,9} members in group): {text:error}",
    ),
    wording("synced", "SyncGroup response: ", r"SyncGroup response: Success \(", show=""),
    wording("rebalance_failed", "SyncGroup response: ", r"SyncGroup response: (?P<error>.{1,300}?) \(\d{1,9} bytes"),
    wording("rebalance_failed", "synchronization failed", GROUP + r": synchronization failed: {text:error}"),
    wording(
        "leader_computed_assignment",
        '" assignor run for ',
        GROUP + r": \"(?P<protocol>[^\"]{1,100})\" assignor run for {int:members} member\(s\)",
    ),
    wording(
        "rejoin_requested", "ejoining ", GROUP + r":? [Rr]ejoining (?:group|in join-state) .{0,80}?: {text:reason}"
    ),
    wording(
        "assigned",
        "assign of ",
        GROUP + r": delegating (?:incremental )?assign of {int:partition_count} partition\(s\) to application",
    ),
    wording(
        "revoked",
        "revoke of ",
        GROUP + r": delegating (?:incremental )?revoke of {int:partition_count} partition\(s\) to application",
    ),
    wording(
        "lost",
        "current assignment of ",
        GROUP + r": current assignment of {int:partition_count} partition\(s\) lost: {text:reason}",
    ),
    wording("leave_sent", "leave (in state", GROUP + r": leave \(in state {word:state}\)", show=""),
    wording("coordinator_found", "coordinator set to broker", GROUP + r" coordinator set to broker", show=""),
    wording(
        "coordinator_lost",
        " coordinator ",
        GROUP + r" chang(?:ing|ed) coordinator (?P<before>\d{1,12}) -> (?P<after>-1)",
        _coordinator,
    ),
    wording(
        "coordinator_lost coordinator_found",
        " coordinator ",
        GROUP + r" chang(?:ing|ed) coordinator (?P<before>\d{1,12}) -> (?P<after>\d{1,12})",
        _coordinator,
    ),
    wording(
        "coordinator_lost reason_given",
        "marking the coordinator",
        GROUP + r": (?P<reason>marking the coordinator (?:\(-?\d{1,12}\) )?dead: .{1,300})",
    ),
    wording(
        "heartbeat_says_rebalancing",
        "heartbeat error response",
        GROUP + r" heartbeat error response in state .{0,200}?: Broker: Group rebalance in progress",
    ),
    wording(
        "coordinator_lost",
        "heartbeat error response",
        GROUP + r" heartbeat error response in state .{0,200}?: (?P<reason>Broker: Not coordinator.{0,100})",
    ),
    wording(
        "generation_reset",
        "heartbeat error response",
        GROUP + r" heartbeat error response in state .{0,200}?:"
        r" (?P<reason>Broker: (?:Unknown member|Specified group generation id|Static).{0,100})",
    ),
    wording(
        "heartbeat_says_rebalancing", "Heartbeat failed: REBALANCE_IN_PROGRESS", r"\]:? Heartbeat failed: REBALANCE"
    ),
    wording(
        "generation_reset",
        "Heartbeat failed: ",
        r"\]:? Heartbeat failed: (?P<reason>(?:UNKNOWN_MEMBER_ID|ILLEGAL_GENERATION|FENCED_INSTANCE_ID)\b.{0,200})",
    ),
    wording(
        "consumer_heartbeat",
        "ConsumerGroupHeartbeat of member id",
        r"ConsumerGroupHeartbeat of member id \"{member}\", group id \"{group}\", generation id {int:epoch},"
        r" group instance id \"(?P<instance>[^\"]{1,300})\"",
        _epoch_sent,
    ),
    wording(
        "consumer_heartbeat_answered",
        "ConsumerGroupHeartbeat response received for member id",
        r"ConsumerGroupHeartbeat response received for member id \"{member}\" with epoch {int:epoch}",
    ),
    wording(
        "client_target",
        "Reconciliation starts with new target",
        r"Reconciliation starts with new target assignment(?: \"(?P<printed>[^\"]{0,4000000})\")?",
        _target,
    ),
    wording("client_target_acked", "Target assignment acked", r"Target assignment acked"),
)

_FACILITIES = frozenset(
    [
        "ASSIGN",
        "ASSIGNDONE",
        "ASSIGNMENT",
        "CGRP",
        "CGRPCOORD",
        "CGRPMETADATA",
        "CGRPOP",
        "CGRPQUERY",
        "CGRPTERM",
        "CLEARASSIGN",
        "COMMIT",
        "COOPASSIGN",
        "COORD",
        "COORDCLEAR",
        "COORDSET",
        "DESTROY",
        "DUMP",
        "DUMP_ALL",
        "DUMP_PND",
        "DUMP_QRY",
        "DUMP_REM",
        "GRPASSIGNMENT",
        "GRPASSIGNOR",
        "GRPLEADER",
        "HEARTBEAT",
        "INIT",
        "JOIN",
        "JOINGROUP",
        "LEAVEGROUP",
        "LOST",
        "MEMBERID",
        "NOREJOIN",
        "OFFSET",
        "PARTADD",
        "PARTDEL",
        "PAUSE",
        "REBALANCE",
        "REJOIN",
        "REMOVE",
        "SERVE",
        "SRVPEND",
        "STOPSERVE",
        "SUBSCRIBE",
        "SUBSCRIPTION",
        "SYNCGROUP",
        "UNSUBSCRIBE",
        "TERMINATE",
        "CGRPTERMINATE",
        "UNASSIGN",
        "ADDPEND",
        "RESUME",
        "FETCH",
        "DESP",
    ]
)
"""Facilities (`%7|…|HEARTBEAT|…`) whose other lines say nothing that is used."""


_FACILITY = re.compile(
    r"fac: '(?P<node>[A-Z_]{1,40})'|(?:RDKAFKA|LOG)-\d-(?P<syslog>[A-Z_]{1,40}):|\[rdk:(?P<rdk>[A-Z_]{1,40})\]"
    r"|#consumer-\d{1,6}\|(?P<bar>[A-Z_]{1,40})\|"
)
_CLIENT = re.compile(r"(?<![\w.-])([\w.-]{1,249}#consumer-\d{1,6})\b")


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a librdkafka record; None if it is not one, or not known."""
    named = (record.logger or "").startswith("rdkafka.")
    if (
        not named
        and not any(
            word in record.text for word in ("rdk", "[thrd:", "maximum poll interval (", "JoinGroup response: ")
        )
        and 'Group "' not in record.text
        and "group session" not in record.text
    ):
        return None
    found = first_match(WORDINGS + EVIDENCE, record)
    if found is None:
        return () if _is_noise(record) else None
    client = record.client
    if client is None and (printed := _CLIENT.search(record.text[:400])) is not None:
        client = printed[1]
    return tuple(f._replace(client=client) for f in found) if client else found


def _is_noise(record: Record) -> bool:
    """Whether its facility's lines say nothing that is used, or, without a facility, librdkafka surely wrote it."""
    facility = record.fields.get("fac")
    if (record.logger or "").startswith("rdkafka."):
        facility = (record.logger or "")[8:]
    elif facility is None and (found := _FACILITY.search(record.text[:400])) is not None:
        facility = found[found.lastgroup or 0]
    return facility in _FACILITIES if facility is not None else "[thrd:" in record.text[:400]
