"""What a member says is taken in, the epoch grows, the target is computed, the member takes a step towards it.

Kafka: the common middle of GroupMetadataManager.consumerGroupHeartbeat and classicGroupJoinToConsumerGroup.
"""

from __future__ import annotations

import msgspec

from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.expressions import expression_changed
from groupsim.coordinator.consumer.group_config import assignment_interval_ms
from groupsim.coordinator.consumer.reconcile import Step, reconcile
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.subscription import ids_of, names_of, subscribed
from groupsim.coordinator.consumer.target import same_subscription, update_target
from groupsim.coordinator.consumer.votes import next_preferred, preferred
from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.evolve import same
from groupsim.coordinator.modern.heartbeat import refresh
from groupsim.coordinator.modern.target import target_is_due
from groupsim.events import consumer as facts
from groupsim.events.consumer import BumpCause
from groupsim.events.types import Partitions


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A member as it was, and as its request says. `owned` is what it says it still has, None if it says nothing.

    `known` is the group before the request: its instance ids decide where the last target is looked up, and what was
    held then is not free yet, and votes that were cast count, although the member took another one's place (defect
    `held-by-the-former`).
    """

    known: ConsumerGroup
    before: Member
    after: Member
    owned: Partitions | None
    context: Context

    @property
    def subscribes_anew(self) -> bool:
        """Names or expression differ."""
        return self.before.topics != self.after.topics or self.before.expression != self.after.expression


def settle(decision: ConsumerDecision, change: Change) -> None:
    """All of it."""
    after = change.after
    assignor = next_preferred(change.known, change.before, after)
    looked = take_in(decision, change)
    interval_ms = assignment_interval_ms(decision.group.configs, change.context)
    computed = target_is_due(decision.group, interval_ms, change.context)
    if computed:
        # Defect `stale-homogeneity`: only then it is asked anew whether all members have the same subscription.
        homogeneous = same_subscription(decision.group if looked else change.known)
        update_target(decision, change.known, change.context, assignor, homogeneous=homogeneous)
    # Defect `late-instance-id`: one that the group does not know yet finds no target, unless there is a new one.
    lost = not computed and after.instance_id is not None and after.instance_id not in change.known.statics
    step(decision, change, finds_target=not lost)


def take_in(decision: ConsumerDecision, change: Change) -> bool:
    """Take in what the member says, and let the epoch grow; whether the broker's topics were looked at."""
    before, after = change.before, change.after
    group = decision.group
    # A JoinGroup takes a vote away, but the epoch does not grow for it.
    bumps = group.behaviour.assignor_change_bumps and after.classic is None
    winner_changes = bumps and next_preferred(change.known, before, after) != preferred(change.known)
    if after.id not in decision.group.members or after != before:
        decision.record(member_updated(after))
    expressed = expression_changed(decision, before, after, change.context)
    cause = None
    if before.topics != after.topics:
        cause = BumpCause.SUBSCRIPTION_CHANGED
    elif expressed:
        cause = BumpCause.EXPRESSION_CHANGED
    elif winner_changes:
        cause = BumpCause.ASSIGNOR_CHANGED
    return refresh(decision, subscribed, change.context.topics, cause, after.id)


def step(decision: ConsumerDecision, change: Change, *, finds_target: bool = True) -> None:
    """One step towards the present target."""
    group = decision.group
    if change.subscribes_anew or not group.members[change.after.id].settled(group.target_epoch):
        reconcile(decision, next_step(group, change, finds_target=finds_target))


def next_step(group: ConsumerGroup, change: Change, *, finds_target: bool) -> Step:
    """What the member's step looks at."""
    member = group.members[change.after.id]
    return Step(
        member=member,
        target_epoch=group.target_epoch,
        target=group.targets.get(member.id, ()) if finds_target else (),
        taken=change.known.owners,
        subscribed=ids_of(group, member, change.context.topics),
        subscribes=bool(names_of(group, member)),
        subscription_changed=change.subscribes_anew,
        owned=change.owned,
        behaviour=group.behaviour,
    )


def member_updated(member: Member) -> facts.ConsumerMemberUpdated:
    """The fact that a member is now as its request says."""
    return facts.ConsumerMemberUpdated(member=member.id, **same(member, facts.ConsumerMemberUpdated))
