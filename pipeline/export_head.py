"""The head of an exported run: its RunInfo, and a seal over that and all facts."""

from __future__ import annotations

import msgspec

from groupsim.pipeline.errors import PipelineError
from groupsim.storage.run_info import checked, run_checksum
from groupsim.storage.store import RunInfo, RunStatus

_FORMAT = 2
_encoder = msgspec.json.Encoder(order="deterministic")


class _Head(RunInfo, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """RunInfo, and what only exports have: the number of the format (none: before there were seals), and the seal."""

    format: int | None = None
    seal: str | None = None


def head(info: RunInfo, digest: str | None) -> bytes:
    """The head as JSON; `digest` is that of the exported facts: a run that is not over has none of its own."""
    return _encoder.encode(_Head(**msgspec.structs.asdict(info), format=_FORMAT, seal=_seal(info, digest)))


def read_head(text: bytes | msgspec.Raw, place: str) -> tuple[RunInfo, str | None]:
    """The RunInfo of an export and its seal; no seal if an older version wrote it.

    Raises PipelineError for anything else than a head, and for a finished run without digest or seal; MsgspecError,
    UnicodeError for text that is no JSON of a head.
    """
    decoded = msgspec.json.decode(text, type=_Head)
    fields = msgspec.structs.asdict(decoded)
    version, seal = fields.pop("format"), fields.pop("seal")
    info = checked(RunInfo(**fields))
    ended = info.status != RunStatus.RUNNING
    if version not in (None, _FORMAT):
        raise PipelineError(f"{place}: run {info.id} is exported in format {version}, which this version can't read")
    if (version is not None and seal is None) or (ended and info.digest is None):
        missing = "digest" if seal is not None or version is None else "seal"
        raise PipelineError(f"{place}: run {info.id} has no {missing}: the export was changed")
    return info, seal


def check_seal(info: RunInfo, digest: str | None, seal: str, place: str) -> None:
    """Raises PipelineError if the seal does not fit RunInfo and the digest of the facts."""
    if seal != _seal(info, digest):
        what = (
            "name, seed, settings, status or summary" if info.status != RunStatus.RUNNING else "its facts or its head"
        )
        raise PipelineError(f"{place}: run {info.id} is not as it was exported: {what} was changed")


def _seal(info: RunInfo, digest: str | None) -> str:
    return run_checksum(msgspec.structs.replace(info, digest=digest))
