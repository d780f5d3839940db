"""Why a group rebalanced, and why a member rejoined or left: one word for each of Kafka's and its clients' sentences.

Nothing behind the facts of an import reads these sentences again.
"""

from __future__ import annotations

import re

from groupsim.events.consumer import LossCause
from groupsim.events.types import LeaveCause, RejoinCause

_REBALANCE_CAUSES = (
    (re.compile(r"^Downgrade group "), "downgraded"),
    (re.compile(r"[Aa]dding new member"), "member-joined"),
    (re.compile(r"on heartbeat expiration"), "session-expired"),
    (re.compile(r"LeaveGroup"), "member-left"),
    (re.compile(r"pending sync request expiration"), "sync-timeout"),
    (re.compile(r"static member", re.I), "static-replaced"),
    (re.compile(r"[Ll]eader .{1,600}? re-joining"), "leader-rejoined"),
    (re.compile(r"over capacity"), "over-capacity"),
    (re.compile(r"[Uu]pdating metadata|Member .{1,600}? joining group"), "member-rejoined"),
    (re.compile(r"[Rr]emoving member"), "member-left"),
)
_REJOIN_CAUSES = (
    ("already rebalancing", RejoinCause.GROUP_REBALANCING),
    ("subscription", RejoinCause.SUBSCRIPTION_CHANGED),
    ("metadata has changed", RejoinCause.METADATA_CHANGED),
    ("need to revoke", RejoinCause.PARTITIONS_REVOKED),
    ("re-join", RejoinCause.MEMBER_ID_REQUIRED),
    ("encountered", RejoinCause.ERROR),
    ("failed", RejoinCause.ERROR),
)
_LOSS_CAUSES = (
    ("session expired", LossCause.SESSION_EXPIRED),
    ("failed to transition", LossCause.REBALANCE_TIMEOUT),
    ("join", LossCause.JOIN_TIMEOUT),
    ("sync", LossCause.SYNC_TIMEOUT),
)
_LEAVE_CAUSES = (
    ("poll timeout", LeaveCause.POLL_TIMEOUT),
    ("closed", LeaveCause.CLOSED),
    ("unsubscribed", LeaveCause.UNSUBSCRIBED),
)
_METADATA = re.compile(r"\(version(\d{1,9}): .{0,20000}? to \(version(\d{1,9}): ")
_SUBSCRIBED = re.compile(r"subscription has changed .{0,4000} to \[([^\]]{0,4000})\]")
_SUBSCRIBED_BEFORE = re.compile(r"subscription has changed from \[([^\]]{0,4000})\]")


def rebalance_cause(reason: str) -> str:
    """The cause of a RebalanceStarted, from the reason that the coordinator prints; `unknown` for another sentence."""
    return next((cause for pattern, cause in _REBALANCE_CAUSES if pattern.search(reason)), "unknown")


def client_cause(reason: str) -> RejoinCause | None:
    """Why the client that caused a rebalance joined, by its own words in the coordinator's reason (KIP-800)."""
    return rejoin_cause(reason.partition("client reason:")[2])


def rejoin_cause(reason: str) -> RejoinCause | None:
    """Why a client joins (again); None for another sentence."""
    return next((cause for words, cause in _REJOIN_CAUSES if words in reason), None)


def new_subscription(reason: str) -> tuple[str, ...] | None:
    """The topics that a client subscribes to from here on, if that is why it joins again."""
    return _topics(_SUBSCRIBED.search(reason))


def subscription_before(reason: str) -> tuple[str, ...] | None:
    """The topics that it subscribed to until then, if that is why it joins again."""
    return _topics(_SUBSCRIBED_BEFORE.search(reason))


def _topics(found: re.Match[str] | None) -> tuple[str, ...] | None:
    return None if found is None else tuple(sorted(t.strip() for t in found[1].split(",") if t.strip()))


def metadata_versions(reason: str) -> tuple[int, int] | None:
    """By how many refreshes a Java consumer's metadata had changed: their numbers at the last rebalance, and now."""
    found = _METADATA.search(reason)
    return None if found is None else (int(found[1]), int(found[2]))


def leave_cause(reason: str | None) -> LeaveCause | None:
    """Why a client left; None for another sentence, or none."""
    return next((cause for words, cause in _LEAVE_CAUSES if words in (reason or "")), None)


def removal_cause(reason: str | None) -> str:
    """The cause of a MemberRemoved for a member that failed, from what the broker prints, if it prints a reason."""
    return "session-expired" if reason is None or "session" in reason else "sync-timeout"


def loss_cause(reason: str | None) -> LossCause:
    """Why a member of a consumer group was removed, from the end of `fenced from the group because …`."""
    return next((cause for words, cause in _LOSS_CAUSES if words in (reason or "")), LossCause.REMOVED)


def announces_leave(reason: object) -> bool:
    """Whether a Java client's reason is that it leaves: it prints this as it would a reason to rejoin or reset."""
    return "pro-actively leaving" in str(reason)


def given_member_id(reason: str) -> str | None:
    """The member id that the coordinator gave to a client, if that is why the client joins again (KIP-394)."""
    return reason.partition("given member-id: ")[2] or None
