"""What a scenario passes in without sense is one sentence; no such fact is stored, and no run stays `running`."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.events.errors import GroupsimError
from groupsim.scenarios import catalogue
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

HEAD = "from groupsim.scenarios.dsl import *\nimport math\n\n"
STORY = (
    "@scenario(lasts=5000)\ndef s(world):\n    t = world.topic('t', 2)\n    g = world.group('g')\n"
    "    (m,) = g.join('a', topics=[t])\n    yield world.sleep(100)\n    {}\n    yield world.sleep(10)\n"
)
WORDS = """
world.topic('u', 2.5)
world.topic('u', True)
world.topic('u', '3')
world.topic('u', 10**9)
world.topic('u', math.nan)
world.topic('u', -1)
world.topic(5, 1)
world.topic('', 1)
world.topic('x' * 2000, 1)
world.topic('\\ud800', 1)
world.topic('u', 1, rate=1e300)
world.topic('u', 1, rate=math.nan)
world.topic('u', 1, rate=math.inf, arrivals='poisson')
world.topic('u', 1, rate=-1)
world.topic('u', 1, rate='x')
world.topic('u', 1, times={0: [5, 3]})
world.topic('u', 1, times={0: [math.nan]})
world.add_partitions(t, 3.5)
world.add_partitions(t, 10**9)
world.add_partitions('t', 3)
world.group(5)
world.group('\\ud800')
world.group('h', config={'session.timeout.ms': math.nan})
world.sleep(math.nan)
world.sleep(math.inf)
world.sleep(-1)
world.sleep(0.5)
world.sleep('x')
world.sleep(None)
world.sleep(10**30)
world.check(True, '\\ud800')
world.broker.crash(math.nan)
world.broker.move(loading_ms=-5)
world.network.lose(m, world.broker, 7)
world.network.slow(m, world.broker, -7).__enter__()
seconds(math.nan)
g.join(2.5, topics=[t])
g.join(-1, topics=[t])
g.join(10**9, topics=[t])
g.join('b', topics=[t], after=-5)
g.join('b', topics=[t], after=0.5)
g.join(3, topics=[t], spread=math.nan)
g.join(3, topics=['t'])
g.join('\\ud800', topics=[t])
g.join('c', topics=[t], application=Application(restore_ms=math.nan))
g.join('c', topics=[t], application=Application(callback_ms={'assigned': -3}))
g.join('c', topics=[t], application=Application(record_ms=math.inf))
g.stable(members='x')
g.stable(members=1, within=math.nan)
m.freeze(math.nan)
m.freeze(-1)
m.slow_batch(math.nan)
m.restart(downtime=-1)
m.start(after_ms=math.nan)
raise GeneratorExit
raise SystemExit(3)
raise MemoryError
raise StopIteration
yield 5
""".strip().splitlines()


def refused(tmp_path: Path, text: str) -> str:
    """The sentence with which a scenario file is refused; every run in the store has ended and can be read."""
    file = tmp_path / "story.py"
    file.write_text(text)
    store = MemoryStore()
    with pytest.raises(GroupsimError) as caught:
        run(catalogue.find(str(file)), store)
    for info in store.runs():
        assert info.status == "failed"
        assert info.digest == store.digest(info.id)
        assert [fact.seq for fact in store.read(info.id)] == list(range(info.facts))
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 1_500
    return sentence


@pytest.mark.parametrize("word", WORDS)
def test_a_word_without_sense_is_refused(tmp_path: Path, word: str) -> None:
    sentence = refused(tmp_path, HEAD + STORY.format(word))
    assert "story.py, line 10" in sentence or "can't be written as JSON" in sentence or "nan" in sentence


@pytest.mark.parametrize(
    "definition",
    [
        "@scenario(lasts=-5)\ndef s(world): pass\n",
        "@scenario(lasts=1.5)\ndef s(world): pass\n",
        "@scenario(lasts='x')\ndef s(world): pass\n",
        "@scenario(lasts=math.nan)\ndef s(world): pass\n",
        "@scenario(lasts=10**30)\ndef s(world): pass\n",
        "@scenario(seed='x', lasts=1000)\ndef s(world): pass\n",
        "@scenario(seed=2**70, lasts=1000)\ndef s(world): pass\n",
        "@scenario(lasts=1000)\nasync def s(world): pass\n",
        "@scenario(lasts=1000)\nasync def s(world):\n    yield 1\n",
        "@scenario(lasts=1000)\ndef s(world): return 5\n",
        "@scenario(lasts=1000)\ndef s(world): return [world.sleep(5)]\n",
        "@scenario(lasts=1000)\ndef s(world, x=math.nan): pass\n",
        "@scenario(lasts=1000)\nclass s: pass\n",
        "raise GeneratorExit\n",
        "raise SystemExit(3)\n",
    ],
)
def test_a_scenario_without_sense_is_refused(tmp_path: Path, definition: str) -> None:
    refused(tmp_path, HEAD + definition)


def test_whole_floats_are_whole_numbers(tmp_path: Path) -> None:
    file = tmp_path / "story.py"
    file.write_text(HEAD + STORY.format("yield world.sleep(1000 / 2)"))
    result = run(catalogue.find(str(file)), MemoryStore())
    assert result.info.status == "finished"
