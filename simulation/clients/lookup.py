"""Finding the coordinator (Kafka: AbstractCoordinator.lookupCoordinator)."""

from __future__ import annotations

from groupsim.events import client as facts
from groupsim.simulation.clients.connection import Failure
from groupsim.simulation.clients.member import Member
from groupsim.simulation.clients.process import Script
from groupsim.simulation.requests import CoordinatorIs, FindCoordinator


def find_coordinator(m: Member) -> Script:
    """Ask once and wait for the answer; after a failure wait for the backoff. One thread asks, others wait."""
    if m.finding:
        yield from m.process.sleep(max(m.config.retry_backoff_ms, 1))
        return
    m.finding = True
    done = m.env.event()

    def note(answer: object) -> None:
        done.succeed(answer)

    m.bootstrap.call("FindCoordinator", lambda _: FindCoordinator(m.group), m.config.request_timeout_ms, note)
    answer = yield from m.process.wait(done)
    m.finding = False
    if isinstance(answer, CoordinatorIs) and answer.address is not None:
        m.coordinator_known = True
        m.last_heard_ms = m.now
        m.tell(facts.CoordinatorFound(process=m.process.id))
        m.wake()
        m.beat.notify()
        return
    error = answer.value if isinstance(answer, Failure) else "COORDINATOR_NOT_AVAILABLE"
    m.tell(facts.RequestFailed(process=m.process.id, api="FindCoordinator", error=error))
    yield from m.process.sleep(m.backoff_ms())
