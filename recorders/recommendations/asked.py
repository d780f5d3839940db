"""The incidents whose advice is played on a real Kafka: two recorded runs, and the settings that are varied."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recorders.families.catalogue import FAMILIES
from recorders.families.family import Family

ROOT = Path(__file__).resolve().parents[2]
FAMILIES_FOLDER = ROOT / "tests" / "golden" / "families"
FOLDER = ROOT / "tests" / "golden" / "recommendations"
TOP = 5
"""So many recommendations are played: the best of the advice's table."""
REPETITIONS = 3


@dataclass(frozen=True, slots=True)
class AskedIncident:
    """A recorded run of a family, and what is varied, as `--vary` takes it."""

    run: str
    number: int
    vary: tuple[str, ...]

    @property
    def family(self) -> Family:
        """The story that it is a run of."""
        return next(family for family in FAMILIES if family.number == self.number)

    @property
    def folder(self) -> Path:
        """Where its logs are."""
        return FAMILIES_FOLDER / self.family.half / self.run

    @property
    def as_recorded(self) -> str:
        """Its own choice."""
        return self.run.split("__")[1]


INCIDENTS = (
    AskedIncident(
        "S07-rolling-restart__range__d1-f18__r1",
        18,
        ("assignor=range,cooperative-sticky", "static=true,false", "heartbeat.interval.ms=250,500,1000"),
    ),
    AskedIncident(
        "W02-kill9-return__range__d1-f12__r1",
        12,
        ("assignor=range,cooperative-sticky", "static=true,false", "session.timeout.ms=6000,8000"),
    ),
)
"""A rolling restart and a kill -9, both of `range` with dynamic members; chosen before anything was played."""
