"""ConsumerMembership: a client's membership by ConsumerGroupHeartbeat (KIP-848) or StreamsGroupHeartbeat (KIP-1071)."""

from __future__ import annotations

from groupsim.coordinator.outcome import Error
from groupsim.events import client as facts
from groupsim.events.client import MemberPhase
from groupsim.events.types import NO_GENERATION, MemberId
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.consumer import heartbeat, leave
from groupsim.simulation.clients.consumer.reconcile import reconcile_if_due
from groupsim.simulation.clients.consumer.state import OUTSIDE, ConsumerState, Wire
from groupsim.simulation.clients.coordinator_lookup import find_coordinator
from groupsim.simulation.clients.process import Script


class ConsumerMembership:
    """The implementation of Membership by KIP-848: see there for what each method means."""

    def __init__(self, client: Client, member_id: MemberId, wire: Wire) -> None:
        self._state = ConsumerState(client=client, member_id=member_id, wire=wire)

    @property
    def member_id(self) -> MemberId:
        return self._state.member_id

    @property
    def generation(self) -> int:
        return self._state.epoch if self._state.epoch > 0 else NO_GENERATION

    @property
    def rebalance_protocol(self) -> str:
        return self._state.wire.protocol

    @property
    def leads(self) -> bool:
        return False

    @property
    def settled(self) -> bool:
        return self._state.phase is MemberPhase.STABLE

    @property
    def outside(self) -> bool:
        return self._state.phase in OUTSIDE

    @property
    def awaits_assignment(self) -> bool:
        return False

    def start(self) -> list[Script]:
        client = self._state.client
        client.record(facts.ProtocolSelected(process=client.process.id, protocol=self._state.wire.protocol))
        return []

    def advance(self) -> Script:
        state, client = self._state, self._state.client
        if not client.coordinator.known:
            yield from find_coordinator(client)
        if state.phase is MemberPhase.UNSUBSCRIBED and (client.topics or client.pattern):
            state.join()
        reconcile_if_due(state)
        heartbeat.send_if_due(state)

    def due(self) -> list[int]:
        at = heartbeat.due_ms(self._state)
        return [] if at is None else [at]

    def read_network(self) -> bool:
        """Nothing: another thread reads the answers."""
        return False

    def handle_answers(self) -> Script:
        """No answer waits for the application's thread."""
        return
        yield

    def application_away(self) -> None:
        """Nothing: another thread sends the heartbeats."""

    def application_back(self) -> None:
        """Nothing: another thread reads the answers."""

    def request_rejoin(self, reason: str) -> None:
        """The next heartbeat says what has changed; it is sent at once (Kafka: onSubscriptionUpdated)."""
        beat, client = self._state.heartbeat, self._state.client
        client.record(facts.RejoinRequested(process=client.process.id, reason=reason))
        beat.next_ms, beat.late_ms = client.now, 0
        client.threads.library.notify()

    def metadata_refreshed(self) -> None:
        """The coordinator looks after topics that grow."""

    def commit_refusal(self) -> str | None:
        return None if self._state.epoch > 0 else Error.UNKNOWN_MEMBER_ID.name

    def commit_failed(self, error: Error, generation: int) -> None:
        """A refused commit does not end the membership; the next heartbeat tells."""

    def leave(self, reason: str) -> Script:
        return leave.leave_group(self._state, reason)

    def unsubscribe(self) -> Script:
        return leave.unsubscribe(self._state)
