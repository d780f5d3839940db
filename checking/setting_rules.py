"""Rules about settings alone. Each gives a sentence for what it finds."""

from __future__ import annotations

from collections.abc import Iterator

from groupsim.checking.setup import Setup
from groupsim.coordinator.config import ClassicGroupConfig
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, REFUSED, ConsumerConfig
from groupsim.wording.lists import listed

SESSION, HEARTBEAT = "session.timeout.ms", "heartbeat.interval.ms"
LEAST, MOST = "group.min.session.timeout.ms", "group.max.session.timeout.ms"
_DEFAULTS = ConsumerConfig()


def _classic(setup: Setup) -> bool:
    """Whether the members surely have a session of their own."""
    return setup.values.get("group.protocol", CLASSIC) == CLASSIC and (
        "group.protocol" not in setup.settings or "group.protocol" in setup.values
    )


def heartbeat_not_below_session(setup: Setup) -> Iterator[str]:
    """Kafka: Heartbeat's constructor. What is not given has its default, unless it is given and not known."""
    times = dict(_times(setup))
    given = [setup.settings[name] for name in (SESSION, HEARTBEAT) if name in setup.settings]
    if not _classic(setup) or len(times) < 2 or not given:
        return
    if len(given) < 2 and not given[0].certain:  # a variable that another client may read, with other defaults
        return
    if times[HEARTBEAT] >= times[SESSION]:
        heartbeat, session = _as_given(setup, HEARTBEAT), _as_given(setup, SESSION)
        yield f"{heartbeat} is not below {session}: a consumer refuses that and does not start."


def heartbeat_above_a_third(setup: Setup) -> Iterator[str]:
    """Kafka's documentation of heartbeat.interval.ms: "no higher than 1/3 of that value"."""
    session, heartbeat = setup.ms(SESSION), setup.ms(HEARTBEAT)
    if session is None or heartbeat is None or not _classic(setup) or heartbeat >= session:
        return
    if heartbeat * 3 > session:
        yield (
            f"{_as_given(setup, HEARTBEAT)} is above a third of {_as_given(setup, SESSION)}, which Kafka's"
            " documentation advises against:"
            f" {'one lost heartbeat ends' if heartbeat * 2 > session else 'two lost heartbeats end'} the session."
        )


def session_outside_broker(setup: Setup) -> Iterator[str]:
    """Kafka: INVALID_SESSION_TIMEOUT, where the broker's bounds are known."""
    session = setup.ms(SESSION)
    if session is None or not _classic(setup):
        return
    least, most = setup.ms(LEAST), setup.ms(MOST)
    if least is not None and session < least:
        yield f"{_as_given(setup, SESSION)} is below {_as_given(setup, LEAST)} of the broker, which refuses the member."
    if most is not None and session > most:
        yield f"{_as_given(setup, SESSION)} is above {_as_given(setup, MOST)} of the broker, which refuses the member."


def session_outside_usual_bounds(setup: Setup) -> Iterator[str]:
    """The same, where the bounds are not given: those of Kafka's defaults."""
    session, usual = setup.ms(SESSION), ClassicGroupConfig()
    if session is None or not _classic(setup):
        return
    least, most = usual.group_min_session_timeout_ms, usual.group_max_session_timeout_ms
    for name, beyond, said in (
        (LEAST, session < least, f"below {LEAST}={least}"),
        (MOST, session > most, f"above {MOST}={most}"),
    ):
        if beyond and name not in setup.settings:
            yield f"{_as_given(setup, SESSION)} is {said}, a broker's default: members are refused, unless it is other."


def refused_by_protocol(setup: Setup) -> Iterator[str]:
    """Kafka: ConsumerConfig.checkUnsupportedConfigsPostProcess."""
    protocol = setup.values.get("group.protocol", CLASSIC)
    if "group.protocol" in setup.settings and "group.protocol" not in setup.values:
        return
    refused = [name for name in REFUSED.get(protocol, ()) if name in setup.settings]
    if refused and all(setup.settings[name].certain for name in refused):
        instead = "; the broker has group.consumer.session.timeout.ms and others instead" * (protocol == CONSUMER)
        yield (
            f"{listed(refused)} ({setup.where(refused[0])}) can't be set with group.protocol={protocol}: a consumer"
            f" refuses that and does not start{instead}."
        )


def _times(setup: Setup) -> Iterator[tuple[str, int]]:
    """Session and heartbeat, as far as they are known; Java's defaults for what is not given."""
    defaults = {SESSION: _DEFAULTS.session_timeout_ms, HEARTBEAT: _DEFAULTS.heartbeat_interval_ms}
    for name, default in defaults.items():
        if name not in setup.settings:
            yield name, default
        elif (ms := setup.ms(name)) is not None:
            yield name, ms


def _as_given(setup: Setup, name: str) -> str:
    """`session.timeout.ms=10000 (application.yml: spring.…)`."""
    if name not in setup.settings:
        return f"{name}={dict(_times(setup))[name]} (the default)"
    return setup.as_given(name)
