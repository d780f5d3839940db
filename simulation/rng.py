"""Named streams of random numbers from one seed: a new draw in one place never shifts another."""

from __future__ import annotations

from random import Random


class Rng:
    """`stream("network")` is the same Random at every call; streams do not know of each other."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._streams: dict[str, Random] = {}

    def stream(self, name: str) -> Random:
        """The stream of this name, seeded by the run's seed and the name."""
        if name not in self._streams:
            self._streams[name] = self.again(name)
        return self._streams[name]

    def again(self, name: str) -> Random:
        """A Random of its own with the draws of this stream from its beginning: whoever asks has the same."""
        return Random(f"{self._seed}/{name}")

    def uuid(self, name: str) -> str:
        """A UUID (version 4) drawn from the stream."""
        text = f"{self.stream(name).getrandbits(128):032x}"
        variant = "89ab"[int(text[16], 16) % 4]
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"
