"""When a classic member may commit, and what a commit's error means for it (Kafka: OffsetCommitResponseHandler)."""

from __future__ import annotations

from groupsim.coordinator.outcome import Error
from groupsim.events.client import ClientState
from groupsim.simulation.clients.classic.state import ClassicState

REBALANCE_IN_PROGRESS = "REBALANCE_IN_PROGRESS"
COMMIT_FAILED = "COMMIT_FAILED"
ASSIGNMENT_LOST = "_ASSIGNMENT_LOST"


def commit_refusal(m: ClassicState) -> str | None:
    """A commit is sent only while the client believes that it is a stable member; None if it may be sent.

    Kafka: ConsumerCoordinator.sendOffsetCommitRequest.
    """
    if m.commits_disabled:
        return REBALANCE_IN_PROGRESS
    if m.client.traits.commits_while_joining:
        return ASSIGNMENT_LOST if m.state is ClientState.UNJOINED else None
    match m.state:
        case ClientState.UNJOINED:
            return COMMIT_FAILED
        case ClientState.PREPARING_REBALANCE | ClientState.COMPLETING_REBALANCE:
            return REBALANCE_IN_PROGRESS
        case _:
            return None


def commit_failed(m: ClassicState, error: Error, generation: int) -> None:
    """React to the error of a commit that was sent with this generation."""
    changed = generation != m.generation
    match error:
        case Error.REBALANCE_IN_PROGRESS:
            m.request_rejoin("group is already rebalancing")
        case Error.ILLEGAL_GENERATION if m.client.traits.commits_while_joining and m.join is not None:
            pass  # the commit waited behind the JoinGroup of a cooperative rebalance; nothing is lost (since 2.10)
        case Error.UNKNOWN_MEMBER_ID | Error.ILLEGAL_GENERATION:
            preparing = changed and m.state is ClientState.PREPARING_REBALANCE
            if not preparing and m.state is not ClientState.UNJOINED:
                reason = f"encountered {error.name} from OFFSET_COMMIT response"
                m.reset(reason, member_id_too=error is Error.UNKNOWN_MEMBER_ID)
        case Error.FENCED_INSTANCE_ID:
            if not changed:
                m.client.fail(error.name)
        case _:
            pass
