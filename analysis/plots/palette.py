"""Colours and hatches of labels, members and steps, light and dark, for colour-blind people and grey prints, too.

Members have pale colours and repeat after eighteen; what is wrong has a strong one (Okabe and Ito) and a hatch, so
that no meaning rests on hue alone. Hatches are matplotlib's letters; the report draws the same by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groupsim.analysis.availability.labels import Label
from groupsim.analysis.blame.steps import Wait
from groupsim.analysis.timelines.process_timeline import Activity


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of everything that is drawn: `paper` the background, `ink` text, `faint` grids and hints."""

    paper: str
    ink: str
    faint: str
    grid: str
    members: tuple[str, ...]
    labels: dict[str, str]
    steps: dict[str, str]
    critical: str


HATCHES: dict[str, str] = {
    Label.DOUBLE: "+",
    Label.ZOMBIE_ONLY: "o",
    Label.PAUSED_CALLBACK: "-",
    Label.RESTORING: "|",
    Label.PAUSED_APP: "--",
    Label.OWNER_STALLED: "\\",
    Label.OWNER_DEAD: "x",
    Label.GRANT_IN_FLIGHT: ".",
    Label.WITHHELD: "/",
    Label.DELAYED: "++",
    Label.UNOWNED: "xx",
    Label.UNKNOWN: "..",
}
"""Label -> hatch. OK has none."""

STEP_HATCHES: dict[str, str] = {
    Activity.AWAITING_HEARTBEAT: "/",
    Activity.POLL: "\\",
    Activity.COMMIT: ".",
    Activity.CALLBACK: "-",
    Wait.ANSWERED: "..",
    Activity.ASSIGN: "+",
    Activity.RETRY: "x",
    Activity.SEEKING: "o",
    Activity.FROZEN: "|",
    Activity.CUT: "xx",
    Activity.DEAD: "x",
    Wait.DELAY: "/",
    Wait.TARGET: "+",
    Wait.HEARTBEAT: "..",
    Wait.UNKNOWN: "..",
}
"""A member's step in a rebalance -> hatch; waiting for an answer (join, sync) has none."""

_LABELS: dict[str, str] = {
    Label.DOUBLE: "#d8c500",
    Label.ZOMBIE_ONLY: "#882255",
    Label.PAUSED_CALLBACK: "#0072b2",
    Label.RESTORING: "#009e73",
    Label.PAUSED_APP: "#3f9bd0",
    Label.OWNER_STALLED: "#b8549a",
    Label.OWNER_DEAD: "#1a1a1a",
    Label.GRANT_IN_FLIGHT: "#d99100",
    Label.WITHHELD: "#d55e00",
    Label.DELAYED: "#7b5ea7",
    Label.UNOWNED: "#7a7a7a",
    Label.UNKNOWN: "#a8a8a8",
}
_DARK_LABELS: dict[str, str] = {
    **_LABELS,
    Label.DOUBLE: "#f0e442",
    Label.ZOMBIE_ONLY: "#d15c93",
    Label.PAUSED_CALLBACK: "#3d9fe0",
    Label.RESTORING: "#1fc294",
    Label.PAUSED_APP: "#7cc7f2",
    Label.OWNER_STALLED: "#e08fc6",
    Label.OWNER_DEAD: "#f4f4f4",
    Label.GRANT_IN_FLIGHT: "#f2b134",
    Label.WITHHELD: "#f27f2b",
    Label.DELAYED: "#a98fd6",
    Label.UNOWNED: "#9a9a9a",
    Label.UNKNOWN: "#6c7075",
}
_STEPS: dict[str, str] = {
    Activity.STARTING: "#bbbbbb",
    Activity.AWAITING_HEARTBEAT: "#d99100",
    Activity.POLL: "#d55e00",
    Activity.COMMIT: "#3f9bd0",
    Activity.CALLBACK: "#0072b2",
    Activity.JOIN: "#b9d3e8",
    Wait.WAIT: "#d6dbe1",
    Wait.ANSWERED: "#8d99a6",
    Wait.DELAY: "#a8a8a8",
    Wait.TARGET: "#c58aa8",
    Wait.HEARTBEAT: "#8d99a6",
    Wait.UNKNOWN: "#d6dbe1",
    Activity.ASSIGN: "#882255",
    Activity.SYNC: "#a5ddc9",
    Activity.RETRY: "#d8c500",
    Activity.SEEKING: "#d8c500",
    Activity.FROZEN: "#b8549a",
    Activity.CUT: "#7a7a7a",
    Activity.CLOSING: "#bbbbbb",
    Activity.FAILED: "#1a1a1a",
    Activity.DEAD: "#1a1a1a",
}
_DARK_STEPS: dict[str, str] = {
    **_STEPS,
    Activity.STARTING: "#5d6369",
    Activity.AWAITING_HEARTBEAT: "#f2b134",
    Activity.POLL: "#f27f2b",
    Activity.COMMIT: "#7cc7f2",
    Activity.CALLBACK: "#3d9fe0",
    Activity.JOIN: "#3d566b",
    Wait.WAIT: "#363d45",
    Wait.ANSWERED: "#7d8894",
    Wait.DELAY: "#6c7075",
    Wait.TARGET: "#94486b",
    Wait.HEARTBEAT: "#7d8894",
    Wait.UNKNOWN: "#363d45",
    Activity.ASSIGN: "#d15c93",
    Activity.SYNC: "#2f6755",
    Activity.CLOSING: "#5d6369",
    Activity.FAILED: "#f4f4f4",
    Activity.DEAD: "#f4f4f4",
}

