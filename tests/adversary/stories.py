"""Scenario files and settings drawn at random: a run, or one sentence; no run stays `running`, no fact is lost."""

from __future__ import annotations

from pathlib import Path
from random import Random

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.blame.blame import blame
from groupsim.coordinator.config import Configs, names
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.events.errors import GroupsimError
from groupsim.scenarios import catalogue
from groupsim.simulation.clients.config import ConsumerConfig
from groupsim.storage import open_store
from tests.adversary.called import Finding, call, within
from tests.adversary.compare import differences, facts_of, owners_differ, states_differ
from tests.analysis.test_blame_adds_up import whole

VALUES = (
    *("0", "1", "2", "3", "7.5", "-1", "500", "30000", "10**9", "10**30", "math.nan", "math.inf", "True", "None"),
    *("'x'", "''", "'range'", "'sticky'", "'\\ud800'", "b'x'", "[]", "t", "m", "g", "world"),
)
WORDS = (
    *("world.sleep({})", "yield world.sleep({})", "world.topic({}, {})", "world.topic('u', {}, rate={})"),
    *("world.add_partitions(t, {})", "world.group({})", "world.group('h', assignor={})", "world.check({}, {})"),
    *("g.join({}, topics=[t])", "g.join('b', topics=[t], after={})", "g.join(2, topics=[t], spread={})"),
    *("g.join('c', topics=[t], static=True)", "g.join('d', topics=[t], application=Application(process_ms={}))"),
    *("yield g.stable(members={})", "yield g.stable(members=1, within={})", "m.freeze({})", "yield m.freeze({})"),
    *("m.kill()", "yield m.close()", "m.slow_batch({})", "yield m.restart(downtime={})", "yield m.start()"),
    *(
        "world.broker.crash({})",
        "world.broker.move({})",
        "m.subscribe({})",
        "m.configure({{'session.timeout.ms': {}}})",
    ),
    *(
        "raise {}",
        "yield {}",
        "world.network.lose(m, world.broker, {})",
        "with world.network.slow(m, world.data, {}): pass",
    ),
    *("seconds({})", "minutes({})", "m.unsubscribe()", "m.enforce_rebalance()", "world.configure_broker({{'x': {}}})"),
)
HEAD = "from groupsim.scenarios.dsl import *\nimport math\n\n@scenario(lasts={})\ndef s(world):\n"
BEGIN = (
    "    t = world.topic('t', 2)\n    g = world.group('g', protocol='{}')\n    (m,) = g.join('a', topics=[t])\n"
    "    yield world.sleep(100)\n"
)
_INSTANTS = 60
"""Of a run at which the states of its groups are compared."""
_BLAMED = 0.5
"""The share of runs of which blame has to add up to the unavailable time."""
SETTINGS = ("0", "1", "-5", "7.5", "nan", "1e300", "9" * 30, "", "x", "true", "range", "6000", "45000", "\ud800")

MUCH_WORK = {
    *(("members", value) for value in ("6000", "45000")),
    *(("auto.commit.interval.ms", value) for value in ("0", "1", "7.5")),
    ("heartbeat.interval.ms", "1"),
}
"""What asks for a thousand events in each simulated second, or for thousands of members, computes for minutes."""


def files(rng: Random, folder: Path) -> None:
    """A file of the user's with words that make sense and words that make none."""
    lasts = rng.choice(["5000", "5000", "20000", *(value for value in VALUES[:12] if value != "10**9")])
    words = [rng.choice(WORDS) for _ in range(rng.randint(1, 5))]
    body = "".join(f"    {_filled(word, rng)}\n" for word in words)
    (folder / "story.py").write_text(
        HEAD.format(lasts) + BEGIN.format(rng.choice(["classic", "consumer"])) + body, encoding="utf-8"
    )
    _run(folder, str(folder / "story.py"), body)


def _filled(word: str, rng: Random) -> str:
    """With values; a group of 30,000 members computes for minutes, which is no hang."""
    values = [value for value in VALUES if value != "30000"] if word.startswith("g.join({}") else VALUES
    return word.format(*rng.choices(values, k=2))


def settings(rng: Random, folder: Path) -> None:
    """Built-in scenarios with settings of Kafka's names and any values."""
    known = [*Configs().names(), *names(ConsumerConfig()), "duration.ms", "members", "nothing"]
    drawn = {(rng.choice(known), rng.choice(SETTINGS)) for _ in range(rng.randint(1, 3))}
    given = [f"{name}={value}" for name, value in sorted(drawn - MUCH_WORK)]
    options = [word for each in given for word in ("--set", each)]
    if rng.random() < 0.3:
        options += ["--seed", rng.choice(SETTINGS)]
    _run(folder, rng.choice(["steady_state", "close_during_rebalance", "consumer_slow_callback"]), str(given), *options)


def _run(folder: Path, scenario: str, what: str, *options: str) -> None:
    store = folder / "stories.db"
    for left in folder.glob("stories.db*"):
        left.unlink()
    call("run", scenario, *options, "--store", str(store), "--format", "json")
    if not store.exists():
        return
    opened = open_store(store, create=False)
    try:
        with within(20, what):
            for info in opened.runs():
                if info.status == "running" or info.digest != opened.digest(info.id):
                    raise Finding(f"a run stays {info.status}, after {what}")
                if len(list(opened.read(info.id))) != info.facts:
                    raise Finding(f"facts are missing, after {what}")
                if info.facts < 5_000 and (found := differences(list(opened.read(info.id, types=STATE_CHANGING)))):
                    raise Finding(f"{found[0]}, after {what}")
    except GroupsimError as error:
        raise Finding(f"a fact can't be read back, after {what}: {error}") from error
    finally:
        opened.close()


def numbers(rng: Random, folder: Path) -> None:
    """Availability of a drawn group is what the naive reading of its definition says."""
    _compare(rng.choice(["swarm", "swarm", *catalogue.names()]), rng, {})


def consumer_numbers(rng: Random, folder: Path) -> None:
    """The same of groups of the consumer protocol, alone, beside classic members, and converted."""
    shares = ("classic_share", "static_share", "pattern_share")
    settings = {name: str(rng.choice([0, 0, 0.3, 0.6])) for name in shares}
    _compare("consumer_swarm", rng, {**settings, "faults": str(rng.randint(2, 16))})


def _compare(name: str, rng: Random, settings: dict[str, str]) -> None:
    seed = rng.randrange(1_000_000)
    try:
        facts = facts_of(name, seed, settings)
    except GroupsimError as error:
        if settings:
            raise Finding(f"{name} seed {seed} {settings}: {error}") from error
        return
    if len(facts) >= 10_000:
        return
    instants = {rng.randrange(len(facts)) for _ in range(_INSTANTS)}
    if found := differences(facts) or states_differ(facts, instants) or owners_differ(facts):
        raise Finding(f"{name} seed {seed} {settings}: {found[0]}")
    if rng.random() < _BLAMED:
        intervals_of = intervals(facts)
        try:
            whole(blame(facts, intervals_of), intervals_of)
        except (AssertionError, StopIteration) as error:
            raise Finding(f"{name} seed {seed} {settings}: blame does not add up: {error}") from error
