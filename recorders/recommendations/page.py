"""docs/recommendations.md: what was recommended after two incidents, and what a real Kafka made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from groupsim.conformance.predictions.families import RecordedRun
from recorders.markdown import markdown
from recorders.recommendations import played
from recorders.recommendations.recommended import (
    INCIDENTS,
    REPETITIONS,
    ROOT,
    AskedIncident,
    Recommendations,
    Recommended,
)

PAGE = ROOT / "docs" / "recommendations.md"
_INTRO = f"""# Recommendations on a real Kafka

After two recorded incidents `groupsim advise` was asked on the logs alone. Its five best choices, and the settings of
the record, were then played on a real Kafka with Java consumers, {REPETITIONS} times each: the same members, the same
faults at the same times. Written by `python -m recorders.recommendations page`; `make recommendations` plays
what is not there yet (JDK 17, Maven; a quarter of an hour for all), and asks again. What was played was asked before
and not changed after; what today's code says (*now*) came later, when what was played was known.

Partition-seconds in which no process held the partition, from the first fault on. *Expected*: the mean of the advice's
seeds, with the least and the greatest. *Real*: the median of the repetitions, with the least and the greatest.
*Change*: against the settings of the record, expected and real. *Direction*: whether it costs less, as was expected.

What a deploy costs depends on chance, such as when heartbeats fall. An advice on an incident keeps the instants of the
record, and so says what would have helped then: where the same settings cost less on another day, so does the gain.
"""


def page() -> str:
    """The whole page, from what was recommended and recorded."""
    parts = [_INTRO]
    right = of = 0
    for incident in INCIDENTS:
        advised, now = played.advice(incident), played.today(incident)
        rows = list(_rows(advised, now, played.real(incident), played.itself(incident)))
        directions = [row[-1] for row in rows[1:] if row[-1]]
        right += directions.count("right")
        of += len(directions)
        parts += [_heading(incident, advised), "\n".join(markdown(rows)), "", _today(advised, now), ""]
    verdict = f"The direction is right for {right} of {of} recommendations."
    return "\n".join([*parts[:1], verdict, "", *parts[1:]]).rstrip("\n") + "\n"


def _heading(incident: AskedIncident, advised: Recommendations) -> str:
    asked = " ".join(f"--vary {text}" for text in incident.vary)
    about = incident.family.about
    return f"## {incident.family.story}\n\n{about}. `groupsim advise RUN {asked}` said:\n\n> {advised.answer}\n"


def _today(advised: Recommendations, now: Recommendations | None) -> str:
    """What today's code answers, and whether that was played."""
    if now is None:
        return "Today's code was not asked again."
    before, after = [recommended.name for recommended in advised.top], [recommended.name for recommended in now.top]
    if after == before:
        same = f"recommends the same {len(before)} choices in the same order"
    elif missing := [_settings(recommended) for recommended in now.top if recommended.name not in before]:
        same = f"recommends other choices, too, which were not played: {'; '.join(missing)}"
    else:
        same = f"recommends the same {len(before)} choices in another order"
    return f"Today's code {same}, and says:\n\n> {now.answer}\n"


def _rows(
    advised: Recommendations, now: Recommendations | None, real: dict[str, list[RecordedRun]], itself: RecordedRun
) -> Iterator[Sequence[object]]:
    yield "settings", "expected", "expected now", "real", "expected change", "change now", "real change", "direction"
    base, base_now = advised.as_recorded, None if now is None else now.as_recorded
    truth = median(run.real_ms for run in real[base.name])
    yield "the incident itself", "", "", _s(itself.real_ms), "", "", "", ""
    yield (
        "its settings, again",
        _expected(base),
        "" if base_now is None else _expected(base_now),
        _real(real[base.name]),
        "",
        "",
        "",
        "",
    )
    today = {} if now is None else {recommended.name: recommended for recommended in now.top}
    for recommended in advised.top:
        real_ms, later = median(run.real_ms for run in real[recommended.name]), today.get(recommended.name)
        same = (recommended.expected_ms < base.expected_ms) == (real_ms < truth)
        yield (
            _settings(recommended),
            _expected(recommended),
            "" if later is None else _expected(later),
            _real(real[recommended.name]),
            _change(recommended.expected_ms, base.expected_ms),
            "" if later is None or base_now is None else _change(later.expected_ms, base_now.expected_ms),
            _change(real_ms, truth),
            "right" if same else "wrong",
        )


def _settings(of: Recommended) -> str:
    return " ".join(f"{key}={value}" for key, value in of.settings.items())


def _change(ms: float, base_ms: float) -> str:
    return f"{ms / base_ms - 1:+.0%}"


def _expected(of: Recommended) -> str:
    return f"{_s(of.expected_ms)} ({_s(of.least_ms)}–{_s(of.most_ms)})"


def _real(runs: Sequence[RecordedRun]) -> str:
    costs_ms = [run.real_ms for run in runs]
    return f"{_s(median(costs_ms))} ({_s(min(costs_ms))}–{_s(max(costs_ms))})"


def _s(ms: float) -> str:
    return f"{ms / 1_000:.1f}"
