"""The root of every exception this project raises on purpose.

GroupSimError
├── coordinator: none (Kafka's error codes are values, `coordinator.outcome.Error`)
├── storage.errors.StoreError: StreamConflict, UnknownFact, NewerStore, UnknownRun
├── incidents.errors.LogError: a log that can't be read
├── scenarios and simulation: BadScenario, BadSetting, CheckFailed
└── cli: none of its own; prints one sentence and exits with 2
"""

from __future__ import annotations


class GroupSimError(Exception):
    """One sentence that names the offending thing and the place; shown to people as it stands."""
