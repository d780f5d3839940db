"""Play a script against the simulated coordinator, in virtual time and without latency."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import simpy
from simpy.events import URGENT

from groupsim.conformance.scripts.configs import config_of
from groupsim.conformance.scripts.groups import offsets, protocols
from groupsim.conformance.scripts.groups.administrator import Administrator
from groupsim.conformance.scripts.groups.as_sent import as_sent
from groupsim.conformance.scripts.groups.initialization import RecordedInitialization
from groupsim.conformance.scripts.groups.records import Recorder
from groupsim.conformance.scripts.groups.seen import Seen, seen
from groupsim.conformance.scripts.groups.targets import ScriptTargets
from groupsim.conformance.scripts.labels import MemberLabels
from groupsim.conformance.scripts.script import BadScript, Script, Step, check_shape
from groupsim.coordinator.machine import AnyGroup, absent
from groupsim.coordinator.outcome import Answer, Error, Reply
from groupsim.coordinator.streams.commands import InternalTopicsFailed
from groupsim.coordinator.topics import Topics
from groupsim.events.base import Event
from groupsim.events.streams import InternalTopic
from groupsim.simulation.group_host import GroupHost

GROUP = "GROUP"
"""What recordings have in place of the group's id in messages."""
SEEN_BEFORE_MS = 40
"""An administrator looks this long before the next step."""
SHOWING = (Error.NONE, Error.MEMBER_ID_REQUIRED)
"""A member learns its new id from these answers."""
PLAYED = ("response", "after", "t", "t_range", "seen", "records", "unsupported")


@dataclass(slots=True)
class Played:
    """What a step brought: its answer with the last step before it and its time; facts; the group after it.

    `refused`: partitions that the broker answered without asking the group. `unshown` are the ids that were given, but
    shown in no answer, before this one.
    """

    answer: Answer | dict[str, Any] | None = None
    after: int | None = None
    at_ms: int | float | None = None
    refused: dict[str, Error] = field(default_factory=dict)
    facts: list[tuple[AnyGroup, Sequence[Event], Topics]] = field(default_factory=list)
    unshown: frozenset[str] = frozenset()
    seen: Seen = None
    unsupported: bool = False


