"""What a fake client of a script knows. Each group protocol has its own; here is what they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import Message
from recorders.scripts.plans.names import Names

BEGIN_ANEW = ("FENCED_MEMBER_EPOCH", "UNKNOWN_MEMBER_ID", "GROUP_ID_NOT_FOUND")
"""With these answers to a heartbeat a member is out of its group."""


@dataclass
class Client(ABC):
    """A client: `configured` as its plan says, the rest as the answers said.

    `given` is the member id of a server. `waits`: how many of its requests are parked.
    """

    label: str
    configured: dict[str, Any]
    epoch: int = 0
    previous: int = 0
    generation: int = -1
    error: str | None = None
    given: str | None = None
    waits: int = 0

    @abstractmethod
    def natural(self) -> Step:
        """What a real client would ask now: a step of a plan, without its place and time."""

    @abstractmethod
    def answered(self, op: str, asked: Message, answer: Message, raw: Message) -> None:
        """Take in an answer. `asked` and `answer` as a script records them, `raw` as Kafka sent it."""

    def epoch_of(self, asked: int | str) -> int:
        """A number, or one of the words of a plan."""
        if isinstance(asked, int):
            return asked
        words = {"cur": self.epoch, "prev": self.previous, "next": self.epoch + 1, "gen": self.generation}
        return {**words, "oldgen": self.generation - 1, "newgen": self.generation + 1}[asked]

    def has_epoch(self, epoch: int) -> bool:
        """An answer says so; False for an epoch below 0, with which a member leaves."""
        if epoch != self.epoch:
            self.previous, self.epoch = self.epoch, epoch
        if self.epoch < 0:
            self.epoch = 0
            return False
        return True

    def removed(self) -> None:  # noqa: B027  # only classic members can be removed so; others have nothing to do
        """Another member's LeaveGroup removed it."""

    def name(self, names: Names) -> str:
        """The id it goes by: the last one it was given, or its own."""
        return (names.label(self.given) if self.given else None) or self.label
