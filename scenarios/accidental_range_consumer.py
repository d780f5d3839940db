"""KIP-726: a consumer that lists only range is started by mistake, with and without the guard."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.group import CommitAccepted
from groupsim.events.types import TopicPartition
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import Probe, watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def accidental_range_consumer(world: World, members: int = 3, partitions: int = 12) -> Script:
    """KIP-726: a range-only consumer joins a guarded (`dynamic`) and an `unsafe` group; the first stops committing.

    Source: KIP-726, KAFKA-12477 (never shipped). Guarded (`dynamic`) members that hold partitions when range is
    selected lose them, and commit nothing until they have joined owning nothing. Unguarded ones (`unsafe`) go on
    processing partitions that another member was assigned in the same generation, and the coordinator accepts their
    commits.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    busy = Application(process_ms=2_000, commit_sync=True)
    groups = {}
    for mode in ("dynamic", "unsafe"):
        groups[mode] = group = world.group(
            mode, assignor=["cooperative-sticky", "range"], config={"enable.auto.commit": False}
        )
        group.join(members, topics=[orders], protocol_mode=mode, application=busy)
        yield group.stable(members=members, within=minutes(1))
    yield world.sleep(seconds(10))

    started = world.now
    for mode, group in groups.items():
        config = {"partition.assignment.strategy": "range"}
        group.join(f"{mode}-accident", topics=[orders], config=config, application=busy)
    for group in groups.values():
        yield group.stable(members=members + 1, within=minutes(1))
    yield world.sleep(seconds(5))

    for mode in groups:
        last = probe.each(c.JoinPhaseCompleted, group=mode)[-1][1]
        world.check(last.protocol == "range", f"{mode}: range is all that everybody knows")
    lost = probe.count(p.CallbackStart, since=started, group="dynamic", kind="lost")
    world.check(lost >= members, "guarded: every member that held something lost it")
    world.check(_foreign_commits(probe, "dynamic") == 0, "guarded: nobody committed what the books gave another")
    world.check(probe.count(p.CallbackStart, group="unsafe", kind="lost") == 0, "unguarded: nobody lost anything")
    world.check(_foreign_commits(probe, "unsafe") > 0, "unguarded: commits of partitions that were another's went in")


def _foreign_commits(probe: Probe, group: str) -> int:
    """Partitions in accepted commits that the assignment in force gave to another member."""
    owner: dict[TopicPartition, str] = {}
    found = 0
    for fact in probe.facts:
        if fact.stream != f"group:{group}":
            continue
        if isinstance(fact.event, c.AssignmentStored):
            owner = {tp: member for member, given in (fact.event.assignment or {}).items() for tp in given}
        elif isinstance(fact.event, CommitAccepted):
            committed = [TopicPartition(topic, number) for topic, number, _ in fact.event.offsets]
            found += sum(owner.get(tp, fact.event.member) != fact.event.member for tp in committed)
    return found
