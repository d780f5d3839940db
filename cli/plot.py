"""`groupsim plot`: one picture of a run, or of several runs compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.options import StoreOption

if TYPE_CHECKING:
    from groupsim.analysis.runs import Run

KINDS = ("timeline", "unavailable", "lag", "rebalance", "compare", "pareto", "flips")
STATIC, INTERACTIVE = (".png", ".svg", ".pdf"), ".html"
MOST_RUNS = 8
DPI = 110


def plot(
    kind: Annotated[str, typer.Argument(metavar="|".join(KINDS), help="The kind of picture.")],
    references: Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids, prefixes, names, or `latest`.")],
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=f"{', '.join(STATIC)}, or {INTERACTIVE}; default: KIND.png.",
        ),
    ] = None,
    group: Annotated[str | None, typer.Option(help="Only this group (all but compare).")] = None,
    generation: Annotated[
        int | None,
        typer.Option(metavar="N", help="The rebalance of this generation; default: the longest."),
    ] = None,
    by: Annotated[
        str,
        typer.Option(metavar="label|phase|configuration|member|cause", help="Breakdown of a `compare` picture."),
    ] = "label",
    theme: Annotated[str, typer.Option(metavar="light|dark", help="Light or dark background.")] = "light",
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Draw one picture: owners over time, unavailable partitions, lag, one rebalance by member, or several runs.

    `pareto` and `flips` are of the newest `groupsim advise` on the run: choices by two measures, and what they cost
    along something unknown.

    Example: groupsim plot timeline latest -o timeline.png
    """
    from groupsim.coordinator.config import near

    if kind not in KINDS:
        raise BadRequest(f"{kind!r} is not a kind of picture{near(kind, KINDS)}; the kinds are {', '.join(KINDS)}")
    if theme not in ("light", "dark"):
        raise BadRequest(f"--theme must be light or dark, not {theme!r}")
    file = _place(to or Path(f"{kind}.png"))
    with existing(store) as opened:
        ids = list(dict.fromkeys(opened.find(reference).id for reference in references))
        several = kind == "compare"
        if several != (len(ids) > 1) or len(ids) > MOST_RUNS:
            wanted = f"2 to {MOST_RUNS} different runs" if several else "one run"
            raise BadRequest(f"a {kind} picture needs {wanted}, not {len(ids)}")
        from groupsim.analysis.runs import open_run

        figure = _drawn(kind, [open_run(opened, run) for run in ids], group, generation, by, theme, file.suffix)
    try:
        if file.suffix == INTERACTIVE:
            figure.write_html(str(file), include_plotlyjs=True)
        else:
            from matplotlib import rc_context

            with rc_context({"svg.hashsalt": "groupsim"}):  # otherwise the ids in an SVG are random
                figure.savefig(file, dpi=DPI, metadata=_timeless(file.suffix))
    except OSError as problem:
        raise BadRequest(f"-o {file} can't be written: {problem.strerror or problem}") from None
    output.note(f"picture written to {file}")


def _drawn(
    kind: str, runs: list[Run], group: str | None, generation: int | None, by: str, theme: str, suffix: str
) -> Any:
    """The figure, of matplotlib or of plotly. Raises BadRequest, AnalysisError."""
    from groupsim import analysis
    from groupsim.analysis import plots
    from groupsim.analysis.plots import interactive

    pictures: Any = interactive if suffix == INTERACTIVE else plots
    if kind == "compare":
        return pictures.compare(analysis.compare(**_named(runs)), by=by, theme=theme)
    run = runs[0]
    if group is not None and group not in (known := sorted({row.group for row in run.intervals})):
        raise BadRequest(f"run {run.info.id} has no group {group!r}; it has {', '.join(known) or 'none'}")
    if kind in ("pareto", "flips"):
        return _advised(kind, run, pictures, theme)
    if kind == "rebalance":
        return pictures.rebalance(run.critical_paths(), group=group, generation=generation, theme=theme)
    rows = {"timeline": run.timeline, "unavailable": run.unavailable, "lag": run.behind}[kind](between=(0, None))
    rows = rows if group is None else rows[rows["group"] == group]
    if kind == "lag" and rows.empty:
        raise BadRequest(f"run {run.info.id} has no commits, so its lag is not known")
    return getattr(pictures, kind)(rows, theme=theme)


def _advised(kind: str, run: Run, pictures: Any, theme: str) -> Any:
    """Of the newest advice on the run. Raises BadRequest, AnalysisError."""
    from groupsim.analysis import advices

    if not run.advices:
        raise BadRequest(f"run {run.info.id} has no advice yet: groupsim advise {run.info.id} --vary KEY=V1,V2")
    newest = run.advices[-1]
    first, *others = newest.names
    if kind == "pareto":
        frame = advices.choices_frame(newest)
        tried = [name for name in (*others, "max_partitions", "rebalances", "partition_ms") if name != first]
        second = next((name for name in tried if frame[name].nunique() > 1), tried[0])
        return pictures.pareto(frame, x=second, y=first, theme=theme)
    frame = advices.along_frame(newest)
    key = str(frame.columns[0])
    return pictures.sweep(frame, x=key, measure=first, hue="choice", theme=theme, title=f"Mean of {first} by {key}")


def _named(runs: list[Run]) -> dict[str, Run]:
    """Runs by name; with their ids if two have the same name."""
    names = [run.info.name for run in runs]
    alike = len(set(names)) < len(names)
    return {f"{run.info.name} {run.info.id}" if alike else run.info.name: run for run in runs}


def _place(file: Path) -> Path:
    """Raises BadRequest, before the work is done, if the picture can't be written there."""
    if file.suffix not in (*STATIC, INTERACTIVE):
        raise BadRequest(f"-o {file}: the name must end in {', '.join(STATIC)} or {INTERACTIVE}")
    if not file.parent.is_dir():
        raise BadRequest(f"-o {file}: there is no folder {str(file.parent)!r}")
    if file.is_dir():
        raise BadRequest(f"-o {file} is a folder; give the name of a file in it")
    return file


def _timeless(suffix: str) -> dict[str, None] | None:
    """Metadata without the time of writing, so that equal runs give equal files."""
    return {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
