"""The group protocols of scripts: a step as a command of the simulated coordinator, and its answer back."""

from __future__ import annotations

from typing import Any

from groupsim.conformance.scripts.groups import classic_requests, consumer, offsets, share, streams
from groupsim.conformance.scripts.groups.form import Build, Form, Tell, Translate
from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.outcome import Answer
from groupsim.coordinator.share.state import ShareGroup
from groupsim.coordinator.streams.state import StreamsGroup

FORMS: dict[type, Form] = {ConsumerGroup: consumer.FORM, ShareGroup: share.FORM, StreamsGroup: streams.FORM}
"""The protocol of each type of group but the classic one."""
BUILD: dict[str, Build] = {
    **offsets.BUILD,
    **classic_requests.BUILD,
    **{operation: build for form in FORMS.values() for operation, build in form.build.items()},
}
"""Operation -> the command it is; an operation that is not here is no request to a group, or is not simulated yet."""
TELL: dict[type[Answer], Tell] = {kind: tell for form in FORMS.values() for kind, tell in form.tell.items()}


def response(step: Step, answer: Answer, label: Translate) -> dict[str, Any]:
    """The simulated answer in the form of a recording. Raises TypeError for an answer that no operation has."""
    tell = TELL.get(type(answer))
    if tell is not None:
        return tell(answer, label)
    return offsets.response(step, answer) or classic_requests.response(step, answer, label)
