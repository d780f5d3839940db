"""Tolerances have one table, and what is assumed of Kafka's settings has one home."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from groupsim.incidents import default_settings, tolerances
from groupsim.simulation.clients.config import ConsumerConfig

INCIDENTS = Path(__file__).parent.parent.parent / "incidents"
HOMES = {"default_settings.py", "tolerances.py"}
AN_INSTANT = "LATEST_MS"
READERS = ("logs", "exports")
"""They have units of time, and blocks of bytes, of their own."""


def _constants(path: Path) -> Iterator[str]:
    """The names of a module's own constants in milliseconds: numbers that are written down there."""
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            for name, value in pairs:
                number = not any(isinstance(part, ast.Name | ast.Tuple) for part in ast.walk(value))
                if isinstance(name, ast.Name) and name.id.endswith("_MS") and number:
                    yield name.id


def test_there_are_eight_tolerances_at_most() -> None:
    named = set(_constants(INCIDENTS / "tolerances.py")) - {"NEVER_MS"}
    assert len(named) <= 8
    assert all(getattr(tolerances, name) > 0 for name in named)


def test_no_other_module_has_a_tolerance_of_its_own() -> None:
    own = {
        f"{path.relative_to(INCIDENTS)}: {name}"
        for path in INCIDENTS.rglob("*.py")
        if path.name not in HOMES and path.relative_to(INCIDENTS).parts[0] not in READERS
        for name in _constants(path)
        if name != AN_INSTANT
    }
    assert own == set()


def test_what_is_assumed_of_a_clients_settings_are_the_defaults_of_a_simulated_consumer() -> None:
    consumer = ConsumerConfig()
    assert consumer.heartbeat_interval_ms == default_settings.HEARTBEAT_MS
    assert consumer.session_timeout_ms == default_settings.SESSION_MS
    assert consumer.metadata_max_age_ms == default_settings.METADATA_AGE_MS
