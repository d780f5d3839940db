"""`groupsim scenarios`: the built-in stories and what can be set in them."""

from __future__ import annotations

from groupsim.cli import output
from groupsim.cli.options import Format, FormatOption


def scenarios(form: FormatOption = Format.TABLE) -> None:
    """The built-in scenarios with their parameters, as `run --set` takes them.

    Example: groupsim scenarios
    """
    from groupsim.scenarios import catalogue

    found = []
    for name in catalogue.names():
        told = catalogue.find(name)
        params = dict(told.params)
        found.append(
            {
                "name": name,
                "about": told.about,
                "parameters": params if form in (Format.JSON, Format.JSONL) else _settings(params),
                "seed": told.seed,
                "lasts_ms": told.lasts_ms,
            }
        )
    output.rows(found, ("name", "about", "parameters", "lasts_ms"), form)


def _settings(params: dict[str, int | float | str | bool]) -> str:
    return " ".join(f"{key}={value}" for key, value in params.items())