_PARTS = re.compile(r"(\d+)")


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts m2 before m10."""
    parts = _PARTS.split(name)
    return tuple((int(p), "") if i % 2 and len(p) < 19 else (-1, p) for i, p in enumerate(parts))


def label_of(process: str) -> str:
    """The program of an incarnation: m1 of m1.0 and of m1.1; a name of another form is returned as it is."""
    label, dot, incarnation = process.rpartition(".")
    return label if dot and label and incarnation.isdigit() else process


def places(names: Iterable[str]) -> dict[str, int]:
    """Each name's number among the members, from 0; incarnations of one program share one, and so their colour."""
    given = sorted(set(names), key=natural)
    numbers: dict[str, int] = {}
    return {name: numbers.setdefault(label_of(name), len(numbers)) for name in given}


def theme(name: str) -> Theme:
    """The theme `light` or `dark`. Raises ValueError for another name."""
    if name not in THEMES:
        raise ValueError(f"theme must be light or dark, not {name!r}")
    return THEMES[name]


def member_colour(place: int, of: Theme) -> str:
    """The colour of the member at this place."""
    return of.members[place % len(of.members)]


def mixed(colour: str, other: str, share: float) -> str:
    """`colour` with this share of `other`; both as #rrggbb."""
    a, b = (bytes.fromhex(c[1:]) for c in (colour, other))
    return "#" + bytes(round(x + (y - x) * share) for x, y in zip(a, b, strict=True)).hex()


def order(names: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """What was found, in the wanted order; what is not in it comes last, sorted."""
    left = set(names)
    return [name for name in wanted if name in left] + sorted(left - set(wanted))


def _twice(colours: str, towards: str) -> tuple[str, ...]:
    """The colours, and then each of them a shade away."""
    return (*colours.split(), *(mixed(colour, towards, 0.2) for colour in colours.split()))


LIGHT = Theme(
    paper="#ffffff",
    ink="#1b1f24",
    faint="#5b6470",
    grid="#dfe3e8",
    members=_twice("#b5d0ee #f6c3a9 #d9e39a #e3c6e6 #a9ddd6 #f5e3a3 #c9cede #f3bccb #bfd8b4", "#000000"),
    labels=_LABELS,
    steps=_STEPS,
    critical="#c1121f",
)
DARK = Theme(
    paper="#14171b",
    ink="#e9edf1",
    faint="#9aa4af",
    grid="#2c3238",
    members=_twice("#2f5478 #7a4a31 #5b6424 #66466a #2a645d #6e5f25 #4a5168 #783f50 #41613a", "#000000"),
    labels=_DARK_LABELS,
    steps=_DARK_STEPS,
    critical="#ff6b6b",
)
THEMES = {"light": LIGHT, "dark": DARK}
