"""What an unavailable partition can wait for: the values of the column `phase` of `run.blame()`, with their meaning."""

from __future__ import annotations

from enum import StrEnum


class BlamePhase(StrEnum):
    """The phases in the order in which they usually follow each other."""

    EMPTY = "empty"
    DETECTING = "detecting"
    AWAY = "away"
    STALLED = "stalled"
    PAUSED = "paused"
    JOINING = "joining"
    ASSIGNING = "assigning"
    TOLD = "told"
    SYNCING = "syncing"
    REVOKING = "revoking"
    ACKNOWLEDGING = "acknowledging"
    WITHHELD = "withheld"
    DELAYED = "delayed"
    GRANTING = "granting"
    ACCEPTING = "accepting"
    POSITIONING = "positioning"
    RESTORING = "restoring"
    FAILOVER = "failover"
    UNASSIGNED = "unassigned"
    UNKNOWN = "unknown"


PHASES: dict[str, str] = {
    BlamePhase.EMPTY: "the group has no members",
    BlamePhase.DETECTING: "its owner is dead, stalled or fenced, and the coordinator has not noticed yet",
    BlamePhase.AWAY: "its owner is a static member that restarts before its session times out",
    BlamePhase.STALLED: "its owner's process is frozen or cut off from the data, and continues later",
    BlamePhase.PAUSED: "the application paused it",
    BlamePhase.JOINING: "a rebalance waits for members to join",
    BlamePhase.ASSIGNING: "a rebalance waits for the assignment: the leader's, or that of a consumer group's new epoch",
    BlamePhase.TOLD: "its new owner in a consumer group has yet to be informed of the target, at its next heartbeat",
    BlamePhase.SYNCING: "the leader's SyncGroup is on its way, or the coordinator stores the assignment",
    BlamePhase.REVOKING: "its owner runs the revoked (or lost) callback, or commits before it",
    BlamePhase.ACKNOWLEDGING: "its owner in a consumer group has given it up, and the coordinator does not know yet",
    BlamePhase.WITHHELD: "no member is assigned to it until the follow-up rebalance starts",
    BlamePhase.DELAYED: "Connect keeps it for a worker that left, until its delay is over",
    BlamePhase.GRANTING: "its new owner has not received the assignment, or has not polled yet",
    BlamePhase.ACCEPTING: "its owner runs the assigned callback",
    BlamePhase.POSITIONING: "its owner looks up the offset to start from",
    BlamePhase.RESTORING: "its owner rebuilds state",
    BlamePhase.FAILOVER: "no coordinator runs the group",
    BlamePhase.UNASSIGNED: "the group is stable, and no member is assigned to it",
    BlamePhase.UNKNOWN: "the log does not say",
}
