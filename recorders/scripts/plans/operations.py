"""Every operation of every group protocol: its API, how its request is built and its answer read."""

from __future__ import annotations

from typing import Any

from groupsim.conformance.scripts.script import Step
from recorders.scripts.consumer import answers as consumer_answers
from recorders.scripts.consumer import requests as consumer_requests
from recorders.scripts.consumer.client import ConsumerClient
from recorders.scripts.plans import answers, requests
from recorders.scripts.plans.client import Client
from recorders.scripts.share_groups import messages as share
from recorders.scripts.share_groups.client import ShareClient
from recorders.scripts.streams_groups import messages as streams
from recorders.scripts.streams_groups.client import StreamsClient

APIS = {**requests.APIS, **consumer_requests.APIS, **streams.APIS, **share.APIS}
BUILD = {**requests.BUILD, **consumer_requests.BUILD, **streams.BUILD, **share.BUILD}
READERS = {**answers.READERS, **consumer_answers.READERS, **streams.READERS, **share.READERS}
DESCRIBE = {
    "streams": "streams_describe",
    "share": "share_describe",
    "consumer": "consumer_describe",
    "classic": "describe",
}
"""The operation that shows a group of each type."""
CLIENTS: dict[str, type[Client]] = {
    "streams": StreamsClient,
    "share": ShareClient,
    "consumer": ConsumerClient,
    "classic": ConsumerClient,
}
"""By the `kind` of a plan's member."""


def client(label: str, configured: dict[str, Any]) -> Client:
    """A fake client of the kind that its configuration says."""
    return CLIENTS[configured["kind"]](label, configured)


def version_of(step: Step) -> int:
    """The version a step is sent with."""
    return int(step.get("v", APIS.get(step["op"], ("", 0))[1]))
