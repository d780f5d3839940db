"""docs/recommendations.md: what was recommended after two incidents, and what a real Kafka made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from groupsim.conformance.markdown import markdown
from groupsim.conformance.predictions.families import RecordedRun
from groupsim.conformance.recommendations import played
from groupsim.conformance.recommendations.asked import INCIDENTS, REPETITIONS, ROOT, AskedIncident
from groupsim.conformance.recommendations.recommended import Recommendations, Recommended

PAGE = ROOT / "docs" / "recommendations.md"
_INTRO = f"""# Recommendations on a real Kafka

After two recorded incidents `groupsim advise` was asked on the logs alone. Its five best choices, and the settings of
the record, were then played on a real Kafka with Java consumers, {REPETITIONS} times each: the same members, the same
faults at the same times. Written by `python -m groupsim.conformance.recommendations page`; `make recommendations` plays
everything anew (JDK 17, Maven, a quarter of an hour). The advice was asked before anything was played, and nothing was
changed after.

Partition-seconds in which no process held the partition, from the first fault on. *Expected*: the mean of the advice's
seeds, with the least and the greatest. *Real*: the median of the repetitions, with the least and the greatest.
*Change*: against the settings of the record, played again; real against real.

What a deploy costs depends on chance, such as when heartbeats fall. An advice on an incident keeps the instants of the
record, and so says what would have helped then: where the same settings cost less on another day, so does the gain.
"""


def page() -> str:
    """The whole page, from what was recommended and recorded."""
    parts = [_INTRO]
    right = of = 0
    for incident in INCIDENTS:
        advised, real = played.advice(incident), played.real(incident)
        rows = list(_rows(advised, real, played.itself(incident)))
        directions = [row[-1] for row in rows[1:] if row[-1]]
        right += directions.count("right")
        of += len(directions)
        parts += [_heading(incident, advised), "\n".join(markdown(rows)), ""]
    verdict = f"The direction is right for {right} of {of} recommendations."
    return "\n".join([*parts[:1], verdict, "", *parts[1:]])


def _heading(incident: AskedIncident, advised: Recommendations) -> str:
    asked = " ".join(f"--vary {text}" for text in incident.vary)
    return (
        f"## {incident.family.story}\n\n{incident.family.about}. `groupsim advise RUN {asked}`:\n\n> {advised.answer}\n"
    )


def _rows(
    advised: Recommendations, real: dict[str, list[RecordedRun]], itself: RecordedRun
) -> Iterator[Sequence[object]]:
    yield "settings", "expected", "expected change", "real", "real change", "direction"
    base = advised.as_recorded
    truth = median(run.real_ms for run in real[base.name])
    yield "the incident itself", "", "", _s(itself.real_ms), "", ""
    yield "its settings, again", _expected(base), "", _real(real[base.name]), "", ""
    for each in advised.top:
        found = median(run.real_ms for run in real[each.name])
        same = (each.expected_ms < base.expected_ms) == (found < truth)
        yield (
            " ".join(f"{key}={value}" for key, value in each.settings.items()),
            _expected(each),
            f"{each.expected_ms / base.expected_ms - 1:+.0%}",
            _real(real[each.name]),
            f"{found / truth - 1:+.0%}",
            "right" if same else "wrong",
        )


def _expected(of: Recommended) -> str:
    return f"{_s(of.expected_ms)} ({_s(of.least_ms)}–{_s(of.most_ms)})"


def _real(runs: Sequence[RecordedRun]) -> str:
    found = [run.real_ms for run in runs]
    return f"{_s(median(found))} ({_s(min(found))}–{_s(max(found))})"


def _s(ms: float) -> str:
    return f"{ms / 1_000:.1f}"
