"""The ids of members: drawn by whoever gives them out, or known from a recorded run."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from groupsim.coordinator.classic.commands import Join
from groupsim.coordinator.commands import Request, base64_uuid
from groupsim.events.types import MemberId, ProcessId
from groupsim.simulation.clients.config import LIBRDKAFKA
from groupsim.simulation.rng import Rng


class MemberIds:
    """Who gets which id. `known` wins over chance: the ids of a process in the order in which it had them.

    Ids decide more than names: server-side assignors and the election of a leader go through members in their order.
    """

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self.known: dict[ProcessId, Iterator[MemberId]] = {}

    def own(self, process: ProcessId, library: str) -> MemberId:
        """The id that a member of the consumer protocol gives itself.

        Java writes a UUID as Kafka's Uuid class does, librdkafka in plain Base64 (rd_kafka_Uuid_base64str).
        """
        drawn = base64_uuid(self._rng.uuid(f"member-ids/{process}"))
        if library == LIBRDKAFKA:
            drawn = drawn.replace("-", "+").replace("_", "/")
        return self._next(process) or drawn

    def named(self, request: Request) -> Request:
        """A request with the id that the coordinator gives to a member that brings none."""
        request = request.with_new_id(lambda: self._rng.uuid("member-ids"))
        if isinstance(request, Join) and not request.member:
            known = self._next(request.client_host)
            if known:
                return structs.replace(request, new_member=known, new_uuid=known)
        return request

    def _next(self, process: ProcessId) -> MemberId | None:
        return next(self.known.get(process, iter(())), None)
