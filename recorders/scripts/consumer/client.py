"""What a fake client of a script knows, and what a real one would ask now."""

from __future__ import annotations

from dataclasses import dataclass, field

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import Message
from recorders.scripts.plans.client import BEGIN_ANEW, Client
from recorders.scripts.plans.names import Listed, sorted_partitions

LOST = ("UNKNOWN_MEMBER_ID", "FENCED_INSTANCE_ID")
REJOIN = ("MEMBER_ID_REQUIRED", "REBALANCE_IN_PROGRESS", "ILLEGAL_GENERATION")
EVERYTHING_OF_T1: Listed = {"t1": [0, 1, 2, 3]}


@dataclass
class ConsumerClient(Client):
    """A consumer, native or classic.

    `owned` is what it said last, `assigned` what it was given last; `said`: they agree. `view`: the last JoinGroup
    answer, `synced`: SyncGroup was answered.
    """

    assigned: Listed = field(default_factory=dict)
    owned: Listed = field(default_factory=dict)
    said: bool = True
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

    def answered(self, op: str, asked: Message, answer: Message, raw: Message) -> None:
        """Take in an answer."""
        if op == "consumer_heartbeat":
            self.heartbeat_answered(asked, answer, raw)
        elif op in ("join", "sync", "heartbeat"):
            self.classic_answered(op, answer, raw)

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
        if answer["assignment"] is not None:
            self.said = self.said and answer["assignment"] == self.owned
            self.assigned = answer["assignment"]
        if not self.has_epoch(answer["member_epoch"]):
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
        """Another member's LeaveGroup removed it."""
        self.error, self.owned, self.view = "UNKNOWN_MEMBER_ID", {}, None

    def _holds_nothing(self) -> None:
        self.assigned, self.owned, self.said = {}, {}, True
