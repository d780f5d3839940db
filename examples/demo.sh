#!/bin/sh
# The main job, end to end: a simulated deploy and a recorded incident each become one number.
set -eu
cd "$(dirname "$0")/.."
GROUPSIM_STORE=demo.db
export GROUPSIM_STORE
rm -rf demo.db demo.db-wal demo.db-shm demo-lake

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
try() { printf '$ %s\n' "$*"; "$@"; }

say "1. A deploy, simulated: two equal groups restart every member; one rebalances eagerly, one cooperatively"
try groupsim run eager_vs_cooperative
try groupsim unavailable latest --by label

say "2. The same numbers on Spark, from Parquet"
try groupsim export latest --to demo-lake
try python -m groupsim.pipeline.job demo-lake

say "3. A recorded incident: a real Kafka broker and three real consumers, one of them killed with kill -9"
try groupsim incident import examples/incidents/kill9-range/*.log.gz --name kill9
try groupsim unavailable latest --by label
try groupsim rebalances latest

say "Look on: . .venv/bin/activate; groupsim runs --store demo.db; groupsim timeline latest --store demo.db; groupsim --help"
