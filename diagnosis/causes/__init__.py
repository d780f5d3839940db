"""The causes, one file each. A new one is a file with a CAUSE; nothing else lists it.

Each reads the log of a group and nothing else, and says what it found, with its evidence.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from groupsim.diagnosis.cause import Cause
from groupsim.diagnosis.codes import Code


@cache
def causes() -> dict[Code, Cause]:
    """All causes by their codes, in the order of `Code`."""
    found = [import_module(f"{__name__}.{module.name}").CAUSE for module in iter_modules(__path__)]
    by_code = {cause.code: cause for cause in found}
    return {code: by_code[code] for code in Code if code in by_code}
