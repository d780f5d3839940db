"""The kinds of rows: what a recognised line says, whoever wrote it and however it is worded."""

from __future__ import annotations

from enum import StrEnum


class RowKind(StrEnum):
    """What one recognised line says. The wordings in `producers` give them; a row of a kind in SHOWN is printed."""

    REBALANCE_START = "rebalance_start"
    STABILIZED = "stabilized"
    ASSIGNMENT_RECEIVED = "assignment_received"
    MEMBER_FAILED = "member_failed"
    MEMBER_LEFT = "member_left"
    MEMBER_ID_CREATED = "member_id_created"
    PENDING_MEMBER_JOINS = "pending_member_joins"
    GROUP_EMPTY = "group_empty"
    GROUP_DEAD = "group_dead"
    GROUP_LOADED = "group_loaded"
    EMPTY_ASSIGNMENT = "empty_assignment"
    STATIC_MEMBER_REPLACED = "static_member_replaced"
    STATIC_REJOIN_WITHOUT_REBALANCE = "static_rejoin_without_rebalance"
    COORDINATOR_LIFECYCLE = "coordinator_lifecycle"
    BROKER_LIFECYCLE = "broker_lifecycle"
    JOINING = "joining"
    REJOIN_REQUESTED = "rejoin_requested"
    JOINED = "joined"
    JOIN_FAILED = "join_failed"
    SYNCED = "synced"
    LEADER_COMPUTED_ASSIGNMENT = "leader_computed_assignment"
    ASSIGNED = "assigned"
    REVOKED = "revoked"
    LOST = "lost"
    GIVING_AWAY_ALL = "giving_away_all"
    LEAVE_SENT = "leave_sent"
    LEAVE_FAILED = "leave_failed"
    POLL_TIMEOUT = "poll_timeout"
    SESSION_EXPIRED = "session_expired"
    GENERATION_RESET = "generation_reset"
    HEARTBEAT_SAYS_REBALANCING = "heartbeat_says_rebalancing"
    HEARTBEAT_THREAD_STOPPED = "heartbeat_thread_stopped"
    COORDINATOR_FOUND = "coordinator_found"
    COORDINATOR_LOST = "coordinator_lost"
    COMMIT_FAILED = "commit_failed"
    REBALANCE_FAILED = "rebalance_failed"
    WORKER_ASSIGNED = "worker_assigned"
    WORKER_REVOKED_ITSELF = "worker_revoked_itself"
    STATE_CHANGE = "state_change"
    CGRP_STATE = "cgrp_state"
    MEMBER_JOINED = "member_joined"
    GROUP_EPOCH_BUMPED = "group_epoch_bumped"
    TARGET_ASSIGNMENT = "target_assignment"
    TARGET_ASSIGNMENT_FAILED = "target_assignment_failed"
    MEMBER_STATE = "member_state"
    GROUP_CONVERTED = "group_converted"
    INSTANCE_ID_UNRELEASED = "instance_id_unreleased"
    STATIC_MEMBER_FENCED = "static_member_fenced"
    SUBSCRIPTION_CHANGED = "subscription_changed"
    GROUP_CREATED = "group_created"
    MEMBER_GONE = "member_gone"
    MEMBER_RECONCILED = "member_reconciled"
    STORED_ASSIGNMENT = "stored_assignment"

    # Context: only the import uses these.
    BROKER_FENCED = "broker_fenced"
    BROKER_JOIN_TIMEOUT = "broker_join_timeout"
    BROKER_LEADER_REPLACED = "broker_leader_replaced"
    BROKER_PENDING_EXPIRED = "broker_pending_expired"
    BROKER_SYNC_TIMEOUT = "broker_sync_timeout"
    BROKER_UNEXPECTED = "broker_unexpected"
    BROKER_UNLOADED = "broker_unloaded"
    CLIENT_ADDED = "client_added"
    CLIENT_BLOCK = "client_block"
    CLIENT_CLOSED = "client_closed"
    CLIENT_CLOSING = "client_closing"
    CLIENT_CONFIGURED = "client_configured"
    CLIENT_FATAL = "client_fatal"
    CLIENT_HEARTBEAT_REFUSED = "client_heartbeat_refused"
    CLIENT_HEARTBEAT_STALE = "client_heartbeat_stale"
    CLIENT_NO_BROKER = "client_no_broker"
    CLIENT_NO_OFFSET = "client_no_offset"
    CLIENT_NOTIFIED = "client_notified"
    CLIENT_POLL_WAS_LATE = "client_poll_was_late"
    CLIENT_POSITION = "client_position"
    CLIENT_RECONCILIATION_INTERRUPTED = "client_reconciliation_interrupted"
    CLIENT_RECONCILING = "client_reconciling"
    CLIENT_REMOVED = "client_removed"
    CLIENT_SETTING = "client_setting"
    CLIENT_SUBSCRIBED = "client_subscribed"
    CLIENT_TARGET = "client_target"
    CLIENT_TARGET_ACKED = "client_target_acked"
    CLIENT_UNSUBSCRIBED = "client_unsubscribed"
    CONSUMER_HEARTBEAT = "consumer_heartbeat"
    CONSUMER_HEARTBEAT_ANSWERED = "consumer_heartbeat_answered"
    CONSUMER_HEARTBEAT_INTERVAL = "consumer_heartbeat_interval"
    EXPRESSIONS_RESOLVED = "expressions_resolved"
    HEARTBEAT_SENT = "heartbeat_sent"
    LISTENER_ASSIGNED = "listener_assigned"
    LISTENER_LOST = "listener_lost"
    LISTENER_REVOKED = "listener_revoked"
    OFFSETS_RECORD = "offsets_record"
    TASK_CLOSED = "task_closed"
    TASK_CREATED = "task_created"
    TASK_RUNNING = "task_running"
    TASK_SUSPENDED = "task_suspended"
    TASKS_RUNNING = "tasks_running"
    TASKS_STOPPED = "tasks_stopped"
    WORKER_STARTED = "worker_started"

    # Evidence: only a diagnosis uses these.
    APPLICATION_SAID = "application_said"
    APP_FAILED = "app_failed"
    ASSIGNMENT_COUNTED = "assignment_counted"
    CONFIG_BEHIND = "config_behind"
    CONFIG_READ = "config_read"
    CONNECTION_IDLE = "connection_idle"
    CONNECTION_LOST = "connection_lost"
    CONNECTOR_CHANGED = "connector_changed"
    CONSUMER_STOPPED = "consumer_stopped"
    ERROR_CODE = "error_code"
    ERROR_NAMED = "error_named"
    ERROR_UNKNOWN = "error_unknown"
    EXCEPTION = "exception"
    FATAL_ERROR = "fatal_error"
    FETCHERS = "fetchers"
    HEARTBEATS_BEGIN = "heartbeats_begin"
    NO_ASSIGNMENT = "no_assignment"
    NOT_STORED = "not_stored"
    PARTITION_HELD = "partition_held"
    REASON_GIVEN = "reason_given"
    JOIN_ANSWERED = "join_answered"
    REQUEST_SENT = "request_sent"
    REQUEST_TIMED_OUT = "request_timed_out"
    SESSION_ENDED = "session_ended"
    SHARE_MEMBER_FAILED = "share_member_failed"
    SHARE_MEMBER_JOINED = "share_member_joined"
    SHARE_MEMBER_LEFT = "share_member_left"
    SHARE_MEMBER_REPLACED = "share_member_replaced"
    STREAMS_FAILED = "streams_failed"
    STREAMS_PROBING = "streams_probing"
    STREAMS_RESTORED = "streams_restored"
    STREAMS_RESTORING = "streams_restoring"
    STREAMS_STATE = "streams_state"
    TASK_FAILED = "task_failed"
    TASK_NOT_COMMITTED = "task_not_committed"
    TASK_STUCK = "task_stuck"
    THREAD_FENCED = "thread_fenced"
    TOPICS_UNASSIGNED = "topics_unassigned"
    VERSION = "version"
    WORKER_FAILED = "worker_failed"


