"""A PodDisruptionBudget's arithmetic, by what Kubernetes documents and its controller's own tests expect."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.simulation.errors import BadScenario
from groupsim.simulation.kubernetes.budget import ALWAYS, IF_HEALTHY, DisruptionBudget, Status

STATUS = (  # what says so, budget, replicas, pods, healthy ones; pods expected, healthy ones desired, evictions allowed
    ("disruption_test.go TestNoSelector", {"min_available": 3}, 0, 0, 0, 0, 3, 0),
    ("disruption_test.go TestNoSelector", {"min_available": 3}, 1, 1, 1, 1, 3, 0),
    ("disruption_test.go TestUnavailable", {"min_available": 3}, 4, 2, 2, 2, 3, 0),
    ("disruption_test.go TestUnavailable", {"min_available": 3}, 4, 3, 3, 3, 3, 0),
    ("disruption_test.go TestUnavailable", {"min_available": 3}, 4, 4, 4, 4, 3, 1),
    ("disruption_test.go TestUnavailable", {"min_available": 3}, 4, 4, 3, 4, 3, 0),
    ("disruption_test.go TestIntegerMaxUnavailable", {"max_unavailable": 1}, 1, 0, 0, 0, 0, 0),
    ("disruption_test.go TestIntegerMaxUnavailableWithScaling", {"max_unavailable": 2}, 7, 1, 1, 7, 5, 0),
    ("disruption_test.go TestIntegerMaxUnavailableWithScaling", {"max_unavailable": 2}, 5, 1, 1, 5, 3, 0),
    ("disruption_test.go TestPercentageMaxUnavailableWithScaling", {"max_unavailable": "30%"}, 7, 1, 1, 7, 4, 0),
    ("disruption_test.go TestPercentageMaxUnavailableWithScaling", {"max_unavailable": "30%"}, 3, 1, 1, 3, 2, 0),
    ("disruption_test.go TestReplicaSet", {"min_available": "20%"}, 10, 1, 1, 10, 2, 0),
    ("disruption_test.go TestScaleResource", {"max_unavailable": 5}, 10, 4, 4, 10, 5, 0),
    ("disruption_test.go TestMultipleControllers", {"min_available": "1%"}, 1, 2, 2, 1, 1, 1),
    ("disruption_test.go TestReplicationController", {"min_available": "34%"}, 3, 0, 0, 0, 0, 0),
    ("disruption_test.go TestReplicationController", {"min_available": "34%"}, 3, 1, 1, 3, 2, 0),
    ("disruption_test.go TestReplicationController", {"min_available": "34%"}, 3, 3, 3, 3, 2, 1),
    ("disruption_test.go TestReplicationController, a pod more", {"min_available": "34%"}, 3, 4, 4, 3, 2, 2),
    ("disruption_test.go TestStatefulSetController", {"min_available": "34%"}, 3, 2, 2, 3, 2, 0),
    ("disruption_test.go TestTwoControllers", {"min_available": "28%"}, 11, 11, 0, 11, 4, 0),
    ("disruption_test.go TestTwoControllers", {"min_available": "28%"}, 11, 11, 4, 11, 4, 0),
    ("disruption_test.go TestTwoControllers", {"min_available": "28%"}, 11, 11, 5, 11, 4, 1),
    ("disruption_test.go TestTwoControllers", {"min_available": "28%"}, 22, 22, 9, 22, 7, 2),
    ("disruption_test.go TestTwoControllers", {"min_available": "28%"}, 22, 22, 8, 22, 7, 1),
    ("disruption_test.go TestTwoControllers", {"min_available": "28%"}, 22, 22, 7, 22, 7, 0),
    ("disruption_test.go TestUpdateDisruptedPods", {"min_available": 1}, 3, 3, 1, 3, 1, 0),
    ("configure-pdb, rounding: half of 7 is 4", {"min_available": "50%"}, 7, 7, 7, 7, 4, 3),
    ("configure-pdb, rounding: half of 7 is 4", {"max_unavailable": "50%"}, 7, 7, 7, 7, 3, 4),
    ("configure-pdb, zk-pdb", {"min_available": 2}, 3, 3, 3, 3, 2, 1),
    ("configure-pdb, zk-pdb", {"max_unavailable": 1}, 3, 3, 3, 3, 2, 1),
    ("configure-pdb, no voluntary evictions", {"max_unavailable": 0}, 3, 3, 3, 3, 3, 0),
    ("configure-pdb, no voluntary evictions", {"max_unavailable": "0%"}, 3, 3, 3, 3, 3, 0),
    ("configure-pdb, no voluntary evictions", {"min_available": "100%"}, 3, 3, 3, 3, 3, 0),
    ("configure-pdb, no voluntary evictions", {"min_available": 3}, 3, 3, 3, 3, 3, 0),
    ("getExpectedPodCount, never below none", {"max_unavailable": 10}, 3, 3, 3, 3, 0, 3),
    ("getExpectedPodCount, rounded up in both cases", {"max_unavailable": "1%"}, 12, 12, 12, 12, 11, 1),
    ("getExpectedPodCount, rounded up in both cases", {"min_available": "1%"}, 12, 12, 12, 12, 1, 11),
    ("updatePdbStatus, none is expected of what was scaled to nothing", {"max_unavailable": 1}, 0, 2, 2, 0, 0, 0),
    ("configure-pdb, example 4", {"max_unavailable": "30%"}, 10, 10, 8, 10, 7, 1),
)
EVICTIONS = (  # what says so, policy, healthy, desired, allowed, is the pod ready; may it go?
    ("eviction_test.go, no disruptions allowed, pod running", IF_HEALTHY, 0, 0, 0, True, False),
    ("eviction_test.go, disruptions allowed", IF_HEALTHY, 3, 2, 1, True, True),
    ("eviction_test.go t7, pod healthy, unhealthy pod not ours", IF_HEALTHY, 2, 2, 0, True, False),
    ("eviction_test.go t8, unhealthy pod ours", IF_HEALTHY, 2, 2, 0, False, True),
    ("eviction.go, too few are healthy", IF_HEALTHY, 1, 2, 0, False, False),
    ("eviction.go, none is wanted healthy", IF_HEALTHY, 0, 0, 0, False, False),
    ("eviction.go, none is wanted healthy", IF_HEALTHY, 1, 0, 1, False, True),
    ("eviction.go, AlwaysAllow", ALWAYS, 1, 2, 0, False, True),
    ("eviction.go, AlwaysAllow", ALWAYS, 1, 2, 0, True, False),
)


@pytest.mark.parametrize(("source", "budget", "replicas", "pods", "healthy", "expected", "desired", "allowed"), STATUS)
def test_a_budget_counts_as_the_controller_does(
    source: str,
    budget: dict[str, Any],
    replicas: int,
    pods: int,
    healthy: int,
    expected: int,
    desired: int,
    allowed: int,
) -> None:
    found = DisruptionBudget(**budget).status(replicas, pods, healthy)
    assert found == Status(expected, desired, healthy, allowed), source


@pytest.mark.parametrize(("source", "policy", "healthy", "desired", "allowed", "ready", "goes"), EVICTIONS)
def test_an_eviction_is_answered_as_by_the_api_server(
    source: str, policy: str, healthy: int, desired: int, allowed: int, ready: bool, goes: bool
) -> None:
    budget = DisruptionBudget(max_unavailable=1, unhealthy=policy)
    assert budget.allows(Status(3, desired, healthy, allowed), ready=ready) is goes, source


@given(st.integers(1, 60), st.integers(0, 60), st.integers(0, 100), st.booleans())
def test_evictions_never_leave_fewer_healthy_pods_than_are_desired(
    replicas: int, unhealthy: int, share: int, least: bool
) -> None:
    amount = {"min_available" if least else "max_unavailable": f"{share}%"}
    found = DisruptionBudget(**amount).status(replicas, replicas, max(replicas - unhealthy, 0))
    assert found.allowed == 0 or found.healthy - found.allowed >= found.desired
    exact = replicas * (share if least else 100 - share) / 100
    assert abs(found.desired - exact) < 1


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "either min_available or max_unavailable"),
        ({"min_available": 1, "max_unavailable": 1}, "either min_available or max_unavailable"),
        ({"max_unavailable": "a third"}, "max_unavailable must be a number of pods or a percentage"),
        ({"min_available": -1}, "min_available must be a number of pods or a percentage"),
        ({"min_available": 1, "unhealthy": "Never"}, "unhealthy must be one of IfHealthyBudget, AlwaysAllow"),
    ],
)
def test_what_is_no_budget_is_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadScenario, match=sentence):
        DisruptionBudget(**settings)
