"""Members of the consumer protocol that were removed: for silence, more than once, or for holding a rebalance up."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from groupsim.events.client import Crashed, Frozen
from tests.adversary.written_runs import hold
from tests.incidents.drawn_groups import GROUP, drawn_consumer, simulated
from tests.incidents.imported import C1, import_logs
from tests.incidents.lines import NEW, stamped, write
from tests.incidents.written_consumer_logs import write_consumer_logs

MEMBER = "q1w2e3r4t5y6u7i8o9p0aA"
_BROKER = "[GroupCoordinator id=1 topic=__consumer_offsets partition=7] [GroupId billing] "
_CLASS = " (org.apache.kafka.clients.consumer.internals.ConsumerMembershipManager)"


@pytest.mark.parametrize(
    ("seed", "session_ms"),
    [(685_410, 10_000), (704_346, None), (186_580, None), (638_018, 22_736)],
    ids=["frozen twice", "a short session", "another short session", "a poll between callbacks"],
)
def test_what_logs_of_a_consumer_group_say_is_true(seed: int, session_ms: int | None, tmp_path: Path) -> None:
    group = drawn_consumer(seed)
    facts = simulated(group)
    files = write_consumer_logs([f for f in facts if not f.event.noise], GROUP, tmp_path, group.heartbeat_ms)
    assert session_ms in (None, group.session_ms)
    hold(Random(0), facts, files, "logs", session_ms, f"group {seed}")


def test_a_member_that_was_removed_within_a_callback_shows_no_lower_bound_without_the_brokers_log(
    tmp_path: Path,
) -> None:
    """It froze there; the coordinator removed it after 10 s, and one that has no log took its partitions."""
    facts = simulated(drawn_consumer(431_870, slow=True))
    files = write_consumer_logs([f for f in facts if not f.event.noise], GROUP, tmp_path, heartbeat_ms=4_069)
    some = [path for path in files if path.stem in ("m0.0", "m1.0")]
    assert len(some) == 2
    hold(Random(0), facts, some, "logs", None, "clients alone")


def test_a_callback_whose_end_no_line_shows_has_no_known_length(tmp_path: Path) -> None:
    """A client tells of the end in its next poll: this one served for 300 s, and was removed before it polled again."""
    group = drawn_consumer(541_179, slow=True)
    facts = simulated(group)
    files = write_consumer_logs([f for f in facts if not f.event.noise], GROUP, tmp_path, group.heartbeat_ms)
    hold(Random(0), facts, files, "logs", 40_000, "all logs")


@pytest.mark.parametrize("goes_on", [False, True], ids=["its log ends", "it writes on"])
def test_a_member_that_held_a_rebalance_up_was_not_silent(goes_on: bool, tmp_path: Path) -> None:
    """It sent heartbeats, else its session had ended: nothing says that it was frozen or when it died."""
    said = [
        (0.0, "Subscribed to topic(s): orders"),
        (0.1, f"Member {MEMBER} with epoch 0 transitioned from UNSUBSCRIBED to JOINING."),
        (0.2, f"Member {MEMBER} with epoch 3 transitioned from JOINING to RECONCILING."),
        (0.3, "Adding newly assigned partitions: [orders-0, orders-1]"),
        (0.4, f"Member {MEMBER} with epoch 3 transitioned from RECONCILING to ACKNOWLEDGING."),
        (0.4, f"Member {MEMBER} with epoch 3 transitioned from ACKNOWLEDGING to STABLE."),
        (5.0, f"Member {MEMBER} with epoch 4 transitioned from STABLE to RECONCILING."),
        (5.1, "Revoke previously assigned partitions [orders-1]"),
        *([(40.0, f"Member {MEMBER} with epoch 4 transitioned from RECONCILING to FENCED.")] if goes_on else []),
    ]
    removed = f"Member {MEMBER} fenced from the group because it failed to transition from epoch 3 within 10000ms."
    client = write(tmp_path, *(stamped(at, C1 + each + _CLASS) for at, each in said))
    broker = write(tmp_path, stamped(15.2, f"{_BROKER}{removed} {NEW}"), name="broker.log")
    result, facts = import_logs(client, broker)
    assert not [fact for fact in facts if isinstance(fact.event, Frozen)]
    assert [fact.at_ms for fact in facts if isinstance(fact.event, Crashed)] == ([] if goes_on else [15_200])
    stopped = [each for each in result.run.summary["doubts"] if "stopped between" in each["why"]]  # type: ignore[attr-defined]
    assert [(each["from_ms"], each["to_ms"]) for each in stopped] == ([] if goes_on else [(5_100, 15_200)])
