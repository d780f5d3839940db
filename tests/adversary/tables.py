"""Tables of analysis of drawn runs, each beside a naive reading of the same facts."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.adversary.called import Finding
from tests.adversary.compare import facts_of
from tests.adversary.naive_activities import activities_differ
from tests.adversary.naive_lag import lags_differ

MOST_FACTS = 4_000


def numbers(rng: Random, folder: Path) -> None:
    """Lag, commits and catch-up of a drawn group, or what its processes do."""
    name = rng.choice(("swarm", "consumer_swarm"))
    settings = {"faults": str(rng.randint(2, 16))}
    seed = rng.randrange(1_000_000)
    facts = facts_of(name, seed, settings)
    differ = rng.choice((lags_differ, activities_differ))
    if len(facts) < MOST_FACTS and (found := differ(facts, rng)):
        raise Finding(f"{name} seed {seed} {settings}: {found[0]}")
