"""Which topics an expression names, and what the broker answers to an expression that it does not accept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from groupsim.coordinator.expressions.program import Matcher
from groupsim.coordinator.expressions.syntax import InvalidSyntax, parse

TOPIC_NAME = re.compile(r"[A-Za-z0-9._-]{1,249}")
"""Kafka: common.internals.Topic.validate."""


class InvalidExpression(ValueError):
    """The broker answers INVALID_REGULAR_EXPRESSION; `str()` is its error message.

    Kafka: group.Utils.throwIfRegularExpressionIsInvalid. `description` is that of RE2/J's PatternSyntaxException.
    """

    def __init__(self, expression: str, description: str) -> None:
        super().__init__(f"SubscribedTopicRegex `{expression}` is not a valid regular expression: {description}.")
        self.expression = expression
        self.description = description


def check(expression: str) -> None:
    """Raise InvalidExpression where the broker refuses the expression, TooLarge beyond what is matched here."""
    _matcher(expression)


def resolve(expression: str, topics: Iterable[str]) -> tuple[str, ...]:
    """Those of the topics whose whole name matches, sorted. Raises as `check` does.

    Kafka: TopicRegexResolver.resolveRegularExpressions, without what the client may not describe. Names that Kafka
    does not allow for topics match nothing.
    """
    matcher = _matcher(expression)
    return tuple(sorted(topic for topic in topics if TOPIC_NAME.fullmatch(topic) and matcher.matches(topic)))


@lru_cache(maxsize=256)
def _matcher(expression: str) -> Matcher:
    try:
        return Matcher(parse(expression))
    except InvalidSyntax as error:
        raise InvalidExpression(expression, str(error)) from None
