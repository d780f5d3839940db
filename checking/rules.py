"""The rules: what settings and manifests contradict, one row each. A rule speaks only where it is sure.

`wrong`: it can't work, or it undoes what it is for; the check fails. `risk`: what follows in a case that the files
do not tell of; the check says so. Each row has its public source and a scenario that shows what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from groupsim.checking import pod_rules, setting_rules
from groupsim.checking.setup import Setup

_GITHUB = "https://github.com/"


class Level(StrEnum):
    """How a finding counts."""

    WRONG = "wrong"
    RISK = "risk"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `shown`: the built-in scenario, and its settings, that show what follows; `cause`: a page of causes."""

    name: str
    level: Level
    about: str
    source: str
    scenario: str
    find: Callable[[Setup], Iterator[str]]
    shown: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """The command that shows what follows."""
        chosen = "".join(f" --set {name}={value}" for name, value in self.shown.items())
        return f"groupsim run {self.scenario}{chosen}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says of a setup."""

    rule: Rule
    setup: str
    said: str

    @property
    def sentence(self) -> str:
        """What is wrong, where, and what follows."""
        return self.said if self.setup == "settings" else f"{self.setup}: {self.said}"


RULES: tuple[Rule, ...] = (
    Rule(
        "heartbeat-not-below-session",
        Level.WRONG,
        "heartbeat.interval.ms is not below session.timeout.ms: the consumer does not start.",
        f"{_GITHUB}apache/pulsar/issues/3293",
        "steady_state",
        setting_rules.heartbeat_not_below_session,
        {"session.timeout.ms": "10000", "heartbeat.interval.ms": "10000"},
    ),
    Rule(
        "heartbeat-above-a-third",
        Level.RISK,
        "heartbeat.interval.ms is above a third of session.timeout.ms: few lost heartbeats end the session.",
        f"{_GITHUB}scrapinghub/frontera/pull/358",
        "cut_from_coordinator",
        setting_rules.heartbeat_above_a_third,
    ),
    Rule(
        "session-outside-broker",
        Level.WRONG,
        "session.timeout.ms is outside what the broker allows: the member is refused.",
        f"{_GITHUB}dpkp/kafka-python/issues/837",
        "steady_state",
        setting_rules.session_outside_broker,
        {"session.timeout.ms": "5000"},
    ),
    Rule(
        "session-outside-usual-bounds",
        Level.RISK,
        "session.timeout.ms is outside what a broker allows by default: the member is refused.",
        f"{_GITHUB}zendesk/ruby-kafka/issues/186",
        "steady_state",
        setting_rules.session_outside_usual_bounds,
        {"session.timeout.ms": "5000"},
    ),
    Rule(
        "refused-by-protocol",
        Level.WRONG,
        "A setting that the group protocol has no use for: the consumer does not start.",
        f"{_GITHUB}apache/kafka/pull/18085",
        "steady_state",
        setting_rules.refused_by_protocol,
        {"group.protocol": "consumer", "session.timeout.ms": "10000"},
    ),
    Rule(
        "static-name-of-a-random-pod",
        Level.WRONG,
        "group.instance.id is the name of a pod of a Deployment: each new version leaves the old names behind.",
        f"{_GITHUB}grafana/tempo/pull/6575",
        "deployment_rolls",
        pod_rules.static_name_of_a_random_pod,
        {"static": "true"},
    ),
    Rule(
        "static-name-in-a-variable",
        Level.RISK,
        "A variable with the name of a pod of a Deployment is group.instance.id: new versions have new names.",
        f"{_GITHUB}PostHog/posthog/pull/65809",
        "deployment_rolls",
        pod_rules.static_name_in_a_variable,
        {"static": "true"},
    ),
    Rule(
        "one-instance-id-for-all-pods",
        Level.WRONG,
        "All pods have the same group.instance.id: each one that joins fences another.",
        f"{_GITHUB}apache/airflow/issues/57843",
        "static_one_name_for_all",
        pod_rules.one_instance_id_for_all_pods,
    ),
    Rule(
        "grace-below-poll-interval",
        Level.RISK,
        "The grace period is below max.poll.interval.ms: a long batch is killed in its middle.",
        f"{_GITHUB}fyndiq/confluent_kafka_helpers/pull/94",
        "deployment_rolls",
        pod_rules.grace_below_poll_interval,
        {"process_ms": "60000"},
    ),
    Rule(
        "prestop-uses-up-grace",
        Level.WRONG,
        "The preStop hook sleeps as long as the grace period: the consumer is killed before it can close.",
        f"{_GITHUB}kubernetes/kubernetes/issues/65496",
        "deployment_rolls",
        pod_rules.prestop_uses_up_grace,
        {"grace_ms": "0"},
    ),
    Rule(
        "no-grace",
        Level.WRONG,
        "The grace period is 0: pods are killed at once, and no consumer leaves its group.",
        f"{_GITHUB}strimzi/strimzi-kafka-operator/pull/2134",
        "deployment_rolls",
        pod_rules.no_grace,
        {"grace_ms": "0"},
    ),
    Rule(
        "surge-pod-without-partition",
        Level.RISK,
        "No old pod ends before a new one is ready, and the new one gets no partition while the old ones run.",
        f"{_GITHUB}sentry-kubernetes/charts/pull/2258",
        "surge_pod_without_partition",
        pod_rules.surge_pod_without_partition,
    ),
    Rule(
        "more-members-than-partitions",
        Level.RISK,
        "There are more members than partitions: some have nothing to do.",
        f"{_GITHUB}sentry-kubernetes/charts/issues/2238",
        "deployment_rolls",
        pod_rules.more_members_than_partitions,
        {"replicas": "4", "partitions": "2"},
    ),
)
NAMES = tuple(rule.name for rule in RULES)


def findings(setups: Sequence[Setup]) -> list[Finding]:
    """What the rules say of these setups, what is wrong first."""
    found = [Finding(rule, setup.name, said) for rule in RULES for setup in setups for said in rule.find(setup)]
    return sorted(found, key=lambda each: each.rule.level is Level.RISK)
