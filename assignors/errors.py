"""What an assignor may raise: a wrong problem, or the exception that Kafka's own assignor ends with.

BadSpec is ours; AssignorError carries the class and message of the exception the Java assignor throws.
"""

from __future__ import annotations

from groupsim.events.errors import GroupsimError


class BadSpec(GroupsimError, ValueError):
    """The problem itself is wrong (duplicate member, negative count...); the sentence names the member or topic."""


class Refused(BadSpec):
    """A correct problem that this assignor does not accept; the sentence names those it accepts."""


class AssignorError(GroupsimError):
    """Kafka's assignor throws here. `java_class` and `message` are Java's; `str()` joins them."""

    def __init__(self, java_class: str, message: str) -> None:
        super().__init__(f"{java_class}: {message}")
        self.java_class = java_class
        self.message = message
