"""The errors of a store."""

from __future__ import annotations

from groupsim.events.errors import GroupsimError


class StoreError(GroupsimError):
    """Anything wrong with a store."""


class StoreBusy(UserWarning):
    """A store is locked by another process, and is waited for."""


class StoreUnusable(StoreError):
    """The database can't do what it is asked: the server is gone, the disk is full, nobody may write."""


class StreamConflict(StoreError):
    """Another writer has already written this version of the stream, or this run."""


class NoStore(StoreError):
    """There is no store at this place, and none is to be made."""


class UnknownRun(StoreError):
    """No run, or more than one, matches this reference."""


class UnknownFact(StoreError):
    """The store holds a fact that this version can't read."""


class NewerStore(StoreError):
    """The store was written by a newer version."""


class Diverged(StoreError):
    """A repeated run gives other facts than the stored ones."""
