"""What the answer to a heartbeat tells besides tasks (KIP-1071: statuses), in Kafka's order."""

from __future__ import annotations

from groupsim.coordinator.streams.commands import StreamsHeartbeat
from groupsim.coordinator.streams.group_config import tags
from groupsim.coordinator.streams.state import Member, StreamsGroup
from groupsim.events.streams import Pairs

TAGS_SINCE = 1
"""From this version of the request on members learn which tags they lack."""


def statuses(group: StreamsGroup, member: Member, cmd: StreamsHeartbeat, waits: str | None) -> Pairs:
    """Status and detail of each; `waits`: why a target that is due has to wait, if it has."""
    listed: list[tuple[str, str]] = []
    epoch = group.topology.epoch if group.topology is not None else 0
    if member.topology_epoch < epoch:
        detail = f"The member's topology epoch {member.topology_epoch} is behind the group's topology epoch {epoch}."
        listed.append(("STALE_TOPOLOGY", detail))
    if waits is not None:
        listed.append(("ASSIGNMENT_DELAYED", f"Assignment delayed due to the configured {waits}."))
    if group.configured is not None and group.configured.problem is not None:
        status, detail = group.configured.problem
        listed.append((status, detail + _refused(group, cmd)))
    asked = group.shutdown
    if asked is not None:
        detail = f"Streams group member {asked} encountered a fatal error and requested a shutdown for the entire"
        listed.append(("SHUTDOWN_APPLICATION", f"{detail} application."))
    lacks = _lacking(group, member, cmd)
    if lacks and cmd.version >= TAGS_SINCE:
        detail = f"Missing required client tags for rack-aware standby assignment: [{', '.join(lacks)}]."
        listed.append(
            ("MISSING_CLIENT_TAGS", f"{detail} Configure them via 'client.tag.<tagKey>' in your Streams config.")
        )
    return tuple(listed)


def _refused(group: StreamsGroup, cmd: StreamsHeartbeat) -> str:
    """Why the broker could not make the internal topics that are missing, for a while."""
    missing = group.configured.missing if group.configured is not None else ()
    if not missing or group.refused is None or cmd.context.at_ms >= group.refused.until_ms:
        return ""
    return f"; Creation failed: {', '.join(f'{name} ({reason})' for name, reason in group.refused.reasons)}."


def _lacking(group: StreamsGroup, member: Member, cmd: StreamsHeartbeat) -> list[str]:
    wanted = {key.strip() for key in tags(group.configs, cmd.context).split(",") if key.strip()}
    return sorted(wanted - {key for key, _ in member.tags})
