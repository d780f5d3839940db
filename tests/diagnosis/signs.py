"""`python -m tests.diagnosis.signs FOLDER…`: what is said of simulated remedies, beside recordings of the same story.

FOLDER has recordings `<story>__<choice>__<settings>__r<n>` of the same stories under several choices. The logs of one
recording are explained; where a remedy that is simulated was recorded, too, the sign of what is said of it is compared.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.trying import with_trials
from groupsim.incidents.logs.reading import read_files

_SAME = 0.02
"""Said costs that differ by less are said to be the same."""


class Compared(NamedTuple):
    """A remedy: partition-ms without and with it, of the simulations of which something is said, and recorded."""

    story: str
    choice: str
    other: str
    said: tuple[int, int]
    recorded: tuple[list[int], list[int]]

    @property
    def clear(self) -> bool:
        """Whether the recordings of both choices do not overlap."""
        without, with_it = self.recorded
        return max(without) < min(with_it) or max(with_it) < min(without)

    @property
    def right(self) -> bool:
        """Whether the sign is right; without a clear difference, no difference is right, too."""
        without, with_it = self.said
        if abs(with_it - without) < _SAME * without:
            return not self.clear
        return (with_it > without) == (median(self.recorded[1]) > median(self.recorded[0]))


def compared(folder: Path) -> Iterator[Compared]:
    """Each simulated remedy of a folder that was recorded, too."""
    families: dict[tuple[str, str], dict[str, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for recording in sorted(path for path in folder.iterdir() if path.is_dir()):
        story, choice, settings, _ = recording.name.split("__")
        families[story, settings][choice].append(recording)
    for (story, settings), choices in families.items():
        for choice, recordings in list(choices.items()):
            for other, said in _said(choice, recordings[0]):
                if other in choices:
                    costs = [_cost(r) for r in recordings], [_cost(r) for r in choices[other]]
                    yield Compared(f"{story} {settings}", choice, other, said, costs)


def _said(choice: str, recording: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    reading = read_files(sorted((recording / "logs").iterdir()))
    explanation = explain_reading(reading)
    assert explanation is not None
    for remedy in with_trials(explanation, reading).groups[0].findings[0].do:
        trial = dict(remedy.trial)
        assignor, dash, heartbeat = choice.partition("-hb")
        other = f"{assignor}-static" if trial.get("membership") == "static" else trial.get("assignor")
        if remedy.cost_ms is not None and other is not None and other != assignor:
            yield other + dash + heartbeat, remedy.cost_ms


def _cost(recording: Path) -> int:
    plain = recording / "recording.json"
    text = plain.read_bytes() if plain.exists() else gzip.decompress((recording / "recording.json.gz").read_bytes())
    cost: int = json.loads(text)["summary"]["unavailable_partition_ms"]
    return cost


def main() -> int:
    """Exit status 1 where a sign is wrong."""
    found = [each for folder in sys.argv[1:] for each in compared(Path(folder))]
    for each in found:
        kind = "clear" if each.clear else "overlapping"
        print(*each, kind, "right" if each.right else "WRONG", sep=" | ")
    clear = [each for each in found if each.clear]
    print(f"{sum(each.right for each in found)} of {len(found)} right; of {len(clear)} clear ones", end=" ")
    print(sum(each.right for each in clear))
    return 0 if all(each.right for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
