"""A report proposes no remedy that its own table shows to be worse."""

from __future__ import annotations

from pathlib import Path

from groupsim.analysis.runs import Run
from groupsim.analysis.what_ifs import StoredChoice, StoredWhatIf
from groupsim.diagnosis.already_tried import in_order, in_words
from groupsim.diagnosis.finding import Remedy
from groupsim.diagnosis.to_report import answer_of_run
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.memory import MemoryStore

ROOT = Path(__file__).parents[2]

STATIC = Remedy("use static members", trial=(("membership", "static"),))
STEPWISE = Remedy("or use cooperative-sticky", trial=(("assignor", "cooperative-sticky"),))
SHORTER = Remedy("or use a shorter heartbeat.interval.ms", trial=(("heartbeat.interval.ms", "500"),))
LOOK = Remedy("or look at its log")
ALL = (STATIC, STEPWISE, SHORTER, LOOK)


def asked(**verdicts: str) -> StoredWhatIf:
    """A what-if whose choices cost 9.0 partition-seconds instead of 20.0."""
    choices = [
        StoredChoice(choice=name.replace("__", "=").replace("_", "-"), answer="", verdict=verdict, median_ms=9_000)
        for name, verdict in verdicts.items()
    ]
    base = StoredChoice(choice="as recorded", answer="", verdict="", median_ms=20_000)
    return StoredWhatIf(group="g", headline="", from_ms=0, to_ms=1, recorded_ms=1, choices=[base, *choices], assumed=[])


def said(*kept: StoredWhatIf) -> list[str]:
    return [in_words(remedy) for remedy in in_order(ALL, kept)]


def test_without_a_what_if_all_stay_as_they_are() -> None:
    assert said() == [remedy.what for remedy in ALL]
    assert said(asked()) == [remedy.what for remedy in ALL]


def test_what_helped_comes_first_and_what_was_worse_is_not_advised() -> None:
    assert said(asked(membership__static="worse", cooperative_sticky="better")) == [
        "use cooperative-sticky (tried below with cooperative-sticky: 9.0 instead of 20.0 partition-seconds)",
        "or use a shorter heartbeat.interval.ms",
        "or look at its log",
        "not advised here: use static members (tried below with membership=static: 9.0 instead of 20.0"
        " partition-seconds)",
    ]


def test_the_newest_answer_counts_and_what_the_group_has_is_left_out() -> None:
    older = asked(membership__static="better", cooperative_sticky="better")
    newer = asked(membership__static="not sure", cooperative_sticky="same as recorded")
    assert said(older, newer)[0] == (
        "use static members (tried below with membership=static: whether it would have helped is not sure)"
    )
    assert "cooperative" not in " ".join(said(older, newer))


def test_a_timeout_that_is_as_short_or_shorter_is_a_trial_of_the_remedy_and_a_longer_one_is_not() -> None:
    for tried, value in ((True, 500), (True, 300), (False, 900)):
        found = asked()
        choice = StoredChoice(choice=f"heartbeat.interval.ms={value}", answer="", verdict="no difference worth having")
        cost = StoredChoice(**{name: getattr(choice, name) for name in ("choice", "answer", "verdict")}, median_ms=1)
        found.choices.append(cost)
        assert any("would change little here: use a shorter" in each for each in said(found)) == tried


def test_a_report_tries_remedies_where_no_what_if_was_asked() -> None:
    """The order of commands changes no advice: a report right after an import says what `explain` says of the run."""
    logs = sorted((ROOT / "examples" / "incidents" / "rolling-restart-range").glob("*.log.gz"))
    store = MemoryStore()
    info = import_run(read_files(logs), store, name=None, topics={}).run
    answer = answer_of_run(Run(store, info))
    assert answer is not None
    (finding,) = answer.findings
    worse = [said for said in finding.do if said.startswith("not advised here: ")]
    assert ["group.instance.id" in said for said in worse] == [True, False]
    assert ["cooperative-sticky" in said for said in worse] == [False, True]
    assert all("instead of" in said for said in worse)
