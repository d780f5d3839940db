"""What share of scripts and of steps is equal, and what differs first, by kind.

python -m recorders.scripts.consumer.share FILE... [--name PART] [--all]
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from groupsim.conformance.scripts.groups.compare import Difference, differences
from groupsim.conformance.scripts.groups.topics import beside, with_topic_ids
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import Script, read


def first_differences(script: Script) -> tuple[list[Difference], int]:
    """The differences of the first step that differs, and how many steps differ."""
    every = list(differences(script, play(script)))
    steps = {difference.step["i"] for difference in every}
    return [difference for difference in every if difference.step["i"] == min(steps)], len(steps)


def report(path: Path, name: str, every: bool) -> None:
    """Print the shares of one file, then each kind of first difference with its number and its first example."""
    ids = beside(path)
    scripts = [with_topic_ids(script, ids) for script in read(path) if name in script["name"]]
    kinds: Counter[str] = Counter()
    examples: dict[str, str] = {}
    equal = steps = wrong_steps = 0
    for script in scripts:
        first, wrong = first_differences(script)
        steps += len(script["steps"])
        wrong_steps += wrong
        equal += not first
        if not first:
            continue
        kind = " + ".join(sorted({difference.kind for difference in first}))
        kinds[kind] += 1
        examples.setdefault(kind, f"{script['name']}: {first[0]}")
        if every:
            print(f"  {script['name']}: {first[0]}")
    print(f"{path.name}: {equal} of {len(scripts)} scripts equal, {steps - wrong_steps} of {steps} steps")
    for kind, count in kinds.most_common():
        print(f"  {count:5} {kind}\n        {examples[kind][:600]}")


def main() -> None:
    """Read the arguments and report on each file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--name", default="", help="only scripts whose name has this part")
    parser.add_argument("--all", action="store_true", help="the first difference of every script")
    arguments = parser.parse_args()
    for path in arguments.files:
        report(path, arguments.name, arguments.all)


if __name__ == "__main__":
    main()
