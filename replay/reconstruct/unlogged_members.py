"""Members of a group as its coordinator saw them: joined to the lives their own logs tell, or lives of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from groupsim.events import classic as c
from groupsim.events.base import Recorded, group_stream
from groupsim.events.types import MemberId
from groupsim.incidents.facts.detail import client_id_in
from groupsim.replay.reconstruct.member_history import BUSY, CLOSE, FROZEN, KILL, Incarnation, Incarnations, Stall
from groupsim.replay.reconstruct.rebalances import Generation

NEAR_MS = 60_000
"""A member id is a known process's only if it came to the coordinator so close to one of its JoinGroups."""
_POLL = "poll timeout"


@dataclass(slots=True)
class Entry:
    """What the coordinator's facts say of one member id; times in ms."""

    member: MemberId
    client: str
    instance: str | None = None
    issued_ms: int | None = None
    added_ms: int | None = None
    removed_ms: int | None = None
    cause: str = ""
    reason: str = ""
    replaced: bool = False

    @property
    def came_ms(self) -> int | None:
        """When its first request reached the coordinator."""
        return self.added_ms if self.issued_ms is None else self.issued_ms


def entries(facts: Iterable[Recorded], group: str) -> list[Entry]:
    """Every member id the coordinator of a group named, in order."""
    found: dict[MemberId, Entry] = {}
    stream = group_stream(group)

    def entry(member: MemberId, client: str | None = None) -> Entry:
        return found.setdefault(member, Entry(member, client or client_id_in(member) or member))

    for fact in facts:
        at = fact.at_ms
        if fact.stream != stream:
            continue
        match fact.event:
            case c.MemberIdIssued(member=member, client_id=client):
                entry(member, client).issued_ms = at
            case c.MemberAdded(member=member, client_id=client, instance_id=instance):
                known = entry(member, client)
                known.added_ms, known.instance = at, instance
                known.client = instance or known.client
            case c.MemberReplaced(member=member, old=old, instance_id=instance):
                entry(old, instance).replaced = True
                if member is not None:
                    entry(member, instance).added_ms, found[member].instance = at, instance
            case c.MemberRemoved(member=member, cause=cause, reason=reason):
                gone = entry(member)
                gone.removed_ms, gone.cause, gone.reason = at, cause, reason or ""
            case _:
                pass
    return list(found.values())


def join(lives: Incarnations, known: list[Entry], passed: list[Generation], end_ms: int) -> list[Incarnation]:
    """All lives of the group: those told by logs, completed by the coordinator's word, and those only it knows of."""
    ghosts = []
    for each in known:
        life = lives.owner.get(each.member) or _unnamed(lives, each)
        if life is not None:
            _complete(life, each)
        elif each.added_ms is not None:
            ghosts.append(_ghost(each, passed, end_ms))
    return [*lives.all.values(), *ghosts]


def _unnamed(lives: Incarnations, entry: Entry) -> Incarnation | None:
    """The process of a member id that no line of a client names: by client id, and the time."""
    at = entry.came_ms
    for life in lives.all.values():
        if at is not None and life.client == entry.client and life.seen and entry.member not in life.ids:
            ends = life.seen[-1] if life.ends_ms is None else life.ends_ms
            if life.seen[0] - 1_000 <= at <= ends:
                life.ids.append(entry.member)
                return life
    return None


def _complete(life: Incarnation, entry: Entry) -> None:
    came = entry.came_ms
    if came is not None and entry.added_ms is not None:
        life.came.append((came, entry.added_ms))
    first = life.ids[:1] == [entry.member]
    if first and came is not None and life.starts_ms is not None and abs(came - life.starts_ms) <= NEAR_MS:
        life.starts_ms, life.added_ms = came, entry.added_ms
    if entry.removed_ms is None:
        return
    after = next((at for at in life.seen if at > entry.removed_ms + 1), None)
    expired_itself = any(stall.expired_ms is not None for stall in life.stalls)
    if entry.cause == "session-expired":
        if life.ending is not None:
            life.expired_ms = entry.removed_ms
        elif after is None:
            life.ending, life.ends_ms, life.expired_ms = KILL, entry.removed_ms, entry.removed_ms
        else:
            life.stalls.append(Stall(FROZEN, None, after, expired_ms=entry.removed_ms))
    elif entry.cause in ("join-timeout", "sync-timeout") and not expired_itself:
        life.stalls.append(Stall(BUSY, life.joins[-1] if life.joins else None, after))
    elif entry.cause == "left" and life.ending is None and after is None:
        life.ending, life.ends_ms = CLOSE, entry.removed_ms


def _ghost(entry: Entry, passed: list[Generation], end_ms: int) -> Incarnation:
    """A member that only the coordinator knows."""
    life = Incarnation(entry.member, entry.client, told=False, instance=entry.instance, ids=[entry.member])
    life.starts_ms = _came(entry, passed)
    life.added_ms = entry.added_ms if life.starts_ms is not None else None
    if entry.removed_ms is not None:
        life.ends_ms = entry.removed_ms
        if entry.cause == "session-expired":
            life.ending, life.expired_ms = KILL, entry.removed_ms
        elif entry.cause == "left" and _POLL not in entry.reason:
            life.ending = CLOSE
        else:  # its application was too slow; it lives on
            life.ends_ms = None
            slow = Stall(BUSY, None, None, expired_ms=entry.removed_ms if entry.cause == "left" else None)
            slow.from_ms = None if entry.cause == "left" else _prepared(passed, entry.removed_ms)
            life.stalls.append(slow)
    elif entry.replaced:
        life.ending, life.ends_ms = CLOSE, None  # until its successor comes
    elif (left := _left(entry, passed)) is not None:
        life.ending, life.ends_ms = CLOSE, left
    return life


def _came(entry: Entry, passed: list[Generation]) -> int | None:
    """When it joined; None: before the record. One never seen to join is added where it is first named."""
    if entry.issued_ms is not None or entry.added_ms is None:
        return entry.issued_ms
    for generation in passed:
        if generation.started_ms == entry.added_ms and generation.member == entry.member:
            return entry.added_ms if generation.cause in ("member-joined", "static-replaced") else None
        if generation.joined_ms == entry.added_ms:  # named by a leader's plan alone
            return None if generation is passed[0] else generation.started_ms
    if entry.removed_ms == entry.added_ms:
        return None
    return entry.added_ms


def _prepared(passed: list[Generation], at_ms: int) -> int | None:
    """When the join phase began that was under way at an instant."""
    return next(
        (g.started_ms for g in passed if g.started_ms is not None and g.started_ms <= at_ms <= g.joined_ms), None
    )


def _left(entry: Entry, passed: list[Generation]) -> int | None:
    """When it went without a word of the coordinator: the start of the first generation that is without it."""
    inside = False
    for generation in passed:
        if generation.members is None:
            continue
        if entry.member in generation.members:
            inside = True
        elif inside:
            return generation.started_ms if generation.started_ms is not None else generation.joined_ms
    return None
