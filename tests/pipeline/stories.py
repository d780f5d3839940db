"""A short story in a file of the user's, of which one seed fails, for sweeps."""

from __future__ import annotations

from pathlib import Path

QUICK = '''
"""Two members share four partitions; one is killed."""
from groupsim.scenarios.dsl import scenario, seconds

@scenario(seed=5, lasts=seconds(90))
def quick(world, assignor="range", fails_at=-1, waits=10):
    orders = world.topic("orders", partitions=4)
    group = world.group("billing", assignor=assignor)
    alice, bob = group.join("alice", "bob", topics=[orders])
    yield group.stable(members=2)
    yield world.sleep(seconds(world.rng.stream("story").randint(1, waits)))
    world.check(world.rng._seed != fails_at, "this seed is well")
    bob.kill()
    yield group.stable(members=1, within=seconds(60))
'''


def quick(folder: Path) -> str:
    """The story's file in this folder."""
    file = folder / "quick.py"
    file.write_text(QUICK)
    return str(file)
