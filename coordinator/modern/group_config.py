"""Settings of one group: what `kafka-configs --group` may set, and what is in force, within the broker's bounds.

The group need not exist, nor be of the type that the setting is for. A new value counts from the next heartbeat, except
that of running timers. Kafka: GroupConfigManager, GroupConfig.validate,
GroupMetadataManager.consumerGroupSessionTimeoutMs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from groupsim.coordinator.broker_versions import BrokerVersion
from groupsim.coordinator.config import INT_MAX, Configs
from groupsim.coordinator.context import Context
from groupsim.coordinator.outcome import Error

SESSION_TIMEOUT = "session.timeout.ms"
HEARTBEAT_INTERVAL = "heartbeat.interval.ms"
ASSIGNMENT_INTERVAL = "assignment.interval.ms"
"""What groups of every type have: names without the type."""
DURATION = r"P(?=.)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?"
"""A duration as ISO 8601 has it, such as `PT1H`."""
Settings = Mapping[str, Any]
"""Settings of one group by Kafka's names: numbers, 0 or 1 for false or true, texts."""


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number of a group of type `of`. The broker's own value, `group.OF.STEM`, holds where none is set.

    `least` holds whatever the broker's bounds, which are its settings `low` and `high` (stems, too; empty: none).
    """

    of: str
    stem: str
    least: int = 0
    low: str = ""
    high: str = ""

    @property
    def name(self) -> str:
        """Kafka's name."""
        return f"{self.of}.{self.stem}"

    def wanted(self) -> str:
        """What a value must be, as the end of a sentence."""
        return f"a whole number, {self.least} or more"

    def parsed(self, text: str) -> int | None:
        """The value; None if it is none (Kafka: ConfigDef.parseType)."""
        digits = text.removeprefix("-").removeprefix("+")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(INT_MAX))):
            return None
        number = int(text)
        return number if self.least <= number <= INT_MAX else None


@dataclass(frozen=True, slots=True)
class Switch:
    """True or false, which Kafka 4.4 does not look at."""

    name: str

    def wanted(self) -> str:
        """What a value must be, as the end of a sentence."""
        return "true or false"

    def parsed(self, text: str) -> int | None:
        """0 or 1; None if it is neither."""
        return {"false": 0, "true": 1}.get(text.lower())


@dataclass(frozen=True, slots=True)
class Names:
    """Names with commas between them, of `known` ones if there are any; none twice."""

    name: str
    known: tuple[str, ...] = ()

    def wanted(self) -> str:
        """What a value must be, as the end of a sentence."""
        return f"one of {', '.join(self.known)}" if self.known else "names, none of them twice"

    def parsed(self, text: str) -> str | None:
        """The names with nothing but commas between them; None if it is no such list."""
        names = [name.strip() for name in text.split(",")]
        known = all(name in self.known for name in names) if self.known else True
        return ",".join(names) if known and len(set(names)) == len(names) else None


@dataclass(frozen=True, slots=True)
class Text:
    """A text of a certain form, which no simulated group looks at."""

    name: str
    form: str

    def wanted(self) -> str:
        """What a value must be, as the end of a sentence."""
        return f"of the form {self.form}"

    def parsed(self, text: str) -> str | None:
        """The value as it is; None if it has another form."""
        return text if re.fullmatch(self.form, text) else None


Setting = Number | Switch | Names | Text


def _bounded(of: str, stem: str, least: int = 1) -> Number:
    """With the broker's bounds `min.` and `max.` of the same stem."""
    return Number(of, stem, least, f"min.{stem}", f"max.{stem}")


def _timed(of: str) -> tuple[Setting, ...]:
    """What groups of each type have."""
    return (
        _bounded(of, SESSION_TIMEOUT),
        _bounded(of, HEARTBEAT_INTERVAL),
        _bounded(of, ASSIGNMENT_INTERVAL, 0),
        Switch(f"{of}.assignor.offload.enable"),
    )


OF_SHARE: tuple[Setting, ...] = (
    _bounded("share", "record.lock.duration.ms"),
    _bounded("share", "delivery.count.limit"),
    _bounded("share", "partition.max.record.locks"),
    Text("share.auto.offset.reset", f"latest|earliest|by_duration:{DURATION}"),
    Text("share.isolation.level", "read_committed|read_uncommitted"),
    Switch("share.renew.acknowledge.enable"),
    Text("errors.deadletterqueue.topic.name", r"[a-zA-Z0-9._-]{0,249}"),
    Switch("errors.deadletterqueue.copy.record.enable"),
)
"""What only share groups have, about the delivery of records (KIP-932)."""
OF_STREAMS: tuple[Setting, ...] = (
    Number("streams", "initial.rebalance.delay.ms"),
    Number("streams", "num.standby.replicas", high="max.standby.replicas"),
    Number("streams", "num.warmup.replicas", high="max.warmup.replicas"),
    Number("streams", "acceptable.recovery.lag"),
    Number("streams", "task.offset.interval.ms", 1, "min.task.offset.interval.ms"),
    Names("streams.rack.aware.assignment.tags"),
    Names("streams.assignor.name", ("sticky",)),
)
"""What only streams groups have (KIP-1071)."""
TYPES = ("consumer", "share", "streams")
"""The types whose groups have settings of their own."""
SETTINGS: dict[str, Setting] = {
    setting.name: setting for setting in (*(each for of in TYPES for each in _timed(of)), *OF_SHARE, *OF_STREAMS)
}
"""Every setting of a group, by name."""
SINCE: dict[str, str] = {
    "streams.initial.rebalance.delay.ms": "4.2",
    **{f"{of}.{ASSIGNMENT_INTERVAL}": "4.3" for of in TYPES},
    **{f"{of}.assignor.offload.enable": "4.4" for of in TYPES},
    **{f"share.{name}": "4.3" for name in ("delivery.count.limit", "partition.max.record.locks")},
    "share.renew.acknowledge.enable": "4.3",
    **{setting.name: "4.4" for setting in OF_SHARE if setting.name.startswith("errors.")},
    **{setting.name: "4.4" for setting in OF_STREAMS[2:]},
}
"""The release that brought a setting, where that is after 4.1 (Kafka: GroupConfig)."""


