"""Every built-in scenario runs green, and `explain` names the cause that its docstring names."""

from __future__ import annotations

import pytest

from groupsim.diagnosis.explain import explain_run
from groupsim.scenarios.catalogue import find, names
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from tests.scenarios.shorter import every_scenario
from tests.scenarios.test_builtin import goes_well

NAMED = {
    "accidental_range_consumer": "start-up",
    "assignor_slower_than_session": "session-expired",
    "autoscaler_oscillates": "autoscaler-churn",
    "bad_leader": "session-expired",
    "close_during_rebalance": "scale-in",
    "commit_before_revoke": "slow-rejoin",
    "connect_connector_added": "assignment-changed",
    "connect_cut_off": "connect-delay",
    "connect_pod_deleted": "connect-delay",
    "connect_rolling_restart": "connect-delay",
    "connect_slow_start": "poll-timeout",
    "connect_tasks_gather": "scale-out",
    "connect_worker_added": "scale-out",
    "connect_workers_lost": "connect-delay",
    "consumer_assignor_changed": "rolling-restart",
    "consumer_coordinator_unreachable": "session-expired",
    "consumer_partitions_added": "assignment-changed",
    "consumer_pattern": "assignment-changed",
    "consumer_rolling_restart": "rolling-restart",
    "consumer_slow_callback": "slow-callback",
    "consumer_static_killed": "static-unreleased",
    "consumer_static_new_names": "rolling-restart",
    "consumer_swarm": "session-expired",
    "consumer_upgrade_and_back": "migration",
    "coordinator_moves_again_and_again": "coordinator-moved",
    "cut_from_coordinator": "session-expired",
    "deployment_rolls": "rolling-restart",
    "downgrade_and_back": "rolling-restart",
    "eager_vs_cooperative": "rolling-restart",
    "eager_vs_cooperative_vs_consumer": "rolling-restart",
    "everybody_too_slow": "poll-timeout",
    "failover_after_static_replacement": "coordinator-moved",
    "failover_between_join_and_sync": "coordinator-moved",
    "failover_forgets_assignors": "inconsistent-protocol",
    "follower_rejoins": "start-up",
    "forgotten_old_member": "rolling-restart",
    "four_ways_to_roll": "rolling-restart",
    "ghost_members": "session-expired",
    "initial_delay": "start-up",
    "late_sync_stale_claims": "slow-rejoin",
    "librdkafka_commit_in_follow_up": "commit-failed",
    "librdkafka_static_cut": "session-expired",
    "listener_styles": "scale-in",
    "long_batch_while_join_parked": "session-expired",
    "mixed_group_dead_classic_member": "session-expired",
    "node_drain": "rolling-restart",
    "one_departure": "scale-in",
    "one_slow_member": "slow-rejoin",
    "only_absent_statics": "session-expired",
    "pending_id": "pending-member",
    "poll_expiry_meets_join": "poll-timeout",
    "poll_expiry_while_rebalance_waits": "poll-timeout",
    "restart_three_ways": "rolling-restart",
    "rolling_restart": "rolling-restart",
    "scale_out_and_in": "scale-in",
    "slow_assignor": "slow-assignor",
    "spot_instances": "session-expired",
    "static_away_leaves_orphans": "poll-timeout",
    "static_leader_misses_growth": "rolling-restart",
    "static_leader_returns": "assignment-changed",
    "static_meets_max_size": "group-full",
    "static_one_name_for_all": "static-fenced",
    "static_poll_expiry": "poll-timeout",
    "static_replaced_while_completing": "rolling-restart",
    "static_shorter_rebalance_timeout": "session-expired",
    "static_slower_than_session": "session-expired",
    "steady_state": "start-up",
    "stream_join": "scale-in",
    "streams_close_waits": "poll-timeout",
    "streams_killed_standby": "streams-restore",
    "streams_long_shutdown": "session-expired",
    "streams_restart_waits": "session-expired",
    "streams_rolling_restart": "rolling-restart",
    "streams_scale_out": "streams-restore",
    "streams_thread_replaced": "session-expired",
    "surge_pod_without_partition": "start-up",
    "swarm": "session-expired",
    "unsubscribe_leaves": "scale-in",
    "upgrade_in_one_bounce": "rolling-restart",
    "upgrade_in_two_bounces": "rolling-restart",
    "upgrade_skipping_the_middle": "inconsistent-protocol",
    "zombie_member": "session-expired",
}
"""By scenario, the code of the cause that its docstring is about; what is about something else has what it shows."""

REMEDIES = {
    "connect_connector_added": "use connect.protocol=sessioned",
    "connect_cut_off": "lower scheduled.rebalance.max.delay.ms",
    "connect_pod_deleted": "lower scheduled.rebalance.max.delay.ms",
    "connect_slow_start": "find which connector is slow to start or stop, or raise rebalance.timeout.ms",
    "connect_workers_lost": "lower scheduled.rebalance.max.delay.ms",
    "streams_close_waits": "raise max.poll.interval.ms",
    "streams_killed_standby": "keep a standby, and state on persistent volumes",
    "streams_long_shutdown": "set session.timeout.ms longer than the restart takes",
    "streams_restart_waits": "give its instances a group.instance.id",
    "streams_scale_out": "keep a standby, and state on persistent volumes",
    "streams_thread_replaced": "give its instances a group.instance.id",
}
"""What the first sentence of an answer says is to be done, where something is."""


def test_every_scenario_has_a_cause() -> None:
    assert sorted(NAMED) == names()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(NAMED))
def test_every_story_goes_well_and_the_cause_that_it_is_about_is_named(name: str) -> None:
    store = MemoryStore()
    result = run(find(name), store, settings=dict(every_scenario())[name], record="facts")
    assert result.info.seed == find(name).seed
    goes_well(result, store)
    explanation = explain_run(list(store.read(result.info.id)))
    assert explanation is not None
    found = {finding.code.value for group in explanation.groups for finding in group.findings}
    assert NAMED[name] in found, explanation.answer
    assert REMEDIES.get(name, "") in explanation.answer


def test_a_coordinator_that_moves_and_is_back_is_not_said_to_be_shut_down() -> None:
    store = MemoryStore()
    result = run(find("coordinator_moves_again_and_again"), store, record="facts")
    explanation = explain_run(list(store.read(result.info.id)))
    assert explanation is not None
    assert explanation.answer.startswith("The group's coordinator was away 5 times, for 200 ms each (stopped")
