"""Settings of one group: what `kafka-configs --group` may set, and what is in force, within the broker's bounds.

The group need not exist. A new value counts from the next heartbeat, except that of running timers.
Kafka: GroupConfigManager, GroupConfig.validate, GroupMetadataManager.consumerGroupSessionTimeoutMs.
"""

from __future__ import annotations

from collections.abc import Mapping

from groupsim.coordinator.config import INT_MAX, ConsumerGroupConfig
from groupsim.coordinator.context import Context
from groupsim.coordinator.outcome import Error

SESSION_TIMEOUT = "consumer.session.timeout.ms"
HEARTBEAT_INTERVAL = "consumer.heartbeat.interval.ms"
ASSIGNMENT_INTERVAL = "consumer.assignment.interval.ms"
ASSIGNOR_OFFLOAD = "consumer.assignor.offload.enable"
"""Kafka 4.4 has the setting, but does not look at it."""
LEAST = {SESSION_TIMEOUT: 1, HEARTBEAT_INTERVAL: 1, ASSIGNMENT_INTERVAL: 0}
"""The whole numbers, in milliseconds, and their least values whatever the broker's bounds."""


def session_timeout_ms(config: ConsumerGroupConfig, context: Context) -> int:
    """How long a native member may be silent."""
    return _clamped(
        context.settings.get(SESSION_TIMEOUT, config.group_consumer_session_timeout_ms),
        config.group_consumer_min_session_timeout_ms,
        config.group_consumer_max_session_timeout_ms,
    )


def heartbeat_interval_ms(config: ConsumerGroupConfig, context: Context) -> int:
    """How often a native member has to send a heartbeat."""
    return _clamped(
        context.settings.get(HEARTBEAT_INTERVAL, config.group_consumer_heartbeat_interval_ms),
        config.group_consumer_min_heartbeat_interval_ms,
        config.group_consumer_max_heartbeat_interval_ms,
    )


def assignment_interval_ms(config: ConsumerGroupConfig, context: Context) -> int:
    """How long a target stands at least before another one is computed (Kafka 4.4)."""
    return _clamped(
        context.settings.get(ASSIGNMENT_INTERVAL, config.group_consumer_assignment_interval_ms),
        config.group_consumer_min_assignment_interval_ms,
        config.group_consumer_max_assignment_interval_ms,
    )


def _clamped(value: int, low: int, high: int) -> int:
    # comparisons, because every heartbeat asks twice and min() and max() cost three times as much
    if value < low:
        return low
    return high if value > high else value


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
        setting(config, Context(settings=after)) for setting in (session_timeout_ms, heartbeat_interval_ms)
    )
    return (
        f"{SESSION_TIMEOUT}={session} must be longer than {HEARTBEAT_INTERVAL}={interval}, the"
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
    session = session_timeout_ms(config, context)
    interval = heartbeat_interval_ms(config, context)
    current = {
        SESSION_TIMEOUT: session,
        HEARTBEAT_INTERVAL: interval,
        ASSIGNMENT_INTERVAL: assignment_interval_ms(config, context),
    }
    unclamped = all(wanted.get(name, value) == value for name, value in current.items())
    return unclamped and session > interval