def effective(of: str, stem: str) -> Callable[[Configs, Context], int]:
    """How to find the number that counts for a group of this type: its own or the broker's, within the bounds."""
    setting = SETTINGS[f"{of}.{stem}"]
    assert isinstance(setting, Number)
    name, low, high = setting.name, setting.low, setting.high
    alone = attrgetter(f"{of}.group_{of}_{stem.replace('.', '_')}")
    of_broker = attrgetter(*(f"{of}.group_{of}_{part.replace('.', '_')}" for part in (stem, low or stem, high or stem)))

    def find(configs: Configs, context: Context) -> int:
        if not context.settings:  # the broker's own value is within its bounds
            broker: int = alone(configs)
            return broker
        value, least, most = of_broker(configs)
        own: int = context.settings.get(name, value)
        # comparisons, because every heartbeat asks twice and min() and max() cost three times as much
        if low and own < least:
            own = least
        if high and own > most:
            own = most
        return own

    return find


def altered(now: Settings, changes: Mapping[str, str | None], configs: Configs) -> tuple[Error, dict[str, Any]]:
    """The group's settings after IncrementalAlterConfigs; None removes one. All changes are checked together.

    INVALID_CONFIG, and the settings as they were: an unknown name that is set, no value of its kind, a value outside
    the broker's bounds, a session timeout that is not longer than the heartbeat interval.
    """
    after = dict(now)
    for name, value in changes.items():
        setting = _known(name, configs)
        parsed = None if setting is None or value is None else setting.parsed(value.strip())
        if value is not None and parsed is None:
            return Error.INVALID_CONFIG, dict(now)
        after.pop(name, None)
        if parsed is not None:
            after[name] = parsed
    return (Error.INVALID_CONFIG, dict(now)) if _problem(after, configs) else (Error.NONE, after)


def _known(name: str, configs: Configs) -> Setting | None:
    """The setting of this name, if a broker of this version has it."""
    has_it = configs.coordinator.broker_version.has(SINCE.get(name, BrokerVersion.V4_0))
    return SETTINGS.get(name) if has_it else None


def why_refused(now: Settings, changes: Mapping[str, str], configs: Configs) -> str:
    """Why `altered` refuses changes, as the end of a sentence: the first that is wrong, with the names or bounds."""
    after = dict(now)
    for name, value in changes.items():
        setting = _known(name, configs)
        if setting is None:
            of = name.partition(".")[0] if name.partition(".")[0] in TYPES else TYPES[0]
            listed = [known for known, each in SETTINGS.items() if isinstance(each, Number) and each.of == of]
            numbers = [known for known in listed if _known(known, configs)]
            return f"{name} is unknown; a group has {', '.join(sorted(numbers))}"
        after[name] = setting.parsed(value.strip())
        if after[name] is None:
            return f"{name}={value} must be {setting.wanted()}"
    return _problem(after, configs)


def _problem(wanted: Settings, configs: Configs) -> str:
    """What is outside the broker's bounds, or a session that does not outlast the heartbeat interval; or empty."""
    context = Context(settings=wanted)
    for name, value in wanted.items():
        setting = SETTINGS[name]
        if isinstance(setting, Number) and effective(setting.of, setting.stem)(configs, context) != value:
            bounds = [(f"group.{setting.of}.{stem}") for stem in (setting.low, setting.high) if stem]
            shown = " and ".join(f"{bound}={_of_broker(configs, setting.of, bound)}" for bound in bounds)
            return f"{name}={value} is not {'between' if len(bounds) > 1 else 'within'} {shown}, which the broker has"
    for of in TYPES:
        session, interval = (effective(of, stem)(configs, context) for stem in (SESSION_TIMEOUT, HEARTBEAT_INTERVAL))
        if session <= interval:
            return (
                f"{of}.{SESSION_TIMEOUT}={session} must be longer than {of}.{HEARTBEAT_INTERVAL}={interval}, the"
                " group's own or the broker's"
            )
    return ""


def _of_broker(configs: Configs, of: str, name: str) -> Any:
    return getattr(getattr(configs, of), name.replace(".", "_"))
