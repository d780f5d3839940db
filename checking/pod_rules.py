"""Rules about pods, and about settings that do not go together with them. Each gives a sentence for what it finds."""

from __future__ import annotations

from collections.abc import Iterator

from groupsim.checking.given import CONCURRENCY, INSTANCE_ID
from groupsim.checking.kubernetes import DEPLOYMENT
from groupsim.checking.setup import Setup
from groupsim.simulation.clients.config import ConsumerConfig
from groupsim.simulation.kubernetes.rolling_update import Limits, limits
from groupsim.wording.numbers import counted, seconds

POLL = "max.poll.interval.ms"
KILL_AFTER_PRESTOP_S = 2
"""What the kubelet gives a container at least after its preStop hook."""


def static_name_of_a_random_pod(setup: Setup) -> Iterator[str]:
    """KIP-345 needs names that last; a Deployment gives its pods new ones at every version."""
    if setup.workload is None or setup.workload.kind != DEPLOYMENT or INSTANCE_ID not in setup.settings:
        return
    if setup.settings[INSTANCE_ID].certain and (random := setup.random_part(INSTANCE_ID)) is not None:
        yield (
            f"group.instance.id comes from {random}, and a Deployment gives its pods new names at every version: the"
            " partitions of an old pod wait until its session ends. Use a StatefulSet, or no group.instance.id."
        )


def static_name_in_a_variable(setup: Setup) -> Iterator[str]:
    """The same, where a program may do otherwise with the variable: some leave the group when they close."""
    if setup.workload is None or setup.workload.kind != DEPLOYMENT or setup.container is None:
        return
    given = setup.settings.get(INSTANCE_ID)
    if given is None or given.certain or any("VOLATILE" in name for name in setup.container.environment):
        return
    if (random := setup.random_part(INSTANCE_ID)) is not None:
        yield (
            f"group.instance.id ({setup.where(INSTANCE_ID)}) comes from {random}, which is new at every version: unless"
            " the program leaves the group when it closes, the partitions of an old pod wait until its session ends."
        )


def one_instance_id_for_all_pods(setup: Setup) -> Iterator[str]:
    """Kafka: FENCED_INSTANCE_ID, UNRELEASED_INSTANCE_ID."""
    given, name, replicas = setup.settings.get(INSTANCE_ID), setup.values.get(INSTANCE_ID), setup.pods
    if given is not None and given.certain and name and replicas is not None and replicas > 1:
        yield (
            f"{setup.as_given(INSTANCE_ID)} is the same in all {replicas} pods: members with one instance id"
            " fence each other. Give each pod its own."
        )


def grace_below_poll_interval(setup: Setup) -> Iterator[str]:
    """A process that is asked to end finishes its batch first; a value that is Kafka's default says nothing of that."""
    poll = setup.ms(POLL)
    if setup.workload is None or poll is None or poll == ConsumerConfig().max_poll_interval_ms:
        return
    prestop = setup.container.prestop_s if setup.container is not None else 0
    grace = setup.workload.grace_s - prestop
    if 0 < grace * 1_000 < poll:
        yield (
            f"{setup.as_given(POLL)} lets a batch take {seconds(poll, 0)} s, and a pod is killed {grace} s"
            " after SIGTERM: a longer batch is read again, and its partitions wait until the session ends. Raise"
            " terminationGracePeriodSeconds."
        )


def prestop_uses_up_grace(setup: Setup) -> Iterator[str]:
    """Kubernetes: the grace period begins before the preStop hook."""
    if not _is_consumer(setup) or setup.workload is None or setup.container is None:
        return
    prestop, grace = setup.container.prestop_s, setup.workload.grace_s
    if grace and prestop >= grace:
        yield (
            f"the preStop hook sleeps {prestop} s of a grace period of {grace} s, which includes it: the consumer has"
            f" {KILL_AFTER_PRESTOP_S} s at most to close, and is killed then."
        )


def no_grace(setup: Setup) -> Iterator[str]:
    """Kubernetes: 0 means SIGKILL at once."""
    if _is_consumer(setup) and setup.workload is not None and setup.workload.grace_s == 0:
        yield (
            "terminationGracePeriodSeconds is 0, so the consumer can't leave the group: after each deploy its"
            " partitions wait until its session ends."
        )


def surge_pod_without_partition(setup: Setup) -> Iterator[str]:
    """A roll that starts a new pod first, where all partitions have an owner that keeps them."""
    pods, container = setup.workload, setup.container
    if pods is None or container is None or setup.partitions is None or not container.gated:
        return
    allowed = rolled(setup)
    replicas = setup.pods
    if allowed is None or replicas is None or allowed.unavailable or not allowed.surge:
        return
    if replicas >= setup.partitions:
        yield (
            f"with {counted(replicas, 'pod')} for {counted(setup.partitions, 'partition')} a new pod gets no partition"
            " while the old ones run, and no old one ends before the new one is ready: if its probe waits for a"
            " partition, the rollout never ends. Set maxSurge: 0, or the strategy Recreate."
        )


def more_members_than_partitions(setup: Setup) -> Iterator[str]:
    """Kafka gives a partition to one member of a group."""
    if setup.workload is None or setup.partitions is None:
        return
    threads = int(found) if (found := setup.values.get(CONCURRENCY, "1")).isdigit() else 1
    replicas = setup.pods
    if replicas is None:
        return
    members, of_threads = replicas * threads, f" of {counted(threads, 'consumer')} each" if threads > 1 else ""
    if members > setup.partitions:
        idle = members - setup.partitions
        yield (
            f"{counted(replicas, 'pod')}{of_threads} for {counted(setup.partitions, 'partition')}: {idle} of {members}"
            " members have nothing to do."
        )


def rolled(setup: Setup) -> Limits | None:
    """How many pods a rollout may have too many, and too few; None where it is no rolling update of a Deployment."""
    pods = setup.workload
    replicas = setup.pods
    if pods is None or replicas is None or pods.kind != DEPLOYMENT or pods.strategy != "RollingUpdate":
        return None
    return limits(_whole(pods.surge), _whole(pods.unavailable), replicas)


def _is_consumer(setup: Setup) -> bool:
    """Whether these pods surely are members of a group."""
    scaled = setup.scaler is not None and setup.scaler.kafka
    return bool(setup.settings) or scaled or setup.partitions is not None


def _whole(amount: str) -> int | str:
    return int(amount) if amount.isdigit() else amount
