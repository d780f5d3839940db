"""What a fake share consumer knows, and what a real one would ask now."""

from __future__ import annotations

from dataclasses import dataclass

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import Message
from recorders.scripts.plans.client import BEGIN_ANEW, Client


@dataclass
class ShareClient(Client):
    """One member: it joins with its names and its rack, and then sends its epoch only."""

    def natural(self) -> Step:
        """What a real client would ask now."""
        if self.epoch <= 0 or self.error in BEGIN_ANEW:
            return {"op": "share_heartbeat", "epoch": 0, "full": True}
        return {"op": "share_heartbeat"}

    def heartbeat(self, step: Step) -> Message:
        """A heartbeat as a script records it; the fields that a step names stand for those of the client."""
        full = step.get("full", False)
        return {
            "member_id": step.get("id", self.label),
            "member_epoch": self.epoch_of(step.get("epoch", "cur")),
            "rack_id": self.configured.get("rack") if full else None,
            "subscribed_topic_names": self.configured["names"] if full else None,
            **step.get("fields", {}),
        }

    def answered(self, op: str, asked: Message, answer: Message, raw: Message) -> None:
        """Take in the answer to a heartbeat."""
        if op == "share_heartbeat":
            error = answer["error"]
            self.error = None if error == "NONE" else error
            if error == "NONE" and asked["member_id"] == self.label:
                self.has_epoch(answer["member_epoch"])
