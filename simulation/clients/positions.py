"""Where to start: positions of new partitions, and the state an application keeps for them."""

from __future__ import annotations

from groupsim.events import client as facts
from groupsim.events.types import Offsets, TopicPartition
from groupsim.simulation.clients.member import Member
from groupsim.simulation.clients.process import Script
from groupsim.simulation.requests import FetchOffsets, OffsetsAre


def fetch_positions(m: Member) -> None:
    """Ask where to start in partitions that have no position; they can be fetched from the answer on."""
    if len(m.positions) + len(m.fetching) == len(m.view):
        return
    missing = tuple(p for p in m.view if p not in m.positions and p not in m.fetching)
    if not missing or not m.coordinator_known:
        return
    m.fetching.update(missing)

    def handle(answer: object) -> None:
        m.fetching.difference_update(missing)
        if isinstance(answer, OffsetsAre):
            _start(m, missing, answer.offsets)
        else:
            m.tell(facts.RequestFailed(process=m.process.id, api="OffsetFetch", error="DISCONNECTED"))
        m.wake()

    m.connection.call("OffsetFetch", lambda _: FetchOffsets(m.group, missing), m.config.request_timeout_ms, handle)


def _start(m: Member, asked: tuple[TopicPartition, ...], committed: Offsets) -> None:
    known = {TopicPartition(topic, partition): offset for topic, partition, offset in committed}
    earliest = m.config.auto_offset_reset == "earliest"
    found: list[tuple[str, int, int]] = []
    gained: list[TopicPartition] = []
    held = set(m.view)
    for p in asked:
        if p in held and p not in m.positions:
            reset = 0 if earliest else m.world_topics.end_offset(p, m.now)
            m.positions[p] = known.get(p, reset)
            found.append((p.topic, p.partition, m.positions[p]))
            gained.append(p)
    if found:
        m.tell(facts.PositionReady(process=m.process.id, offsets=tuple(found)))
        _restore(m, gained)


def _restore(m: Member, gained: list[TopicPartition]) -> None:
    """Rebuild local state in the background, partition after partition; they are not served until it is there."""
    rebuilt = [p for p in gained if p not in m.restored]
    m.restored.update(gained)
    if m.application.restore_ms and rebuilt:
        m.restoring.update(dict.fromkeys(rebuilt, m.now))
        m.tell(facts.RestoreStart(process=m.process.id, partitions=tuple(rebuilt)))
        m.process.thread(_rebuild(m, rebuilt, m.now))


def _rebuild(m: Member, partitions: list[TopicPartition], since: int) -> Script:
    for p in partitions:
        yield from m.process.sleep(m.application.restore_ms)
        if m.restoring.get(p) == since:  # not given up meanwhile, or gained anew
            del m.restoring[p]
            m.tell(facts.RestoreEnd(process=m.process.id, partitions=(p,)))
            m.wake()
