"""Recordings: logs of real groups, and what the members' own code and the broker's lines said meanwhile.

Those of the repository are always here; others may lie beside the checkout.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groupsim.conformance.predictions.families import read_record
from groupsim.incidents.logs.times import instant

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
CLIENTS, BROKER, BOTH = "clients", "broker", "both"


def in_folder(place: Path) -> list[Path]:
    """The recordings below a folder, by name."""
    return sorted({file.parent for file in place.rglob("recording.json*")})


EXAMPLES = in_folder(ROOT / "examples" / "incidents")
CONSUMER_GROUPS = in_folder(ROOT / "examples" / "consumer-groups")
FAMILIES = in_folder(ROOT / "tests" / "golden" / "families")
CLASSIC_FAMILIES = [folder for folder in FAMILIES if "__kip848-" not in folder.name]
BESIDE = in_folder(SHARED / "recordings")


def logs_of(folder: Path, given: str = BOTH) -> list[Path]:
    """The logs of a recording: of its clients, its broker, or both."""
    every = sorted(folder.glob("*.log.gz")) or sorted((folder / "logs").glob("*.log.gz"))
    return [log for log in every if given == BOTH or (log.name.startswith("broker") == (given == BROKER))]


def began(truth: dict[str, Any]) -> int:
    """When a recording began: the milliseconds since 1970 that its times count from."""
    return instant(truth["run_start_utc"].replace(",", ".").replace(" ", "T") + "+00:00")


_KINDS = {
    "assignment_received": "assignment_received",
    "join_completed": "stabilized",
    "member_added": "pending_member_joins",
    "member_id_issued": "member_id_created",
    "rebalance_started": "rebalance_start",
    "session_expired": "member_failed",
    "static_added": "member_id_created",
    "static_no_rebalance": "static_rejoin_without_rebalance",
    "static_replaced": "static_member_replaced",
}
"""What a recording calls what we read from a broker's line. It leaves out most lines of members that leave."""


def reading_of(log: Path) -> dict[str, Any]:
    """What a recording says of its broker's log, in the form of a reading of the development set.

    No line is known, only the time (UTC milliseconds since 1970). `kinds` are those that a recording has.
    """
    truth = read_record(next(folder for folder in log.parents if any(folder.glob("recording.json*"))))
    group, begins = truth["config"]["group_id"], began(truth)
    rows = [row for row in truth["broker"] if row["kind"] in _KINDS]
    return {
        "kinds": frozenset(_KINDS.values()),
        "expected": {
            "events": [(None, begins + row["t_ms"], _KINDS[row["kind"]]) for row in rows],
            "members": sorted({row["member_id"] for row in rows if "member_id" in row}),
            "generations": {group: [row["generation"] for row in rows if row["kind"] == "join_completed"]},
            "rebalance_count": {group: sum(row["kind"] == "rebalance_started" for row in rows)},
        },
    }
