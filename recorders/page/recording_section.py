"""The part of docs/conformance.md about recording the live topic `__consumer_offsets`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

FILE = Path(__file__).parents[2] / "tests" / "golden" / "conformance" / "offsets-topic.json"


def section() -> Iterator[str]:
    """What `recorders.offsets_topic` found."""
    found = json.loads(FILE.read_text())
    yield (
        f"`groupsim incident record` on Kafka {found['kafka']}: a classic and a consumer group of librdkafka whose "
        f"members come and go, the recorder killed with `kill -9` {found['killed']} times and continued. Compared with "
        "the broker's segment files, read as files:"
    )
    yield ""
    yield "| records | lost | twice | made up | with another value | in another batch |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: |"
    counts = [found[name] for name in ("records", "lost", "twice", "made_up", "different", "other_batch")]
    yield "| " + " | ".join(f"{count:,}" for count in counts) + " |"
    yield ""
    yield (
        "A consumer does not see batches: records that stand together and have the same millisecond are taken for one. "
        f"The cluster's groups afterwards: {', '.join(f'`{name}`' for name in found['groups_of_the_cluster'])}; the "
        "recorder is none of them. Differences between our schemas of group records and those in Kafka's jars: "
        f"{len(found['schema_differences'])}."
    )
    yield ""
