"""Scripts of requests, recorded from a real broker.

- `play_on_broker`: play a script against a real broker
- `record`: play scripts until two plays agree
- `record_failovers`: the same with a coordinator that moves between three brokers
- `plans/`: random plans of the newer group protocols, recorded as scripts, and recorded scripts played again
- `classic/`, `consumer/`, `streams_groups/`, `share_groups/`: what only scripts of one group protocol need
"""
