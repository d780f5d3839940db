"""Parts of docs/predictions.md: how far answers can be trusted, which signs are wrong and why, the greatest errors.

What a fault costs depends on when it comes between two heartbeats. A family of recordings may have one choice at
several phases (`-p250`: 250 ms later) and another at one only; then their medians can differ by the phase alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import median

from groupsim.conformance.predictions.results import Evidence, Setting
from groupsim.conformance.predictions.score import Pair, clearly_differ, overlap, percent, share
from groupsim.replay.significance import difference
from groupsim.replay.trust import LEAST_MARGIN
from groupsim.wording.numbers import percent_change as change
from recorders.page.attribution import Attributed, Cause, attributed
from recorders.page.scored import Scored

_PHASE = re.compile(r"-p([0-9]{1,6})(?![0-9A-Za-z])")


def phase_of(run: str) -> int:
    """The phase in ms that the name of a run has; 0 without one."""
    phase = _PHASE.search(run)
    return int(phase[1]) if phase else 0


def phases(runs: Collection[str]) -> tuple[int, ...]:
    """The different phases of some runs, ascending."""
    return tuple(sorted({phase_of(run) for run in runs}))


def decided_by_phase(setting: Setting, pair: Pair) -> bool:
    """Whether a pair is clear only because its choices were recorded at different phases of the heartbeat.

    At the phases that both have it is not clear, or the other way round; nor is it if they have none in common.
    """
    given, asked = (setting.truths[pair.family][choice] for choice in (pair.given, pair.asked))
    if not pair.clear or phases(given) == phases(asked):
        return False
    common = set(phases(given)) & set(phases(asked))
    same_phase, other_choice = _at(given, common), _at(asked, common)
    return not (
        same_phase
        and other_choice
        and clearly_differ(same_phase, other_choice)
        and not overlap(same_phase, other_choice)
    )


def _at(runs: Mapping[str, int], wanted: Collection[int]) -> Sequence[int]:
    return [ms for run, ms in runs.items() if phase_of(run) in wanted]


_WORST = 15
_SHORT = {
    Cause.NONE: "none",
    Cause.SIMULATION: "simulated group",
    Cause.STORY: "what was read",
    Cause.TIMEOUTS: "timeouts",
}
"""The causes in a cell of a table."""
_UNKNOWN = "not scored from true actions"


def trusted(scorings: Sequence[Scored]) -> Iterator[Sequence[object]]:
    """Of the pairs predicted from logs: what became of the promises of an answer."""
    yield (
        "recordings",
        "better or worse, all seeds agree",
        "of these clear",
        "sign right",
        "no difference, or seeds disagree",
        "of these clear",
        "sign right",
        "amount in the range of the seeds",
        f"widened by {LEAST_MARGIN:.0%}".replace("%", " %"),
    )
    for scored in scorings:
        if scored.setting.evidence is not Evidence.LOGS:
            continue
        answered = [pair for pair in scored.pairs if pair.answered]
        sure = [pair for pair in answered if _differs(pair)]
        named = scored.setting.folder + (", first look" if scored.first else "")
        cells: list[object] = [named]
        for own in (sure, [pair for pair in answered if pair not in sure]):
            clear = [pair for pair in own if pair.clear]
            cells += [len(own), len(clear), percent(share([pair.sign_right for pair in clear]))]
        wide = [_within(pair, LEAST_MARGIN) for pair in answered]
        yield *cells, percent(share([pair.inside for pair in answered])), percent(share(wide))


def _differs(pair: Pair) -> bool:
    """Whether the answer says better or worse; with few seeds, that all of them agree."""
    return difference(pair.predicted_ms, pair.baseline_ms, median(pair.baseline_ms)) != 0


def _within(pair: Pair, margin: float) -> bool:
    return min(pair.predicted_ms) * (1 - margin) <= pair.real <= max(pair.predicted_ms) * (1 + margin)


def causes_of(own: Sequence[Scored]) -> list[Attributed]:
    """The pairs with the cause of their error, as far as all three scorings have them."""
    by_evidence = {scored.setting.evidence: scored.pairs for scored in own}
    if set(by_evidence) != set(Evidence):
        return []
    return attributed(by_evidence[Evidence.LOGS], by_evidence[Evidence.KNOWN], by_evidence[Evidence.ACTIONS])


def wrong_signs(logs: Scored) -> str:
    """How many clear pairs have the wrong sign, and how many are decided by the phase of the heartbeat."""
    clear = [pair for pair in logs.pairs if pair.answered and pair.clear]
    by_phase = [pair for pair in clear if decided_by_phase(logs.setting, pair)]
    wrong = [pair for pair in clear if not pair.sign_right]
    said = f"Of {len(clear)} clear pairs {len(wrong)} have the wrong sign."
    level = sum(not _differs(pair) for pair in wrong)
    if level:
        said += f" For {level} of these the answer is *no difference worth having*, not the opposite."
    if not by_phase:
        return said
    right = percent(share([pair.sign_right for pair in clear if pair not in by_phase]))
    return (
        f"{said} {len(by_phase)} clear pairs are decided by the phase of the heartbeat at which they were recorded: one"
        " choice was recorded at more phases than the other, and at the phases that both have the pair is not clear."
        f" Of these {sum(not pair.sign_right for pair in by_phase)} have the wrong sign; without them the sign is"
        f" right in {right} of {len(clear) - len(by_phase)}."
    )


def wrong_sign_rows(logs: Scored, with_causes: Sequence[Attributed]) -> Iterator[Sequence[object]]:
    """A row for each family, choice recorded and choice asked for that has a wrong sign."""
    yield "family", "recorded → asked", "wrong", "real, recorded", "real, asked", "predicted", "phases", "cause"
    causes = _causes(with_causes)
    grouped: dict[tuple[str, str, str], list[Pair]] = defaultdict(list)
    for pair in logs.pairs:
        if pair.answered and pair.clear:
            grouped[pair.family, pair.given, pair.asked].append(pair)
    for (family, given, asked), own in sorted(grouped.items()):
        wrong = [pair for pair in own if not pair.sign_right]
        if wrong:
            truths = logs.setting.truths[family]
            changes = sorted(pair.predicted / max(1, median(pair.baseline_ms)) for pair in wrong)
            counts = f"{len(phases(truths[given]))} / {len(phases(truths[asked]))}"
            counts += ", decide" if decided_by_phase(logs.setting, wrong[0]) else ""
            why = "; ".join(sorted({_cause(pair, causes) for pair in wrong}))
            predicted = " to ".join(dict.fromkeys(str(change(c)) for c in (changes[0], changes[-1])))
            real = (_real(pair_ms) for pair_ms in (wrong[0].given_ms, wrong[0].real_ms))
            yield family, f"{given} → {asked}", f"{len(wrong)} of {len(own)}", *real, predicted, counts, why


def worst(logs: Scored, with_causes: Sequence[Attributed]) -> Iterator[Sequence[object]]:
    """The greatest errors from the logs alone."""
    yield "run", "asked", "real (least–most)", "predicted (least–most)", "error", "sign", "cause", "misread"
    causes = _causes(with_causes)
    for pair in sorted((p for p in logs.pairs if p.answered), key=lambda p: (-p.error, p.run, p.asked))[:_WORST]:
        sign = "" if not pair.clear else "right" if pair.sign_right else "wrong"
        predicted = f"{pair.predicted:,.0f} ({min(pair.predicted_ms):,}–{max(pair.predicted_ms):,})"
        shown = _real(pair.real_ms), predicted, percent(pair.error)
        yield pair.run, pair.asked, *shown, sign, _cause(pair, causes), "; ".join(pair.misread)


def _real(values: Sequence[int]) -> str:
    return f"{median(values):,.0f} ({min(values):,}–{max(values):,})"


def _causes(with_causes: Sequence[Attributed]) -> dict[tuple[str, str], Cause]:
    return {(attributed.pair.run, attributed.pair.asked): attributed.cause for attributed in with_causes}


def _cause(pair: Pair, causes: Mapping[tuple[str, str], Cause]) -> str:
    cause = causes.get((pair.run, pair.asked))
    return _UNKNOWN if cause is None else _SHORT[cause]
