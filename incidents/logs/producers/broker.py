"""Wordings of Kafka brokers: the Scala coordinator (0.11-3.x) and the Java one (3.7-4.x) about classic groups."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Wording, wording

_OFFSETS = r"(?: \(__consumer_offsets-\d{1,9}\))?"
_STATIC_MEMBERS = r"(?:\. The group has {int:members} members, {int:statics} of which are static)?"
_METADATA = re.compile(
    r"memberId=(?P<member>.{1,600}?)(?:, groupInstanceId=(?P<instance>.{1,300}?))?, clientId=(?P<client_id>.{0,300}?),"
    r" clientHost=(?P<host>.{0,100}?), sessionTimeoutMs=(?P<session_timeout_ms>\d{1,9}),"
    r" rebalanceTimeoutMs=(?P<rebalance_timeout_ms>\d{1,9})"
)
_NAMED = re.compile(
    r"(?:[Aa]dding new member|[Rr]emoving member|[Ll]eader|[Uu]pdating metadata for(?: static)? member|Member)"
    r" (?P<member>\S{1,600}?)(?: with | on |,| re-joining| joining| during|$)"
)
_LEAVERS = re.compile(r"explicit `LeaveGroup` request for \((?P<member>[^)]{1,600})\) members")


def _named_in_reason(detail: Detail, record: Record) -> None:
    """The member that the reason of a rebalance names."""
    detail.pop("group_state", None)
    reason = str(detail.get("reason", ""))[:4096]
    found = _NAMED.search(reason) or _LEAVERS.search(reason)
    if found is not None:
        detail["member"] = found["member"].split(",")[0].strip()


def _from_metadata(detail: Detail, record: Record) -> None:
    """What the Scala coordinator prints of a member that left: its id, host and timeouts."""
    found = _METADATA.search(str(detail.get("printed")))
    if found is None:
        return
    detail["member"] = found["member"]
    detail["client_id"], detail["client_host"] = found["client_id"], found["host"]
    detail["session_timeout_ms"] = int(found["session_timeout_ms"])
    detail["rebalance_timeout_ms"] = int(found["rebalance_timeout_ms"])
    instance = _instance(found["instance"] or "None")
    if instance is not None:
        detail["instance"] = instance


def _plain_instance(detail: Detail, record: Record) -> None:
    instance = _instance(str(detail.pop("instance", "None")))
    if instance is not None:
        detail["instance"] = instance


def _instance(printed: str) -> str | None:
    """`Some(i)` and `Optional[i]` are i; `None`, `Some(null)` and `null` are nobody."""
    inner = re.fullmatch(r"(?:Some\(|Optional\[)(.{0,300}?)[)\]]", printed)
    name = inner[1] if inner else printed
    return None if name in ("None", "null", "Optional.empty", "") else name


def _member_set(detail: Detail, record: Record) -> None:
    text = re.sub(r"^(?:Set|HashSet|List|Vector)?[(\[]|[)\]]$", "", str(detail.get("set", "")))
    detail["members_named"] = sorted(filter(None, (m.strip() for m in text.split(","))))
    del detail["set"]
    if len(detail["members_named"]) == 1:  # type: ignore[arg-type]
        detail["member"] = detail["members_named"][0]  # type: ignore[index]


def _entry(detail: Detail, record: Record) -> None:
    """Whether a new id is only issued (KIP-394) or its owner was let in at once."""
    detail["group_state"] = detail.pop("group_state2", detail.get("group_state"))
    if detail.get("instance") or detail.pop("added", None):
        detail["added"] = True


WORDINGS: tuple[Wording, ...] = (
    wording(
        "rebalance_start",
        "Preparing to re",
        r"Preparing to re(?:balance|stabilize) group {group}(?: in state {word:group_state})? with old generation"
        r" {int:old_generation}" + _OFFSETS + r"(?: \(reason: {text:reason}\))?",
        _named_in_reason,
        show="old_generation reason",
    ),
    wording(
        "stabilized",
        "Stabilized group ",
        r"Stabilized group {group} generation {int:generation}" + _OFFSETS + r"(?: with {int:members} members)?",
    ),
    wording(
        "assignment_received",
        "Assignment received from leader ",
        r"Assignment received from leader (?:(?P<leader>.{1,600}?) )?for group {group} for generation"
        r" {int:generation}" + _STATIC_MEMBERS + r"\.?\s*$",
        show="generation leader members statics",
    ),
    wording(
        "member_failed",
        "has failed, removing it",
        r"(?:^|[^\w])Member {member} in group ?{group} has failed, removing it from the group",
    ),
    wording(
        "member_left",
        "has left, removing it",
        r"Member\s?\[group\.instance\.id {some:instance}, member\.id {member}\] in group {group} has left, removing it",
        _plain_instance,
    ),
    wording("member_left", "has left, removing it", r"Member {member} in group {group} has left, removing it"),
    wording(
        "member_left",
        "through explicit `LeaveGroup`",
        r"Member (?P<printed>MemberMetadata\(.{1,3000}?\)) has left group {group} through explicit `LeaveGroup`"
        r"(?: request)?(?:; client reason: {text:reason})?",
        _from_metadata,
        show="member reason instance client_id client_host session_timeout_ms rebalance_timeout_ms",
    ),
    wording(
        "member_left",
        "through explicit `LeaveGroup`",
        r"\[Group {group}\] (?:Dynamic m|Static m|M)ember {member}(?: with (?:group )?instance id {some:instance})?"
        r" has left group through explicit `LeaveGroup`(?: request)?"
        r"(?:; client reason: {text:reason})?",
    ),
    wording(
        "member_left",
        "through explicit `LeaveGroup`",
        r"Member {member} has left group {group} through explicit `LeaveGroup`(?: request)?"
        r"(?:; client reason: {text:reason})?",
    ),
    wording(
        "member_id_created",
        "Created a new member id ",
        r"(?i:dynamic member) with unknown member id (?:re)?joins group {group} in (?:state {word:group_state}\."
        r"|{word:group_state2} state\.?;?) Created a new member id {member}"
        r" (?:and request|(?P<added>for this member|and added))",
        _entry,
    ),
    wording(
        "member_id_created",
        "Created a new member id ",
        r"Static member with groupInstanceId={some:instance} and unknown member id joins group {group} in"
        r" {word:group_state} state\. Created a new member id {member} (?:for this member|and)",
        _entry,
    ),
    wording(
        "member_id_created",
        "Adding new static member ",
        r"Adding new static member {some:instance} to group {group} with member id {member}\.",
        _plain_instance,
    ),
    wording(
        "pending_member_joins",
        "Adding to the group now",
        r"Pending (?:dynamic )?member (?:with id )?{member} joins group {group} in {word:group_state} state\. Adding",
        show="member",
    ),
    wording(
        "pending_member_joins",
        "Dynamic Member with specific member id",
        r"Dynamic Member with specific member id {member} joins group {group} in {word:group_state} state\. Adding",
        show="member",
    ),
    wording(
        "static_member_replaced",
        "Replacing previously mapped member",
        r"Static member with groupInstanceId={some:instance} and unknown member id joins group {group} in"
        r" {word:group_state} state\. Replacing previously mapped member {some:old_member} with this",
    ),
    wording(
        "static_member_replaced",
        "with unknown member id rejoins",
        r"Static member {some:instance}(?: of group {group})? with unknown member id rejoins(?: group"
        r" {some:g2} in .{0,60}?)?,"
        r" assigning new member id {member}, while old member(?: id)? {some:old_member} will be removed",
        _plain_instance,
    ),
    wording(
        "static_rejoin_without_rebalance",
        "will not trigger",
        r"Static member (?:which )?joins during {word:group_state} stage (?:and doesn't affect .{1,60}?"
        r" )?will not trigger",
        show="group_state",
    ),
    wording(
        "group_empty",
        "is now empty",
        r"Group {group} with generation {int:generation} is now empty",
    ),
    wording(
        "group_empty",
        "is dead, skipping",
        r"Group {group} with generation {int:generation} is dead, skipping initial",
    ),
    wording(
        "group_dead",
        "transitioned to Dead",
        r"Group {group} transitioned to Dead in generation {int:generation}",
    ),
    wording(
        "group_dead",
        "is dead and removed",
        r"(?:^|\]:? )Group {group} generation {int:generation} is dead and removed",
    ),
    wording("group_dead", "is now dead", r"Group {group} with generation {int:generation} is now dead"),
    wording(
        "group_loaded",
        "Loading group metadata for ",
        r"Loading group metadata for {group} with generation {int:generation}",
    ),
    wording(
        "group_loaded",
        "Loaded member ",
        r"Loaded member (?P<printed>MemberMetadata\(.{1,3000}?\)) in group {group} with generation {int:generation}",
        _from_metadata,
        show="generation member instance client_id client_host session_timeout_ms rebalance_timeout_ms",
    ),
    wording(
        "group_loaded",
        "Static member ",  # Scala prints the whole member where its author meant the instance id
        r"Static member (?P<printed>MemberMetadata\(.{1,3000}?\))\.groupInstanceId of group {group}"
        r" loaded with member id {member} at generation {int:generation}",
        _from_metadata,
        show="generation member instance client_id client_host session_timeout_ms rebalance_timeout_ms",
    ),
    wording("group_loaded", "Loaded classic group ", r"Loaded classic group {group} with {int:members} members"),
    wording("group_loaded", "Loaded consumer group ", r"Loaded consumer group {group} with {int:members} members"),
    wording(
        "empty_assignment",
        "Setting empty assignments for members",
        r"Setting empty assignments for members {some:set} of {group} for generation {int:generation}",
        _member_set,
    ),
    wording(
        "empty_assignment",
        "Sending empty assignment to member",
        r"Sending empty assignment to member {member} of {group} for generation {int:generation} with no errors",
    ),
    wording(
        "rebalance_failed",
        "could not complete rebalance",
        r"Group {group} could not complete rebalance because {text:reason}",
    ),
    wording(
        "broker_join_timeout",
        "removed dynamic members who haven't joined",
        r"Group {group} removed dynamic members who haven't joined: {some:set}\s*$",
        _member_set,
    ),
    wording(
        "broker_sync_timeout",
        "removed members who haven't sent their sync",
        r"Group {group} removed members who haven't sent their sync request: {some:set}\s*$",
        _member_set,
    ),
    wording(
        "broker_pending_expired",
        "has been removed after session timeout",
        r"Pending member {member} in group {group} has been removed after session timeout expiration",
    ),
    wording(
        "broker_unloaded",
        "Unloading group metadata for ",
        r"Unloading group metadata for {group} with generation {int:generation}",
    ),
    wording(
        "broker_unloaded",
        "Unloading group metadata for generation",
        r"\[GroupId=?\s?{group}\] Unloading group metadata for generation {int:generation}",
    ),
    wording(
        "broker_leader_replaced",
        "Group leader [",
        r"Group leader \[member(?:\.id|Id): {member}, group(?:\.instance\.id|InstanceId):"
        r" {some:instance}\] failed to join before",
    ),
    wording(
        "broker_fenced",
        " is fenced by ",
        r"Request memberId={member} for static member with groupInstanceId={some:instance} is fenced by"
        r" (?:current|existing) memberId={word:current} during operation {word:operation}",
    ),
    wording(
        "broker_fenced",
        "expected member.id",
        r"given member\.id {member} is identified as a known static member {some:instance}, ?but not matching"
        r" the expected member\.id {word:current}(?: during {word:operation},)?",
    ),
    wording(
        "broker_unexpected", "Attempt to add rejoining member", r"Attempt to add rejoining member {member} of group"
    ),
)
