"""`python -m tests.diagnosis N [START]`: N drawn fragments; prints each finding that is shown and did not happen."""

from __future__ import annotations

import sys

from tests.diagnosis.drawn import contradictions


def main() -> int:
    """Exit status 1 where there is one."""
    number, start = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    found = 0
    for contradiction in contradictions(range(start, start + number)):
        found += 1
        print(contradiction, flush=True)
    print(f"{number} drawn fragments from seed {start}: {found} contradictions")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
