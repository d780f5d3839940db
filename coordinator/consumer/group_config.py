"""What `kafka-configs --group` may set: names, values and bounds (Kafka: GroupConfig.validate).

The group need not exist. A new value counts from the next heartbeat, except that of running timers.
"""

from __future__ import annotations

from collections.abc import Mapping

from groupsim.coordinator.config import INT_MAX, ConsumerGroupConfig
from groupsim.coordinator.consumer import settings
from groupsim.coordinator.context import Context
from groupsim.coordinator.outcome import Error

ASSIGNOR_OFFLOAD = "consumer.assignor.offload.enable"
"""Kafka 4.4 has the setting, but does not look at it."""
LEAST = {settings.SESSION_TIMEOUT: 1, settings.HEARTBEAT_INTERVAL: 1, settings.ASSIGNMENT_INTERVAL: 0}
"""The whole numbers, in milliseconds, and their least values whatever the broker's bounds."""


def altered(
    now: Mapping[str, int], changes: Mapping[str, str | None], config: ConsumerGroupConfig
) -> tuple[Error, dict[str, int]]:
    """The group's settings after IncrementalAlterConfigs; None removes one. All changes are checked together.

    INVALID_CONFIG, and the settings as they were: an unknown name, no number, a value outside the broker's bounds, a
    session timeout that is not longer than the heartbeat interval.
    """
    after = dict(now)
    for name, value in changes.items():
        number = None if value is None else _parsed(name, value)
        if name not in (*LEAST, ASSIGNOR_OFFLOAD) or (value is not None and number is None):
            return Error.INVALID_CONFIG, dict(now)
        after.pop(name, None)
        if number is not None:
            after[name] = number
    return (Error.NONE, after) if _valid(after, config) else (Error.INVALID_CONFIG, dict(now))


def why_refused(now: Mapping[str, int], changes: Mapping[str, str], config: ConsumerGroupConfig) -> str:
    """Why `altered` refuses changes, as the end of a sentence: the first that is wrong, with the names or bounds."""
    for name, value in changes.items():
        if name not in (*LEAST, ASSIGNOR_OFFLOAD):
            return f"{name} is unknown; a group has {', '.join(sorted(LEAST))}"
        if _parsed(name, value) is None:
            wanted = "true or false" if name == ASSIGNOR_OFFLOAD else f"a whole number, {LEAST[name]} or more"
            return f"{name}={value} must be {wanted}"
    after = {**now, **{name: _parsed(name, value) or 0 for name, value in changes.items()}}
    for name in LEAST:
        stem = name.removeprefix("consumer.")
        low, high = (f"group.consumer.{end}.{stem}" for end in ("min", "max"))
        least, most = (getattr(config, bound.replace(".", "_")) for bound in (low, high))
        if name in after and not least <= after[name] <= most:
            return f"{name}={after[name]} is not between {low}={least} and {high}={most}, which the broker has"
    session, interval = (
        each(config, Context(settings=after)) for each in (settings.session_timeout_ms, settings.heartbeat_interval_ms)
    )
    return (
        f"{settings.SESSION_TIMEOUT}={session} must be longer than {settings.HEARTBEAT_INTERVAL}={interval}, the"
        " group's own or the broker's"
    )


def _parsed(name: str, value: str) -> int | None:
    """The value as a number, 0 or 1 for false or true; None if it is none (Kafka: ConfigDef.parseType)."""
    text = value.strip()
    if name == ASSIGNOR_OFFLOAD:
        return {"false": 0, "true": 1}.get(text.lower())
    digits = text.removeprefix("-").removeprefix("+")
    if name not in LEAST or not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(INT_MAX))):
        return None
    number = int(text)
    return number if LEAST[name] <= number <= INT_MAX else None


def _valid(wanted: Mapping[str, int], config: ConsumerGroupConfig) -> bool:
    """Whether what is set lies within the broker's bounds, and the session outlasts the heartbeat interval."""
    context = Context(settings=wanted)
    session = settings.session_timeout_ms(config, context)
    interval = settings.heartbeat_interval_ms(config, context)
    current = {
        settings.SESSION_TIMEOUT: session,
        settings.HEARTBEAT_INTERVAL: interval,
        settings.ASSIGNMENT_INTERVAL: settings.assignment_interval_ms(config, context),
    }
    unclamped = all(wanted.get(name, value) == value for name, value in current.items())
    return unclamped and session > interval