SHOWN = frozenset(
    [
        RowKind.REBALANCE_START,
        RowKind.STABILIZED,
        RowKind.ASSIGNMENT_RECEIVED,
        RowKind.MEMBER_FAILED,
        RowKind.MEMBER_LEFT,
        RowKind.MEMBER_ID_CREATED,
        RowKind.PENDING_MEMBER_JOINS,
        RowKind.GROUP_EMPTY,
        RowKind.GROUP_DEAD,
        RowKind.GROUP_LOADED,
        RowKind.EMPTY_ASSIGNMENT,
        RowKind.STATIC_MEMBER_REPLACED,
        RowKind.STATIC_REJOIN_WITHOUT_REBALANCE,
        RowKind.COORDINATOR_LIFECYCLE,
        RowKind.BROKER_LIFECYCLE,
        RowKind.JOINING,
        RowKind.REJOIN_REQUESTED,
        RowKind.JOINED,
        RowKind.JOIN_FAILED,
        RowKind.SYNCED,
        RowKind.LEADER_COMPUTED_ASSIGNMENT,
        RowKind.ASSIGNED,
        RowKind.REVOKED,
        RowKind.LOST,
        RowKind.GIVING_AWAY_ALL,
        RowKind.LEAVE_SENT,
        RowKind.LEAVE_FAILED,
        RowKind.POLL_TIMEOUT,
        RowKind.SESSION_EXPIRED,
        RowKind.GENERATION_RESET,
        RowKind.HEARTBEAT_SAYS_REBALANCING,
        RowKind.HEARTBEAT_THREAD_STOPPED,
        RowKind.COORDINATOR_FOUND,
        RowKind.COORDINATOR_LOST,
        RowKind.COMMIT_FAILED,
        RowKind.REBALANCE_FAILED,
        RowKind.WORKER_ASSIGNED,
        RowKind.WORKER_REVOKED_ITSELF,
        RowKind.STATE_CHANGE,
        RowKind.CGRP_STATE,
        RowKind.MEMBER_JOINED,
        RowKind.GROUP_EPOCH_BUMPED,
        RowKind.TARGET_ASSIGNMENT,
        RowKind.TARGET_ASSIGNMENT_FAILED,
        RowKind.MEMBER_STATE,
        RowKind.GROUP_CONVERTED,
        RowKind.INSTANCE_ID_UNRELEASED,
        RowKind.STATIC_MEMBER_FENCED,
        RowKind.SUBSCRIPTION_CHANGED,
        RowKind.GROUP_CREATED,
        RowKind.MEMBER_GONE,
        RowKind.MEMBER_RECONCILED,
        RowKind.STORED_ASSIGNMENT,
    ]
)
"""The kinds that `read` shows. Rows of other kinds are context: only the import uses them."""

