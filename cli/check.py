"""`groupsim check`: hold a scenario or a deployment to limits, and look for settings that contradict each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupsim.cli.errors import BadRequest
from groupsim.cli.options import FormatOption
from groupsim.cli.output import Format, error, note, plain, table, write_json
from groupsim.cli.progress import progress

if TYPE_CHECKING:
    from groupsim.api.checking import Check

FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help="A TOML file; or files of settings and manifests, of which nothing is simulated.",
        show_default=False,
    ),
]
BeforeOption = Annotated[Path | None, typer.Option("--before", metavar="FILE", help="A TOML file to compare with.")]
JunitOption = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write the result as JUnit XML.")]
MarkdownOption = Annotated[
    Path | None, typer.Option("--markdown", metavar="FILE", help="Write it as Markdown, for a comment.")
]
ReportsOption = Annotated[
    Path | None, typer.Option("--reports", metavar="DIR", help="Write a report of each broken limit's worst seed.")
]


def check(
    files: FilesArgument,
    before: BeforeOption = None,
    junit: JunitOption = None,
    markdown: MarkdownOption = None,
    reports: ReportsOption = None,
    form: FormatOption = Format.TABLE,
) -> None:
    """Hold a scenario or a deployment to limits, and look for settings that contradict each other.

    A TOML file names the scenario or the manifests, the settings before and after, and the limits (docs/how-to/ci.md).
    Settings are read from Kafka's properties, Spring's application.yml and manifests of Kubernetes.
    Exit status: 0 all limits hold, 1 one does not or something is wrong, 2 the file can't be read.

    Example: groupsim check deploy.toml --junit check.xml
    """
    from groupsim.api.check_output import junit_xml, markdown_text
    from groupsim.api.checking import checked, planned
    from groupsim.api.reporting import write

    if form not in (Format.TABLE, Format.JSON):
        raise BadRequest(f"--format must be table or json for a check, not {form.value}")
    plan = planned(files, before)
    with progress("check") as bar:
        found = checked(plan, reports, bar)
    for option, path, text in (("--junit", junit, junit_xml), ("--markdown", markdown, markdown_text)):
        if path is not None:
            write(path, text(found), f"{option} ")
    if form is Format.JSON:
        write_json(found.to_dict())
    else:
        _print(found)
    if not found.ok:
        if form is Format.JSON:
            error(found.answer)
        raise typer.Exit(1)


def _print(found: Check) -> None:
    print(plain(found.answer))
    if rows := found.rows():
        table(rows, found.columns())
    for name, verdict in found.verdicts.items():
        if not verdict.ok and found.after is not None:
            worst = verdict.failed or verdict.worst
            why = f": {worst.failure}" if worst.failure else f", {worst.answer}"
            print(plain(f"{name}, worst seed {worst.info.seed}{why}"))
            print(plain(f"  repeat it: {found.after.runs.command(worst.info.seed or 0)}"))
    for each in found.findings:
        print(plain(f"{each.rule.level} {each.rule.name}  {each.sentence}"))
        print(plain(f"  seen in {each.rule.source}; see what follows: {each.rule.command}"))
    for said in found.notes:
        note(f"note: {said}")
