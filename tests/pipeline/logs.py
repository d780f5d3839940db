"""Two short stories by hand, and a way into a store for them."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.storage import EventStore
from groupsim.storage.store import RunInfo, RunSource, RunStatus
from tests.analysis.log import Log, tps


def _alone(partitions: int) -> Log:
    """Process a serves all partitions from 0 on."""
    every = range(partitions)
    log = Log(partitions=partitions).start(0, "a").added(0, "a").preparing(0, 0).completing(0, 1, "a")
    return log.stored(0, 1, a=tps(*every)).syncs(0, 1, "a").shows(0, "a", *every).fetches(0, "a", *every)


def eager() -> Log:
    """A second member comes; the first lets everything go until both are synced."""
    log = _alone(2).start(90, "b").added(100, "b").preparing(100, 1)
    log.client(110, p.CallbackStart(process="a", kind="revoked", partitions=tps(0, 1)))
    log.client(115, p.CallbackEnd(process="a", kind="revoked")).shows(115, "a").asks(115, "a")
    log.completing(120, 2, "a", "b").stored(130, 2, a=tps(0), b=tps(1)).syncs(131, 2, "a", "b")
    return log.shows(135, "b", 1).fetches(135, "b", 1).shows(140, "a", 0).fetches(150, "a", 0).end(200)


def cooperative() -> Log:
    """A second member comes; half the partitions move, and wait for a second round."""
    log = _alone(4).start(90, "b").added(100, "b").preparing(100, 1).asks(110, "a")
    log.completing(111, 2, "a", "b").stored(113, 2, a=tps(0, 1), b=()).syncs(114, 2, "a", "b")
    log.client(114, p.CallbackStart(process="a", kind="revoked", partitions=tps(2, 3)))
    log.client(120, p.CallbackEnd(process="a", kind="revoked")).shows(120, "a", 0, 1).asks(120, "a")
    log.preparing(121, 2, "member-rejoined", "a").completing(1121, 3, "a", "b")
    log.stored(1123, 3, a=tps(0, 1), b=tps(2, 3)).syncs(1124, 3, "a", "b")
    return log.shows(1124, "b", 2, 3).fetches(1126, "b", 2, 3).end(1200)


def keep(store: EventStore, run: str, log: Log) -> None:
    """Put the log's facts into the store as a finished run."""
    writer = store.begin(RunInfo(id=run, name="by hand", source=RunSource.SIMULATED, seed=7))
    for fact in log.facts:
        writer.append(fact.at_ms, fact.stream, [fact.event], fact.source)
    writer.finish(RunStatus.FINISHED, log.facts[-1].at_ms)
