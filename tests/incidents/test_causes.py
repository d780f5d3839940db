"""The coordinator's reasons for a rebalance, as Kafka prints them, become one word each."""

from __future__ import annotations

import pytest

from groupsim.incidents.facts.causes import rebalance_cause

ID = "m2-0b1c2d3e-0000-4000-8000-00000000000a"
SENTENCES = (
    ("downgraded", "Downgrade group billing from consumer to classic for member leaving."),
    ("downgraded", "Downgrade group billing from consumer to classic with stale assignment."),
    # a group may be called what another sentence says
    ("downgraded", "Downgrade group LeaveGroup from consumer to classic for member leaving."),
    ("member-joined", f"Adding new member {ID} with group instance id null; client reason: not provided"),
    ("session-expired", f"removing member {ID} on heartbeat expiration."),
    ("member-left", f"explicit `LeaveGroup` request for ({ID}) members."),
    ("sync-timeout", f"Removing {ID} on pending sync request expiration"),
    ("leader-rejoined", f"Leader {ID} re-joining group during Stable; client reason: not provided"),
    ("member-rejoined", f"Updating metadata for member {ID} during Stable; client reason: not provided"),
    (
        "static-replaced",
        f"Group's selectedProtocol will change because static member {ID} with instance id pod-1 joined with change "
        "of protocol; client reason: not provided",
    ),
    ("unknown", "a sentence of another Kafka"),
)


@pytest.mark.parametrize(("cause", "sentence"), SENTENCES)
def test_a_reason_becomes_its_word(cause: str, sentence: str) -> None:
    assert rebalance_cause(sentence) == cause
