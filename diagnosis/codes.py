"""The closed sets of a diagnosis: codes of causes, how certain a finding is, types of groups."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """What made a group rebalance, stop, or lose partitions."""

    POLL_TIMEOUT = "poll-timeout"
    SESSION_EXPIRED = "session-expired"
    CRASH_LOOP = "crash-loop"
    RESTART = "restart"
    ROLLING_RESTART = "rolling-restart"
    SCALE_OUT = "scale-out"
    SCALE_IN = "scale-in"
    AUTOSCALER_CHURN = "autoscaler-churn"
    SLOW_REJOIN = "slow-rejoin"
    SLOW_CALLBACK = "slow-callback"
    SLOW_ASSIGNOR = "slow-assignor"
    PENDING_MEMBER = "pending-member"
    GHOST_MEMBERS = "ghost-members"
    STATIC_FENCED = "static-fenced"
    STATIC_UNRELEASED = "static-unreleased"
    STATIC_NAME_CHANGES = "static-name-changes"
    INCONSISTENT_PROTOCOL = "inconsistent-protocol"
    GROUP_FULL = "group-full"
    ASSIGNMENT_CHANGED = "assignment-changed"
    TOPIC_MISSING = "topic-missing"
    IDLE_MEMBERS = "idle-members"
    COORDINATOR_MOVED = "coordinator-moved"
    CONNECTION_LOST = "connection-lost"
    NOT_AUTHORIZED = "not-authorized"
    UNSUPPORTED = "unsupported"
    MIGRATION = "migration"
    STALE_EPOCH = "stale-epoch"
    COMMIT_FAILED = "commit-failed"
    CONNECT_DELAY = "connect-delay"
    WORKER_STUCK = "worker-stuck"
    STALLED = "stalled"
    CONNECT_CONFIG = "connect-config"
    APP_ERROR = "app-error"
    STREAMS_PROBING = "streams-probing"
    STREAMS_RESTORE = "streams-restore"
    WRONG_COORDINATOR_CLIENT = "wrong-coordinator-client"
    CLOCK_JUMP = "clock-jump"
    START_UP = "start-up"
    OTHERS = "others"
    HEALTHY = "healthy"


class Certainty(StrEnum):
    """SHOWN: a line says it. LIKELY: it follows from lines and from how Kafka works. POSSIBLE: it fits."""

    SHOWN = "shown"
    LIKELY = "likely"
    POSSIBLE = "possible"


class GroupType(StrEnum):
    """What kind of members a group has, as far as the lines show it."""

    CLASSIC = "classic"
    CONSUMER = "consumer"
    STREAMS = "streams"
    SHARE = "share"
    CONNECT = "connect"
    SCHEMA_REGISTRY = "schema-registry"
    UNKNOWN = "unknown"


class Nature(StrEnum):
    """What became of a member whose session ended."""

    DIED = "died"
    FROZE = "froze"
    CUT = "cut"
    UNKNOWN = "unknown"
