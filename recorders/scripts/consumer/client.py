"""What a fake client of a script knows, and what a real one would ask now."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import Message
from recorders.scripts.consumer.names import Listed, Names, sorted_partitions

BEGIN_ANEW = ("FENCED_MEMBER_EPOCH", "UNKNOWN_MEMBER_ID", "GROUP_ID_NOT_FOUND")
LOST = ("UNKNOWN_MEMBER_ID", "FENCED_INSTANCE_ID")
REJOIN = ("MEMBER_ID_REQUIRED", "REBALANCE_IN_PROGRESS", "ILLEGAL_GENERATION")
EVERYTHING_OF_T1: Listed = {"t1": [0, 1, 2, 3]}


@dataclass
class Client:
    """A client: `configured` as its plan says, the rest as the answers said.

    `given` is the member id of a server. `owned` is what it said last, `assigned` what it was given last; `said`: they
    agree. `waits`: how many of its requests are parked. `view`: the last JoinGroup answer, `synced`: SyncGroup was
    answered.
    """

    label: str
    configured: dict[str, Any]
    epoch: int = 0
    previous: int = 0
    generation: int = -1
    error: str | None = None
    given: str | None = None
    assigned: Listed = field(default_factory=dict)
    owned: Listed = field(default_factory=dict)
    said: bool = True
    waits: int = 0
    view: Message | None = None
    synced: bool = False

    @property
    def native(self) -> bool:
        """It speaks the consumer protocol."""
        return bool(self.configured["kind"] == "consumer")

    def natural(self) -> Step:
        """What a real client would ask now."""
        return self._native() if self.native else self._classic()

    def _native(self) -> Step:
        if self.epoch <= 0 or self.error in BEGIN_ANEW:
            return {"op": "consumer_heartbeat", "epoch": 0, "full": True, "parts": {}}
        if self.error is not None:
            return {"op": "consumer_heartbeat", "full": True, "parts": "owned"}
        return {"op": "consumer_heartbeat"} if self.said else {"op": "consumer_heartbeat", "parts": "assigned"}

    def _classic(self) -> Step:
        if self.waits:
            return {"op": "heartbeat"}
        if self.given is None or self.error in LOST:
            return {"op": "join", "id": "", "owned": {}}
        if self.error in REJOIN:
            return {"op": "join"}
        return {"op": "sync"} if self.view is not None and not self.synced else {"op": "heartbeat"}

    def epoch_of(self, asked: int | str) -> int:
        """A number, or one of the words of a plan."""
        if isinstance(asked, int):
            return asked
        words = {"cur": self.epoch, "prev": self.previous, "next": self.epoch + 1, "gen": self.generation}
        return {**words, "oldgen": self.generation - 1, "newgen": self.generation + 1}[asked]

    def partitions_of(self, asked: Listed | str | None) -> Listed | None:
        """Partitions, or one of the words of a plan."""
        if asked is None or isinstance(asked, dict):
            return asked
        less = {topic: numbers[topic == min(self.assigned) :] for topic, numbers in self.assigned.items()}
        words = {"owned": self.owned, "assigned": self.assigned, "less": sorted_partitions(less)}
        return {**words, "empty": {}, "all": EVERYTHING_OF_T1}[asked]

    def tells(self, owned: Listed | None) -> None:
        """It sends a heartbeat with this."""
        if owned is not None:
            self.owned, self.said = dict(owned), True

    def heartbeat_answered(self, asked: Message, answer: Message, raw: Message) -> None:
        """Of the consumer protocol."""
        error = answer["error"]
        self.error = None if error == "NONE" else error
        if error in ("FENCED_MEMBER_EPOCH", "UNKNOWN_MEMBER_ID"):
            self._holds_nothing()
        mine = asked["member_id"] in (self.label, "") or asked["member_id"].startswith(f"{self.label}#")
        if error != "NONE" or not mine:
            return
        if asked["member_id"] == "":
            self.given = raw["MemberId"]
        if asked["member_epoch"] == 0:
            self.owned = {}
        if answer["member_epoch"] != self.epoch:
            self.previous, self.epoch = self.epoch, answer["member_epoch"]
        if answer["assignment"] is not None:
            self.said = self.said and answer["assignment"] == self.owned
            self.assigned = answer["assignment"]
        if self.epoch < 0:
            self.epoch = 0
            self._holds_nothing()

    def classic_answered(self, op: str, answer: Message, raw: Message) -> None:
        """JoinGroup, SyncGroup, Heartbeat."""
        error = answer["error"]
        self.error = None if error == "NONE" else error
        if op == "join" and error in ("NONE", "MEMBER_ID_REQUIRED") and raw["MemberId"]:
            self.given = raw["MemberId"]
        if op == "join" and error == "NONE":
            self.generation, self.view, self.synced = answer["generation"], raw, False
        if op == "sync" and error == "NONE":
            self.synced, self.owned = True, answer["assignment"] or {}
        if error in LOST:
            self.owned = {}

    def removed(self) -> None:
        """A LeaveGroup removed it."""
        self.error, self.owned, self.view = "UNKNOWN_MEMBER_ID", {}, None

    def name(self, names: Names) -> str:
        """The id it goes by: the last one it was given, or its own."""
        return (names.label(self.given) if self.given else None) or self.label

    def _holds_nothing(self) -> None:
        self.assigned, self.owned, self.said = {}, {}, True
