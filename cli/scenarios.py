"""`groupsim scenarios`: the built-in scenarios and their parameters."""

from __future__ import annotations

from groupsim.cli import output
from groupsim.cli.options import FormatOption
from groupsim.cli.output import Format


def scenarios(form: FormatOption = Format.TABLE) -> None:
    """List the built-in scenarios with their parameters (`groupsim run NAME --set PARAMETER=VALUE`).

    Example: groupsim scenarios
    """
    from groupsim.scenarios import catalogue

    found = []
    for name in catalogue.names():
        scenario = catalogue.find(name)
        params = dict(scenario.params)
        found.append(
            {
                "name": name,
                "about": scenario.about,
                "parameters": params if form in (Format.JSON, Format.JSONL) else _settings(params),
                "seed": scenario.seed,
                "lasts_ms": scenario.lasts_ms,
            }
        )
    output.rows(found, ("name", "about", "parameters", "lasts_ms"), form)


def _settings(params: dict[str, int | float | str | bool]) -> str:
    return " ".join(f"{key}={value}" for key, value in params.items())
