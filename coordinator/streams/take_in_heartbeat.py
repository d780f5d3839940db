"""What a member says is taken in, the epoch grows, the target is computed, the member takes a step towards it.

Kafka: the middle of GroupMetadataManager.streamsGroupHeartbeat.
"""

from __future__ import annotations

import msgspec

from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.state import Phase
from groupsim.coordinator.modern.target import waits_for_interval
from groupsim.coordinator.outcome import Error
from groupsim.coordinator.streams import group_config as settings
from groupsim.coordinator.streams.checks import check_owned
from groupsim.coordinator.streams.commands import InitialDelayOver, StreamsHeartbeat
from groupsim.coordinator.streams.evolve import StreamsDecision, updated
from groupsim.coordinator.streams.reconcile import Step, reconcile
from groupsim.coordinator.streams.state import NOT_VALIDATED, Member, StreamsGroup
from groupsim.coordinator.streams.target import update_target
from groupsim.coordinator.streams.topology import check_topology, configured
from groupsim.coordinator.topics import metadata_hash
from groupsim.events import streams as facts
from groupsim.events.consumer import MetadataChecked
from groupsim.events.streams import Tasks, Topology

DELAY_TIMER = "initial-delay"


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A member as it was, and as its request says. `known` is the group before the request, `new` a member that is not
    in it and takes nobody's place."""

    known: StreamsGroup
    before: Member
    after: Member
    cmd: StreamsHeartbeat
    new: bool

    @property
    def rebalances(self) -> bool:
        """What changed starts a rebalance: of a static member not everything does."""
        before, after = self.before, self.after
        if self.new:
            return True
        if self.cmd.instance_id is None:
            return before != after
        kept = ("topology_epoch", "rack", "tags", "process")
        return any(getattr(before, field) != getattr(after, field) for field in kept)


def topology_epoch(decision: StreamsDecision, topology: Topology | None) -> int | None:
    """The topology epoch of a member that brings this topology; an older one lives with the group's.

    Raises RequestRefused for another topology than the group has: it can't be replaced.
    """
    if topology is None:
        return None
    check_topology(topology)
    current = decision.group.topology
    if current is None or topology.epoch < current.epoch:
        return topology.epoch
    same = {part.id: part for part in topology.subtopologies} == {part.id: part for part in current.subtopologies}
    if topology.epoch > current.epoch or not same:
        raise RequestRefused(Error.INVALID_REQUEST, "Topology updates are not supported yet.")
    return topology.epoch


def settle(decision: StreamsDecision, change: Change) -> str | None:
    """All of it; why a target that is due has to wait, if it has."""
    cmd, context = change.cmd, change.cmd.context
    before = decision.group
    if change.new or change.after != change.before:
        decision.record(updated(change.after))
    if before.topology is None and cmd.topology is not None:
        decision.record(facts.TopologyStored(topology=cmd.topology))
    if cmd.offsets is not None or cmd.end_offsets is not None:
        decision.record(
            facts.TaskOffsetsReported(member=change.after.id, offsets=cmd.offsets, end_offsets=cmd.end_offsets)
        )
    grew = _let_epoch_grow(decision, change)
    group = decision.group
    delay_ms = settings.initial_delay_ms(group.configs, context)
    if not change.known.members and delay_ms:
        decision.arm(DELAY_TIMER, delay_ms, InitialDelayOver(), keeps=True)
        if not group.delaying:
            decision.record(facts.InitialDelayStarted())
    waits = None
    if decision.group.delaying:
        waits = "initial rebalance delay"
    elif group.epoch > group.target_epoch:
        if waits_for_interval(group, settings.assignment_interval_ms(group.configs, context), context):
            waits = "assignment interval"
        else:
            update_target(decision, change.known, context)
    target = _target(decision, change, nothing_changed=not grew and change.after == change.before)
    reconcile(
        decision,
        Step(
            member=decision.group.members[change.after.id],
            target_epoch=decision.group.target_epoch,
            target=target,
            known=change.known,
            owned=cmd.owned,
        ),
    )
    if cmd.shutdown and decision.group.shutdown is None:
        decision.record(facts.ShutdownAsked(member=change.after.id))
    return waits


def _let_epoch_grow(decision: StreamsDecision, change: Change) -> bool:
    """Compare the topology with the broker's topics if it is time, and let the epoch grow once for all that changed."""
    group, context = decision.group, change.cmd.context
    topology, topics = group.topology, context.topics
    assert topology is not None
    last, new_hash = group.topics_version, group.metadata_hash
    if group.configured is None or last is None or topics.changed_since(last, topology.required):
        new_hash = metadata_hash(topics.named(topology.required))
        if group.configured is None or new_hash != group.metadata_hash:
            decision.record(configured(topology, topics))
    if last != topics.version:
        decision.record(MetadataChecked(version=topics.version))
    now = decision.group.configured
    assert now is not None
    check_owned(now, change.cmd)
    validated = topology.epoch if now.problem is None else NOT_VALIDATED
    configs = settings.assignment_configs(group.configs, context)
    changed = (new_hash, validated, configs) != (group.metadata_hash, group.validated_epoch, group.assignment_configs)
    # What defect `copy-follows-instance-id` took is given back once everybody else is at the target.
    robbed = change.known.phase is Phase.STABLE and group.members[change.after.id].tasks != group.targets.get(
        change.after.id, Tasks()
    )
    recomputes = change.rebalances or changed
    if recomputes or robbed:
        decision.record(
            facts.StreamsGroupEpochBumped(
                epoch=group.epoch + 1,
                metadata_hash=new_hash,
                validated_epoch=validated,
                assignment_configs=configs,
                member=change.after.id,
            )
        )
    if robbed and not recomputes:
        decision.record(facts.StreamsTargetComputed(epoch=decision.group.epoch, changed={}, at_ms=group.target_at_ms))
    return recomputes or robbed


def _target(decision: StreamsDecision, change: Change, *, nothing_changed: bool) -> Tasks:
    """What the member is reconciled towards: its target in a copy of all targets that is made once per epoch.

    Without warm-ups there is no copy; while the initial delay runs there is no target.
    """
    group, member = decision.group, change.after.id
    if group.delaying:
        return Tasks()
    if not settings.warmups(group.configs, change.cmd.context):
        return group.targets.get(member, Tasks())
    renewed = nothing_changed and change.known.phase is Phase.STABLE and group.copied is not group.targets
    if group.copied_epoch != group.target_epoch or renewed:
        decision.record(facts.TargetsCopied(epoch=group.target_epoch))
    return decision.group.copied.get(member, Tasks())
