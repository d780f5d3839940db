"""Longer hand-written runs, used by several tests."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events import client as p
from tests.analysis.log import Log, serving_pair, tps


def alone(*numbers: int) -> Log:
    """Process a serves all these partitions from 0 on, in generation 1."""
    log = Log(partitions=len(numbers)).start(0, "a").added(0, "a").preparing(0, 0).completing(0, 1, "a")
    return log.stored(0, 1, a=tps(*numbers)).syncs(0, 1, "a").shows(0, "a", *numbers).fetches(0, "a", *numbers)


def eager() -> Log:
    """b joins a; both partitions stop; each gets one."""
    log = alone(0, 1).start(90, "b").added(100, "b").preparing(100, 1, "member-joined", "b")
    log.client(110, p.CallbackStart(process="a", kind="revoked", partitions=tps(0, 1)))
    log.client(115, p.CallbackEnd(process="a", kind="revoked")).shows(115, "a").asks(115, "a")
    log.group(116, again("a")).completing(120, 2, "a", "b").stored(130, 2, a=tps(0), b=tps(1))
    log.syncs(131, 2, "a", "b").shows(135, "b", 1).fetches(135, "b", 1)
    return log.shows(140, "a", 0).fetches(150, "a", 0).end(200)


def cooperative() -> Log:
    """Scale-out from one to two with four partitions: round 1 withholds 2 and 3, round 2 grants them."""
    log = alone(0, 1, 2, 3).start(90, "b").added(100, "b").preparing(100, 1, "member-joined", "b").asks(110, "a")
    log.completing(111, 2, "a", "b").stored(113, 2, a=tps(0, 1), b=()).syncs(114, 2, "a", "b")
    log.client(114, p.CallbackStart(process="a", kind="revoked", partitions=tps(2, 3)))
    log.client(120, p.CallbackEnd(process="a", kind="revoked")).shows(120, "a", 0, 1).asks(120, "a")
    log.preparing(121, 2, "member-rejoined", "a").group(1121, again("b")).completing(1121, 3, "a", "b")
    log.stored(1123, 3, a=tps(0, 1), b=tps(2, 3)).syncs(1124, 3, "a", "b")
    return log.shows(1124, "b", 2, 3).fetches(1126, "b", 2, 3).end(1200)


def again(name: str) -> c.MemberUpdated:
    """A known member's JoinGroup is parked."""
    return c.MemberUpdated(member=f"{name}-id", session_timeout_ms=1, rebalance_timeout_ms=1, protocols=(), request=1)


def crash() -> Log:
    """b dies at 200 and its session expires at 500; a takes over and serves again at 530."""
    log = serving_pair().client(200, p.Crashed(process="b"))
    log.group(500, c.MemberRemoved(member="b-id", cause="session-expired"))
    log.preparing(500, 1, "session-expired", "b").completing(510, 2, "a").stored(520, 2, a=tps(0, 1))
    return log.shows(530, "a", 0, 1).fetches(530, "a", 0, 1).end(600)
