"""What happens round a rebalance on the application thread: commits, callbacks, the view (spec 5.5, 5.7)."""

from __future__ import annotations

from assignors.spec import EAGER
from events import client as facts
from events.types import NO_GENERATION, Partitions
from simulation.clients import offsets
from simulation.clients.member import Member
from simulation.clients.process import Script


def on_join_prepare(m: Member) -> Script:
    """Commit, then give up what this protocol gives up before joining (Kafka: ConsumerCoordinator.onJoinPrepare)."""
    if m.config.enable_auto_commit and m.view:
        if m.protocol == EAGER:
            offsets.catch_up(m)
            m.not_fetchable.update(m.view)
            m.tell(facts.RevocationPending(process=m.process.id, partitions=m.view))
        yield from offsets.commit_and_wait(m, m.config.max_poll_interval_ms)
    if m.generation == NO_GENERATION or not m.member_id:
        if m.view:
            yield from call(m, "lost", m.view)
        m.set_view(())
    elif m.protocol == EAGER:
        yield from call(m, "revoked", m.view)
        m.set_view(())
    m.leads = False


def on_join_complete(m: Member, assigned: Partitions) -> Script:
    """Take the new assignment over (Kafka: ConsumerCoordinator.onJoinComplete). Cooperative: revoke, then rejoin."""
    m.sticky_owned, m.sticky_generation = assigned, m.generation
    revoked = tuple(p for p in m.view if p not in assigned)
    added = tuple(p for p in assigned if p not in m.view)
    if revoked:
        yield from call(m, "revoked", revoked)
        m.request_rejoin("need to revoke partitions and re-join")
    m.set_view(assigned)
    yield from call(m, "assigned", added)
    m.next_commit_ms = m.now + m.config.auto_commit_interval_ms


def call(m: Member, kind: str, partitions: Partitions) -> Script:
    """Run the application's listener; nothing of this consumer is processed meanwhile."""
    offsets.catch_up(m)
    m.in_callback = True
    m.tell(facts.CallbackStart(process=m.process.id, kind=kind, partitions=partitions, generation=m.generation))
    duration = m.application.callback_ms.get(kind, 0)
    if duration:
        yield from m.process.sleep(duration)
    m.tell(facts.CallbackEnd(process=m.process.id, kind=kind))
    m.in_callback = False
