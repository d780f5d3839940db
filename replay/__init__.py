"""From an imported incident to a what-if table.

- `reconstruct`: what happened, from the facts of the run
- `replayable`: one group of a stored run, ready to be replayed
- `actions`: what happens to which member and when
- `timings`: when heartbeats were sent, and how long messages took, in the record
- `recorded_latency`: these timings as rules of the simulated network
- `player`: a replay in the simulator, as recorded or with another choice
- `fidelity`: how far a replay is from the record
- `what_if`: what each choice costs, over many seeds
"""
