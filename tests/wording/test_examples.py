"""The examples in the docstrings of `wording/` are what its functions give."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from types import ModuleType

import pytest

NAMES = ("bounds", "first_sentence", "lists", "names", "numbers", "times")
MODULES = [import_module(f"groupsim.wording.{name}") for name in NAMES]


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_examples_are_what_the_functions_give(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_each_public_function_has_an_example(module: ModuleType) -> None:
    found = {test.name.rpartition(".")[2] for test in doctest.DocTestFinder().find(module) if test.examples}
    public = {
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    }
    assert public
    assert public <= found
