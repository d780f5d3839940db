"""The argument and options of `groupsim advise`."""

from __future__ import annotations

from typing import Annotated

import typer

from groupsim.cli import completion

AboutArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO|RUN",
        help="A scenario, or a run of the store: an id, a unique prefix of it, a name, or `latest`.",
        autocompletion=completion.scenario_names,
    ),
]
VaryOption = Annotated[
    list[str], typer.Option("--vary", metavar="KEY=V1,V2,...", help="Values of a setting, or KEY=LOW..HIGH.")
]
UnknownOption = Annotated[
    list[str], typer.Option("--unknown", metavar="KEY=LOW..HIGH", help="A parameter that nobody knows: drawn.")
]
MinimizeOption = Annotated[
    list[str],
    typer.Option(
        "--minimize",
        metavar="MEASURE",
        help="What to make small, partition_ms by default; several give the choices that none beats. "
        "See docs/how-to/choose-settings.md.",
    ),
]
SubjectOption = Annotated[
    list[str], typer.Option("--subject-to", metavar="MEASURE<=VALUE", help="A bound that the mean has to keep.")
]
IndifferenceOption = Annotated[
    str, typer.Option("--indifference", metavar="SHARE", help="What is no difference worth having.")
]
ConfidenceOption = Annotated[float, typer.Option("--confidence", min=0.5, max=0.999, help="How sure it has to be.")]
BudgetOption = Annotated[int | None, typer.Option("--budget", metavar="RUNS", min=4, help="At most so many runs.")]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="The first seed.")]
JobsOption = Annotated[int | None, typer.Option("--jobs", min=1, help="Processes; by default one per core.")]
GroupOption = Annotated[str | None, typer.Option(help="Of a run: the group; default: that with most rebalances.")]
