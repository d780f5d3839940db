"""Record groups of KafkaJS, Sarama and aiokafka.

`python -m recorders.timelines.other_libraries FOLDER [SCENARIO...]`
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from recorders.timelines import programs, recorder
from recorders.timelines.scenarios import EVERYBODY_AGAIN, SCENARIOS, SLOW_BESIDE_A_JOIN

STORIES = tuple(replace(story, commits=False) for story in (*SCENARIOS, EVERYBODY_AGAIN, SLOW_BESIDE_A_JOIN))
"""As Java's consumers are recorded, but that the libraries commit by themselves."""


def main(arguments: list[str]) -> None:
    """Record all stories, or those that are named."""
    names = arguments[1:] or [story.name for story in STORIES]
    wanted = [story for story in STORIES if story.name in names]
    recorder.record(Path(arguments[0]), print, wanted, programs.STRATEGIES)


if __name__ == "__main__":
    main(sys.argv[1:])