class Player:
    """Plays one script."""

    def __init__(self, script: Script) -> None:
        configs = config_of(script).configs
        check_shape(script)
        script = as_sent(script)
        self._script = script
        self._group = script.get("group", GROUP)
        self._env = simpy.Environment()
        self._ids = MemberLabels()
        self._administrator = Administrator(script, self._group)
        self._played = [Played() for _ in script["steps"]]
        self._new_ids: dict[int, str] = {}
        self._unshown: set[str] = set()
        self._unshown_labels: dict[str, str] = {}
        given = self._new_ids.values()
        self._targets = ScriptTargets(script["steps"], given, self._unshown, self._recorded_member)
        self._initialization = RecordedInitialization(script)
        self._sent = -1
        self._host = GroupHost(
            self._env,
            record=self._record,
            answer=self._answered,
            initial=lambda group: absent(group, configs, assign=self._targets.assign, elect=self._targets.elect),
            machines=self._initialization.machines(),
            context=lambda group: self._administrator.context(int(self._env.now)),
        )

    def run(self) -> Script:
        """The script with what the simulated coordinator gives in every step."""
        self._env.process(self._send())
        self._env.run(until=self._script["end_ms"] + 1)
        self._ids.settle()
        recorder = Recorder(lambda member: "?" if member in self._unshown else self._label(member))
        steps, last = [], object()
        for step, played in zip(self._script["steps"], self._played, strict=True):
            now = {} if played.seen == last else {"seen": played.seen}
            steps.append(self._step(step, played, recorder) | now)
            last = played.seen
        return {**self._script, "steps": steps}

    def _send(self) -> Generator[simpy.Event, None, None]:
        steps = self._script["steps"]
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            yield self._wait_until(step["at"])
            self._sent = self._targets.step = self._initialization.step = step["i"]
            self._settle()
            self._administrator.topics.others_create()
            try:
                self._take(step)
            except (KeyError, ValueError, TypeError) as error:
                raise BadScript(f"script {self._script['name']!r}, step {step['i']}: {error!r}") from error
            look_at = self._script["end_ms"] if following is None else following["at"] - SEEN_BEFORE_MS
            yield self._env.timeout(max(look_at - self._env.now, 0))
            self._settle()
            topics = self._administrator.topics.topics
            self._played[step["i"]].seen = seen(self._host.group(self._group), topics, self._label)

    def _take(self, step: Step) -> None:
        operation, build = self._administrator.operations.get(step["op"]), protocols.BUILD.get(step["op"])
        if operation is not None:
            self._note(step, operation(self._host, step, self._label))
        elif build is not None:
            refused = self._played[step["i"]].refused = offsets.before_group(step, self._administrator.topics.topics)
            if refused and len(refused) == len(step["request"]["partitions"]):
                self._note(step, {"errors": offsets.errors(refused)})
                return
            new = self._new_ids[step["i"]] = f"{step['as']}-{len(self._new_ids) + 1:04d}"
            self._unshown.add(new)
            self._unshown_labels[new] = self._unshown_label(step)
            command = build(offsets.without(step, refused), self._new_ids[step["i"]], self._ids.resolve)
            self._host.handle(self._group, command)
        else:
            self._played[step["i"]].unsupported = True

    def _note(self, step: Step, answer: dict[str, Any]) -> None:
        played = self._played[step["i"]]
        played.answer, played.after, played.at_ms = answer, step["i"], self._env.now

    def _record(self, group: str, events: Sequence[Event]) -> None:
        topics = self._administrator.topics.topics
        self._played[self._sent].facts.append((self._host.group(group), events, topics))
        for event in events:
            self._administrator.offsets.apply(event)

    def _answered(self, group: str, reply: Reply, wrote: bool) -> None:
        played = self._played[reply.request]
        played.answer, played.after, played.at_ms = reply.answer, self._sent, self._env.now
        if getattr(reply.answer, "creates", ()):
            self._env.process(self._make_topics(reply.answer.creates))  # type: ignore[attr-defined]
        given, new = getattr(reply.answer, "member", None), self._new_ids.get(reply.request)
        played.unshown = frozenset(self._unshown) - {new} if reply.request == self._sent else frozenset()
        if given is not None and given == new and reply.answer.error in SHOWING:
            self._ids.given(reply.request, self._script["steps"][reply.request]["as"], given)

    def _make_topics(self, wanted: tuple[InternalTopic, ...]) -> Generator[simpy.Event, None, None]:
        """The broker makes a streams group's internal topics in the background, or tells the group why it can't."""
        yield self._env.timeout(0)
        refused = self._administrator.topics.make(wanted)
        if refused:
            self._host.handle(self._group, InternalTopicsFailed(reasons=refused))

    def _wait_until(self, at_ms: int) -> simpy.Event:
        """What happens at the same time by a timer comes later: the broker's clock began after the request was sent."""
        event = self._env.event()
        event._ok, event._value = True, None
        self._env.schedule(event, priority=URGENT, delay=max(at_ms - self._env.now, 0))
        return event

    def _recorded_member(self, label: str) -> str:
        """The id of a label; the present step's own new id has none yet."""
        member = self._ids.resolve(label)
        return self._new_ids.get(self._sent, member) if "#" in member and member == label else member

    def _settle(self) -> None:
        self._ids.settle()
        self._unshown.difference_update(self._ids.labels)

    def _unshown_label(self, step: Step) -> str:
        """What stands for an id that no answer has shown: Kafka's classic ids begin with the instance or client id."""
        if step["op"] != "join" or getattr(self._host.group(self._group), "target_epoch", None) is not None:
            return "?"
        return f"?{step['request']['group_instance_id'] or step['as']}"

    def _label(self, member: str) -> str:
        return self._ids.labels.get(member) or self._unshown_labels.get(member, member)

    def _answer_label(self, member: str, played: Played) -> str:
        unshown = self._unshown_labels[member] if member in played.unshown else None
        return unshown or self._label(member)

    def _step(self, step: Step, played: Played, recorder: Recorder) -> Step:
        asked = {key: value for key, value in step.items() if key not in PLAYED}
        answer = played.answer
        if isinstance(answer, Answer):
            answer = protocols.response(step, answer, lambda m: self._answer_label(m, played))
        if answer and answer.get("message") and not self._group:
            answer["message"] = answer["message"].replace("", GROUP)  # as the recorder did with an empty id
        if answer and played.refused:
            answer = {"errors": {**answer["errors"], **offsets.errors(played.refused)}}
        records = [record for decided in played.facts for record in recorder.records(*decided)]
        return {
            **asked,
            "response": answer,
            "after": played.after,
            "t": played.at_ms,
            **({"records": records} if records else {}),
            **({"unsupported": True} if played.unsupported else {}),
        }


def play(script: Script) -> Script:
    """The script with the simulated answers. Raises BadScript."""
    try:
        return Player(script).run()
    except KeyError as error:
        raise BadScript(f"script {script.get('name')!r}: {error} is missing") from error
