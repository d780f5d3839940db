"""Facts for the store's tests: any fact of the catalogue, and plain ones by the number."""

from __future__ import annotations

import types
from enum import StrEnum
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st

from groupsim.events.base import Event
from groupsim.events.catalogue import CATALOGUE
from groupsim.events.classic import MemberSynced
from groupsim.storage.store import EventStore, RunInfo, RunWriter

_SMALL = 4
_INTS = st.integers(-(2**63), 2**63 - 1)
_PLAIN: dict[object, st.SearchStrategy[Any]] = {
    str: st.text(max_size=8),
    int: _INTS,
    bool: st.booleans(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    type(None): st.none(),
}


def of_type(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return st.sampled_from(hint)
    if origin in (Union, types.UnionType):
        return st.one_of([of_type(arg) for arg in args])
    if origin is tuple and args[-1] is Ellipsis:
        return st.lists(of_type(args[0]), max_size=_SMALL).map(tuple)
    if origin is tuple:
        return st.tuples(*[of_type(arg) for arg in args])
    if origin is dict:
        return st.dictionaries(of_type(args[0]), of_type(args[1]), max_size=_SMALL)
    if issubclass(hint, msgspec.Struct) or hasattr(hint, "_fields"):
        return st.builds(hint, **{name: of_type(kind) for name, kind in _fields(hint).items()})
    raise TypeError(f"no strategy for {hint}")


def _fields(kind: type) -> dict[str, Any]:
    names = kind.__struct_fields__ if issubclass(kind, msgspec.Struct) else kind._fields  # type: ignore[attr-defined]
    return {name: hint for name, hint in get_type_hints(kind).items() if name in names}


def any_fact() -> st.SearchStrategy[Event]:
    """Any fact of any type in the catalogue."""
    return st.sampled_from(sorted(CATALOGUE)).flatmap(lambda tag: of_type(CATALOGUE[tag]))


def plain(number: int) -> MemberSynced:
    """The fact with this number, like no other."""
    return MemberSynced(member=f"m{number}")


def info(run: str, **more: Any) -> RunInfo:
    """A simulated run to begin."""
    return RunInfo(id=run, **{"name": "test", "source": "simulated", **more})


def write(store: EventStore, run: str, count: int, stream: str = "group:g") -> RunWriter:
    """A run of `count` plain facts, flushed and not finished."""
    writer = store.begin(info(run))
    for number in range(count):
        writer.append(10 * number, stream, [plain(number)])
    writer.flush()
    return writer
