"""ClassicMembership: a client's membership by JoinGroup, SyncGroup and Heartbeat."""

from __future__ import annotations

from groupsim.assignors.spec import EAGER
from groupsim.coordinator.outcome import Error
from groupsim.events import client as facts
from groupsim.events.client import ClientState
from groupsim.events.types import NO_GENERATION, MemberId
from groupsim.simulation.clients import metadata
from groupsim.simulation.clients.classic import heartbeat, leave, rebalance
from groupsim.simulation.clients.classic.consumer_kind import ConsumerKind
from groupsim.simulation.clients.classic.join import handle_join_answer, join_if_needed
from groupsim.simulation.clients.classic.state import ClassicState, MemberKind, rebalance_protocol
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.config import ProtocolMode
from groupsim.simulation.clients.coordinator_lookup import find_coordinator
from groupsim.simulation.clients.process import Script

REBALANCE_IN_PROGRESS = "REBALANCE_IN_PROGRESS"
COMMIT_FAILED = "COMMIT_FAILED"
ASSIGNMENT_LOST = "_ASSIGNMENT_LOST"


class ClassicMembership:
    """The classic implementation of Membership: see there for what each method means."""

    def __init__(self, client: Client, kind: MemberKind, protocol_mode: ProtocolMode, first: str) -> None:
        """`first`: how it rebalances until an assignor has been selected, EAGER or COOPERATIVE."""
        self._state = ClassicState(client=client, kind=kind, protocol_mode=protocol_mode, rebalance_protocol=first)

    @classmethod
    def of_consumer(cls, client: Client, protocol_mode: ProtocolMode) -> ClassicMembership:
        """Raises BadSetting if the configured assignors share no rebalance protocol."""
        common = rebalance_protocol(client.config.partition_assignment_strategy)
        # A dynamic member rebalances eagerly until an assignor has been selected (KIP-726).
        return cls(client, ConsumerKind(), protocol_mode, common if protocol_mode is ProtocolMode.STATIC else EAGER)

    @property
    def member_id(self) -> MemberId:
        return self._state.member_id

    @property
    def generation(self) -> int:
        return self._state.generation

    @property
    def rebalance_protocol(self) -> str:
        return self._state.rebalance_protocol

    @property
    def leads(self) -> bool:
        return self._state.leads

    @property
    def settled(self) -> bool:
        state = self._state
        return state.state is ClientState.STABLE and not state.rejoin_needed and state.join is None

    @property
    def outside(self) -> bool:
        return self._state.state is ClientState.UNJOINED

    @property
    def awaits_assignment(self) -> bool:
        return self._state.state is ClientState.COMPLETING_REBALANCE

    def start(self) -> list[Script]:
        client = self._state.client
        client.record(facts.ProtocolSelected(process=client.process.id, protocol=self.rebalance_protocol))
        return [heartbeat.heartbeat_thread(self._state)]

    def advance(self) -> Script:
        state, client = self._state, self._state.client
        if client.traits.session_clock and state.generation == NO_GENERATION:
            yield from rebalance.lose(state)  # its own clock decides: that needs no coordinator
        if not client.coordinator.known:
            state.kind.alone(state)
            yield from find_coordinator(client)
        metadata.refresh_if_due(client)
        state.follow_up()
        state.kind.look(state)
        if client.topics or state.kind.always_joins:
            yield from join_if_needed(state)
        if client.threads.ends_rebalance and state.join is None:  # Kafka: StreamThread.runLoop
            client.threads.closing = True

    def due(self) -> list[int]:
        client = self._state.client
        watches = client.pattern is not None or self._state.leads or not client.metadata.known
        refresh = [*([client.metadata.next_refresh_ms] if watches else []), *self._state.kind.due(self._state)]
        if self._state.follow_up_ms is not None and self._state.join is None and not self._state.rejoin_needed:
            refresh.append(self._state.follow_up_ms)
        return [*refresh, self._state.rejoin_ms] if client.now < self._state.rejoin_ms else refresh

    def read_network(self) -> bool:
        return heartbeat.read_answer(self._state)

    def handle_answers(self) -> Script:
        return handle_join_answer(self._state)

    def application_away(self) -> None:
        heartbeat.poll_ends(self._state)
        heartbeat.keep_watch(self._state)

    def application_back(self) -> None:
        heartbeat.keep_watch(self._state)

    def request_rejoin(self, reason: str) -> None:
        self._state.request_rejoin(reason)

    def metadata_refreshed(self) -> None:
        """A leader that sees other partition counts than it assigned rejoins (Kafka: rejoinNeededOrPending)."""
        state = self._state
        if state.leads and state.watched_topics is not None and not state.rejoin_needed:
            counts = metadata.counts(state.client)
            if {topic: counts.get(topic, 0) for topic in state.watched_topics} != state.watched_topics:
                state.request_rejoin("cached metadata has changed")

    def commit_refusal(self) -> str | None:
        """A commit is sent only while the client believes that it is a stable member.

        Kafka: ConsumerCoordinator.sendOffsetCommitRequest.
        """
        state = self._state
        if state.commits_disabled:
            return REBALANCE_IN_PROGRESS
        if state.client.traits.commits_while_joining:
            return ASSIGNMENT_LOST if state.state is ClientState.UNJOINED else None
        match state.state:
            case ClientState.UNJOINED:
                return COMMIT_FAILED
            case ClientState.PREPARING_REBALANCE | ClientState.COMPLETING_REBALANCE:
                return REBALANCE_IN_PROGRESS
            case _:
                return None

    def commit_failed(self, error: Error, generation: int) -> None:
        """Kafka: ConsumerCoordinator.OffsetCommitResponseHandler."""
        state = self._state
        changed = generation != state.generation
        match error:
            case Error.REBALANCE_IN_PROGRESS:
                state.request_rejoin("group is already rebalancing")
            case Error.ILLEGAL_GENERATION if state.client.traits.commits_while_joining and state.join is not None:
                pass  # the commit waited behind the JoinGroup of a cooperative rebalance; nothing is lost (since 2.10)
            case Error.UNKNOWN_MEMBER_ID | Error.ILLEGAL_GENERATION:
                preparing = changed and state.state is ClientState.PREPARING_REBALANCE
                if not preparing and state.state is not ClientState.UNJOINED:
                    reason = f"encountered {error.name} from OFFSET_COMMIT response"
                    state.reset(reason, member_id_too=error is Error.UNKNOWN_MEMBER_ID)
            case Error.FENCED_INSTANCE_ID:
                if not changed:
                    state.client.fail(error.name)
            case _:
                pass

    def leave(self, reason: str) -> Script:
        return leave.leave_group(self._state, reason)

    def unsubscribe(self) -> Script:
        return leave.unsubscribe(self._state)
