"""Retries of JoinGroup fill a group with members that do not exist, unless ids are issued first."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.join_request_client import JoinRequestClient
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(7))
def ghost_members(world: World, retries: int = 4, request_timeout_ms: int = 30_000) -> Script:
    """A rebalance outlasts the request timeout; an old client's retries become members, a new client's retries do not.

    Source: KAFKA-7610, KAFKA-7824, KAFKA-9752, KIP-394. Every retry of a JoinGroup below version 4 adds a member;
    after MEMBER_ID_REQUIRED the retries carry the issued id. Such extra members always have a session timer: they
    are removed one session timeout after the rebalance ends.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=4)
    groups = {name: world.group(name, assignor="range") for name in ("old", "new")}
    busy = Application(process_ms=100)
    for group in groups.values():
        group.join(1, topics=[orders], application=busy)
    for group in groups.values():
        yield group.stable(members=1, within=minutes(1))
        group.members[0].slow_batch(request_timeout_ms * retries)
    yield world.sleep(seconds(1))

    old, new = (JoinRequestClient(world.context, name, f"{name}-client", "orders") for name in groups)
    new.join(version=9)
    while not new.answers:
        yield world.sleep(10)
    known = new.answers[0].member
    for _ in range(retries):
        old.join(version=3)
        new.join(version=9, member=known)
        yield world.sleep(request_timeout_ms)
        old.disconnect()
        new.disconnect()
    old.kill()
    new.kill()
    members = {name: probe.count(c.MemberAdded, group=name) - 1 for name in groups}
    world.check(members["old"] == retries, f"{retries} tries without an id made {members['old']} members")
    world.check(members["new"] == 1, "with an id they made one")

    for group in groups.values():
        yield group.stable(members=1, within=minutes(3))
    ended = probe.each(c.JoinPhaseCompleted, group="old")[1][0]
    gone = [at for at, _ in probe.each(c.MemberRemoved, group="old")]
    world.check(len(gone) == retries, "every ghost was removed")
    world.check(max(gone) <= ended + 45_000 + 10, "at the latest a session after the rebalance had ended")
