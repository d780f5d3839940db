"""The root of every exception this project raises on purpose, and the tree of them all (a test compares it).

GroupsimError
├── AdviceError
├── AnalysisError
├── AssignorError
├── BadFile
├── BadLine
├── BadRecording
├── BadRequest
├── BadScenario
│   └── ScenarioRaised
├── BadScript
├── BadSetting
├── BadSpec
│   └── Refused
├── Contradiction
├── DuplicateTag
├── Interrupted
├── LogError
├── MissingExtra
├── NotAdmitted
├── PipelineError
├── RequestRefused
├── ScenarioFailed
├── StoreError
│   ├── Diverged
│   ├── NewerStore
│   ├── NoStore
│   ├── StoreUnusable
│   ├── StreamConflict
│   ├── UnknownFact
│   ├── UnknownRun
│   └── UnreadableRuns
└── TooLarge

Kafka's error codes are values (`coordinator.outcome.Error`), never exceptions.
"""

from __future__ import annotations


class GroupsimError(Exception):
    """One sentence that names the offending thing and the place; shown to people as it stands."""


class MissingExtra(GroupsimError):
    """A package that is installed only on request is missing (`events.extras`)."""
