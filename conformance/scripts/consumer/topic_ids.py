"""The ids of the topics that every broker configuration has: Kafka's assignors choose by them.

A recording says in which of its runs a script was played (`run`); `index.json` beside its files has the ids of each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from groupsim.conformance.scripts.script import BadScript, Script

INDEX = "index.json"
TopicIds = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Run -> configuration -> name of a topic -> its id."""


def beside(file: Path) -> TopicIds:
    """The ids in the index beside a file of scripts; none where there is no index. Raises BadScript."""
    index = file.parent / INDEX
    if not index.is_file():
        return {}
    try:
        found = json.loads(index.read_text())
        ids: TopicIds = found.get("topic_ids", {})
        return {run: {config: dict(named) for config, named in of_run.items()} for run, of_run in ids.items()}
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise BadScript(f"{index}: not an index of recordings ({error})") from None


def with_topic_ids(script: Script, known: TopicIds) -> Script:
    """The script with `topic_ids`, the ids it was recorded with; as it is where they are unknown."""
    found: Any = known.get(str(script.get("run")), {}).get(str(script.get("config")))
    return {**script, "topic_ids": found} if found else script
