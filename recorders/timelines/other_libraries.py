"""Record groups of KafkaJS, Sarama and aiokafka.

`python -m recorders.timelines.other_libraries FOLDER [SCENARIO...]`
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from recorders.timelines import programs, recorder
from recorders.timelines.scenarios import (
    EVERYBODY_AGAIN,
    KILLED_BESIDE_A_JOIN,
    SCENARIOS,
    SLOW_BESIDE_A_JOIN,
    TWO_SLOW,
)

STORIES = tuple(replace(story, commits=False) for story in (*SCENARIOS, EVERYBODY_AGAIN, SLOW_BESIDE_A_JOIN))
"""As Java's consumers are recorded, but that the libraries commit by themselves."""
PUT_ASIDE = (KILLED_BESIDE_A_JOIN, TWO_SLOW)
"""Recorded after the traits were written, and played once."""


def main(arguments: list[str]) -> None:
    """Record all stories, or those that are named."""
    every = (*STORIES, *PUT_ASIDE)
    wanted = [story for story in every if not arguments[1:] or story.name in arguments[1:]]
    recorder.record(Path(arguments[0]), print, wanted, programs.STRATEGIES)


if __name__ == "__main__":
    main(sys.argv[1:])
