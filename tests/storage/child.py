"""A process that writes one run: `python -m tests.storage.child STORE RUN FACTS`.

Ctrl-C ends the run as interrupted. It says `ready` when it is about to begin the run, and after each batch how many
facts the store now holds.
"""

from __future__ import annotations

import sys

from groupsim.storage import open_store
from groupsim.storage.store import RunStatus
from groupsim.storage.writer import BATCH
from tests.storage.facts import info, plain


def main(url: str, run: str, count: int) -> None:
    """Write `count` plain facts to `run`, batch by batch, and finish."""
    print("ready", flush=True)
    store = open_store(url)
    writer = store.begin(info(run))
    status = RunStatus.FINISHED
    try:
        for number in range(count):
            writer.append(10 * number, "group:g", [plain(number)])
            if (number + 1) % BATCH == 0:
                print(writer.info.facts, flush=True)
    except KeyboardInterrupt:
        status = RunStatus.INTERRUPTED
    writer.finish(status, 10 * count)
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
