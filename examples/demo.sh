#!/bin/sh
# End to end: the unavailable time of a simulated rolling restart and of a recorded incident.
set -eu
cd "$(dirname "$0")/.."
GROUPSIM_STORE=demo.db
export GROUPSIM_STORE
rm -rf demo.db demo.db-wal demo.db-shm demo-lake

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
try() { printf '$ %s\n' "$*"; "$@"; }

say "1. Simulate a rolling restart of two equal groups: one with eager, one with cooperative rebalancing"
try groupsim run eager_vs_cooperative
try groupsim unavailable latest --by label

say "2. Compute the same numbers on Spark, from Parquet"
try groupsim export latest --to demo-lake
try python -m groupsim.pipeline.job demo-lake

say "3. Import a recorded incident: a real Kafka broker and three real consumers, one of them killed with kill -9"
try groupsim import examples/incidents/kill9-range/*.log.gz --name kill9
try groupsim unavailable latest --by label
try groupsim rebalances latest

say "Next: . .venv/bin/activate; groupsim runs --store demo.db; groupsim timeline latest --store demo.db; groupsim --help"