EVIDENCE = frozenset(
    [
        RowKind.APPLICATION_SAID,
        RowKind.APP_FAILED,
        RowKind.ASSIGNMENT_COUNTED,
        RowKind.CONFIG_BEHIND,
        RowKind.CONFIG_READ,
        RowKind.CONNECTION_IDLE,
        RowKind.CONNECTION_LOST,
        RowKind.CONNECTOR_CHANGED,
        RowKind.CONSUMER_STOPPED,
        RowKind.ERROR_CODE,
        RowKind.ERROR_NAMED,
        RowKind.ERROR_UNKNOWN,
        RowKind.EXCEPTION,
        RowKind.FATAL_ERROR,
        RowKind.FETCHERS,
        RowKind.HEARTBEATS_BEGIN,
        RowKind.JOIN_ANSWERED,
        RowKind.NO_ASSIGNMENT,
        RowKind.NOT_STORED,
        RowKind.PARTITION_HELD,
        RowKind.REASON_GIVEN,
        RowKind.REQUEST_SENT,
        RowKind.REQUEST_TIMED_OUT,
        RowKind.SESSION_ENDED,
        RowKind.SHARE_MEMBER_FAILED,
        RowKind.SHARE_MEMBER_JOINED,
        RowKind.SHARE_MEMBER_LEFT,
        RowKind.SHARE_MEMBER_REPLACED,
        RowKind.STREAMS_FAILED,
        RowKind.STREAMS_PROBING,
        RowKind.STREAMS_RESTORED,
        RowKind.STREAMS_RESTORING,
        RowKind.STREAMS_STATE,
        RowKind.TASK_FAILED,
        RowKind.TASK_NOT_COMMITTED,
        RowKind.TASK_STUCK,
        RowKind.THREAD_FENCED,
        RowKind.TOPICS_UNASSIGNED,
        RowKind.VERSION,
        RowKind.WORKER_FAILED,
    ]
)
"""What lines say beside a group's history: reasons, errors, counts. The import does not use them."""
WEAK = frozenset(
    [
        RowKind.APP_FAILED,
        RowKind.APPLICATION_SAID,
        RowKind.CONNECTION_LOST,
        RowKind.ERROR_UNKNOWN,
        RowKind.EXCEPTION,
        RowKind.VERSION,
    ]
)
"""Evidence that makes no log one about groups: other programs say so, too."""
