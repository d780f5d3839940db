"""Track: one property over time, with what is not known of it."""

from __future__ import annotations

from enum import Enum
from typing import Final, Generic, NamedTuple, TypeVar

from groupsim.incidents.account.rules import Why
from groupsim.incidents.account.spans import INF, Span, Spans, union, without
from groupsim.incidents.account.when import When, ordered

V = TypeVar("V")


class Open(Enum):
    """No value: nobody knows it."""

    OPEN = "open"


OPEN: Final = Open.OPEN


class Step(NamedTuple, Generic[V]):
    """From `when` on the property has `value`."""

    when: When
    value: V | Open
    why: Why | None


class Cover(NamedTuple, Generic[V]):
    """In `span` the property has `value`, whatever the steps say."""

    span: Span
    value: V | Open
    why: Why


class Track(Generic[V]):
    """Steps in the order in which they happened, and covers of spans that others prove, or leave open.

    A property keeps its value until an event changes it; a step to the value that it has already changes nothing. Where
    a step may have happened or not yet, both values are possible and none is sure. What a cover proves goes before what
    another leaves open, and that before the steps.
    """

    __slots__ = ("_covers", "_ordered", "_spans", "_steps")

    def __init__(self, first: V | Open) -> None:
        self._steps: list[Step[V]] = [Step(When(-INF, -INF), first, None)]
        self._covers: list[Cover[V]] = []
        self._spans: dict[tuple[V, bool], Spans] = {}
        self._ordered: list[Step[V]] | None = []

    @property
    def last(self) -> V | Open:
        """The value after all steps."""
        return self._steps[-1].value

    @property
    def steps(self) -> list[Step[V]]:
        """The steps that a line or a rule proves, in order; each is between those beside it."""
        if self._ordered is None:
            steps = self._steps[1:]
            whens = ordered(step.when for step in steps)
            self._ordered = [
                step if step.when is when else step._replace(when=when) for step, when in zip(steps, whens, strict=True)
            ]
        return self._ordered

    @property
    def covers(self) -> list[Cover[V]]:
        """What others prove of spans, or leave open."""
        return self._covers

    def set(self, when: When, value: V | Open, why: Why | None = None) -> None:
        """From `when` on it has this value; after all steps before.

        If it has it already, it has had it since `when.hi` at the latest.
        """
        self._changed()
        last = self._steps[-1]
        if value != last.value:
            self._steps.append(Step(when, value, why))
        elif when.hi < last.when.hi:
            self._steps[-1] = last._replace(when=When(min(last.when.lo, when.hi), when.hi))

    def put_off(self, until: int, why: Why) -> None:
        """Its last step may have been as late as this."""
        self._changed()
        last = self._steps[-1]
        self._steps[-1] = last._replace(when=When(last.when.lo, max(last.when.hi, until)), why=why)

    def cover(self, span: Span, value: V | Open, why: Why) -> None:
        """In this span it has this value, or any, if `value` is OPEN."""
        if span[0] < span[1]:
            self._spans.clear()
            self._covers.append(Cover(span, value, why))

    def _changed(self) -> None:
        """What was worked out holds no longer."""
        self._spans.clear()
        self._ordered = None

    def surely(self, value: V) -> Spans:
        """When it certainly has the value. Of covers that contradict each other none is sure."""
        return self._asked(value, sure=True)

    def possibly(self, value: V) -> Spans:
        """When it may have the value."""
        return self._asked(value, sure=False)

    def _asked(self, value: V, *, sure: bool) -> Spans:
        """Worked out once between two changes: each partition asks its process's tracks."""
        known = self._spans.get((value, sure))
        if known is None:
            known = self._spans[value, sure] = self._surely(value) if sure else self._possibly(value)
        return known

    def _surely(self, value: V) -> Spans:
        steps = [self._steps[0], *self.steps]
        ends = [*(step.when.lo for step in steps[1:]), INF]
        found = union((s.when.hi, end) for s, end in zip(steps, ends, strict=True) if s.value == value)
        if not self._covers:
            return found
        yes, no, unknown = self._covered(value)
        return without(union(without(found, unknown), yes), no)

    def _possibly(self, value: V) -> Spans:
        steps = [self._steps[0], *self.steps]
        ends = [*(step.when.hi for step in steps[1:]), INF]
        found = union((s.when.lo, end) for s, end in zip(steps, ends, strict=True) if s.value in (value, OPEN))
        if not self._covers:
            return found
        yes, no, unknown = self._covered(value)
        return union(without(union(found, unknown), no), yes)

    def _covered(self, value: V) -> tuple[Spans, Spans, Spans]:
        """Where covers give it this value, another one, and any."""
        yes = union(each.span for each in self._covers if each.value == value)
        no = union(each.span for each in self._covers if each.value not in (value, OPEN))
        return yes, no, union(each.span for each in self._covers if each.value is OPEN)
