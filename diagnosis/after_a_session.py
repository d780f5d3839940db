"""What to do where the session of a member ended: by what became of it."""

from __future__ import annotations

from groupsim.diagnosis.finding import Remedy

LOWER_DELAY = Remedy(
    "lower scheduled.rebalance.max.delay.ms: to 0, so that other workers take over at once; or, where connectors"
    " are slow to get ready, to a little more than a worker's restart takes",
    ("scheduled.rebalance.max.delay.ms",),
    brief="lower scheduled.rebalance.max.delay.ms",
    trial=(("scheduled.rebalance.max.delay.ms", "0"),),
)
"""Connect keeps what a lost worker had unassigned for that time (KIP-415)."""
DIED = (
    Remedy(
        "find out why the process ended: one that is stopped can call close() first (on SIGTERM;"
        " terminationGracePeriodSeconds), so that nobody waits for session.timeout.ms; one that crashes or is killed"
        " (kill -9, out of memory) cannot",
        ("terminationGracePeriodSeconds", "session.timeout.ms"),
        brief="see why the process died; on SIGTERM call close()",
    ),
    Remedy(
        "or give members that come back quickly a group.instance.id",
        ("group.instance.id",),
        trial=(("membership", "static"),),
        needs="group.instance.id",
    ),
    Remedy(
        "or use a shorter session.timeout.ms (at least three heartbeats): the coordinator notices a death sooner",
        ("session.timeout.ms", "heartbeat.interval.ms"),
        brief="use a shorter session.timeout.ms",
        trial=(("session.timeout.ms", "6000"),),
    ),
)
FROZE = (
    Remedy(
        "find what stops the process (CPU limits, garbage collection, a machine that sleeps); a longer"
        " session.timeout.ms, at least three times heartbeat.interval.ms, bridges short stops",
        ("session.timeout.ms", "heartbeat.interval.ms"),
        brief="find what stops the process",
    ),
)
NO_SYNC = (
    Remedy(
        "a member that joined asks for its assignment at once (SyncGroup), the leader with that of all: see in its log"
        " whether its assignor failed or hangs; another release of its client may do it",
        ("max.poll.interval.ms",),
        brief="see in its log whether its assignor failed",
    ),
)
SLEPT = (
    Remedy(
        "find what stops the machine for minutes (sleep, a suspended virtual machine, a paused container): no"
        " session.timeout.ms bridges that",
        brief="keep its machine awake: no setting of Kafka bridges that",
    ),
)
CUT_OFF = (
    Remedy(
        "see why the worker could not reach its group's coordinator: until it can, it runs no connector and no task",
        brief="look at the network between it and the broker",
    ),
)
LIVES_ON = (
    Remedy(
        "its log goes on, so it did not die: look for a pause (CPU limits, garbage collection), for the network, or for"
        " a batch longer than max.poll.interval.ms",
        ("session.timeout.ms", "max.poll.interval.ms"),
        brief="look for a pause, the network, or a long batch",
    ),
)
CLOSED_STREAMS = (
    Remedy(
        "see whether it was only closed: Kafka Streams does not leave the group then, unless it is closed with"
        " CloseOptions.leaveGroup(true) (since Kafka 4.1 LEAVE_GROUP), or its consumer has"
        " internal.leave.group.on.close=true; if it died, its own log says why",
        ("session.timeout.ms", "group.instance.id", "internal.leave.group.on.close"),
        brief="if you closed it, nothing is wrong: Kafka Streams does not leave",
    ),
)
CLOSED_STATIC = (
    Remedy(
        "if it comes back: a session.timeout.ms longer than it is away, then nothing is rebalanced; if it stops for"
        " good: close it with CloseOptions and LEAVE_GROUP (Kafka 4.1), or remove it with"
        " Admin.removeMembersFromConsumerGroup",
        ("session.timeout.ms", "group.instance.id"),
        brief="to restart without a rebalance, set session.timeout.ms longer than the restart takes",
    ),
)
CLOSED_DYNAMIC = (
    Remedy(
        "give each instance a group.instance.id, and a session.timeout.ms longer than a restart: it comes back as the"
        " same member then, nothing is rebalanced, and nobody waits for the session of the old one",
        ("group.instance.id", "session.timeout.ms"),
        brief="give its instances a group.instance.id",
        trial=(("membership", "static"),),
        needs="group.instance.id",
    ),
    Remedy(
        "or close it with CloseOptions and LEAVE_GROUP (Kafka 4.1; before: leaveGroup(true)): others get its tasks at"
        " once, and restore their state",
        ("internal.leave.group.on.close",),
        trial=(("internal.leave.group.on.close", "true"),),
    ),
)
UNKNOWN = (
    Remedy(
        "a member's own log says which: where it ends, the process died or was killed (call close() on SIGTERM,"
        " terminationGracePeriodSeconds); where it goes on after a gap, it froze or was cut off (CPU limits, garbage"
        " collection, network; a longer session.timeout.ms bridges it)",
        ("session.timeout.ms", "terminationGracePeriodSeconds", "group.instance.id"),
        brief="see whether its log ends or has a gap",
    ),
)
STAYED_AWAY = (
    Remedy(
        "a member's own log shows at its end whether it was stopped without close(), died, or was cut off; call"
        " close() on SIGTERM (terminationGracePeriodSeconds), so that nobody waits for session.timeout.ms",
        ("session.timeout.ms", "terminationGracePeriodSeconds", "group.instance.id"),
        brief="read the end of its log, and call close() on SIGTERM",
    ),
)
SEVERAL = {
    UNKNOWN: (UNKNOWN[0]._replace(brief="see whether their logs end or have gaps"),),
    STAYED_AWAY: (STAYED_AWAY[0]._replace(brief="read the ends of their logs, and call close() on SIGTERM"),),
}
