"""What a fake Kafka Streams client knows, and what a real one would ask now."""

from __future__ import annotations

from dataclasses import dataclass, field

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import Message
from recorders.scripts.plans.client import BEGIN_ANEW, Client
from recorders.scripts.plans.names import Listed, sorted_partitions

KINDS = ("active", "standby", "warmup")
Tasks = dict[str, Listed]
"""By kind: subtopology -> numbers of its tasks."""
NOTHING: Tasks = {kind: {} for kind in KINDS}
CONFIGURED = {
    "rack_id": "rack",
    "rebalance_timeout_ms": "R",
    "process_id": "process",
    "endpoint": "endpoint",
    "tags": "tags",
}
"""Fields that a full heartbeat carries, and where a plan has them."""


@dataclass
class StreamsClient(Client):
    """One thread of an application.

    `owned` is what it said last, `assigned` what it was given last; `said`: they agree. `endpoints`: the endpoint
    epoch that it knows, -1 for none.
    """

    assigned: Tasks = field(default_factory=lambda: dict(NOTHING))
    owned: Tasks = field(default_factory=lambda: dict(NOTHING))
    said: bool = True
    endpoints: int = -1

    def natural(self) -> Step:
        """What a real client would ask now."""
        heartbeat: Step = {"op": "streams_heartbeat"}
        if self.epoch <= 0 or self.error in BEGIN_ANEW:
            return {**heartbeat, "epoch": 0, "full": True, "tasks": "empty"}
        if self.error is not None:
            return {**heartbeat, "full": True, "tasks": "owned"}
        return heartbeat if self.said else {**heartbeat, "tasks": "assigned"}

    def heartbeat(self, step: Step) -> Message:
        """A heartbeat as a script records it; the fields that a step names stand for those of the client."""
        epoch, full = self.epoch_of(step.get("epoch", "cur")), step.get("full", False)
        said = {name: self.configured.get(key) if full else None for name, key in CONFIGURED.items()}
        tasks = self._tasks(step.get("tasks"))
        return {
            "member_id": step.get("id", self.label),
            "member_epoch": epoch,
            "endpoint_epoch": self.endpoints,
            "instance_id": self.configured.get("instance"),
            **said,
            "rebalance_timeout_ms": self.configured["R"] if full else -1,
            "topology": self.configured["topology"] if full and epoch == 0 else None,
            **{kind: None if tasks is None else tasks.get(kind, {}) for kind in KINDS},
            "offsets": None,
            "end_offsets": None,
            "shutdown": False,
            **step.get("fields", {}),
        }

    def _tasks(self, asked: Tasks | str | None) -> Tasks | None:
        """Tasks, or one of the words of a plan."""
        if asked is None or isinstance(asked, dict):
            return asked
        active = self.assigned["active"]
        less = {sub: numbers[sub == min(active) :] for sub, numbers in active.items()}
        words = {"owned": self.owned, "assigned": self.assigned, "empty": NOTHING}
        return {**words, "less": {**self.assigned, "active": sorted_partitions(less)}}[asked]

    def tells(self, request: Message) -> None:
        """It sends this heartbeat."""
        if all(request[kind] is not None for kind in KINDS):
            self.owned, self.said = {kind: dict(request[kind]) for kind in KINDS}, True

    def answered(self, op: str, asked: Message, answer: Message, raw: Message) -> None:
        """Take in the answer to a heartbeat."""
        if op != "streams_heartbeat":
            return
        error = answer["error"]
        self.error = None if error == "NONE" else error
        if error in BEGIN_ANEW:
            self._holds_nothing()
        if error != "NONE" or asked["member_id"] != self.label:
            return
        if asked["member_epoch"] == 0:
            self.owned = dict(NOTHING)
        self.endpoints = answer["endpoint_epoch"]
        if answer["active"] is not None:
            self.assigned = {kind: answer[kind] for kind in KINDS}
            self.said = self.assigned == self.owned
        if not self.has_epoch(answer["member_epoch"]):
            self._holds_nothing()

    def _holds_nothing(self) -> None:
        self.assigned, self.owned, self.said = dict(NOTHING), dict(NOTHING), True
