"""How the applications of a recorded group's members work, inferred from their whole lives.

- `polls`: when an application was late to notice something, and how it commits
- `commit_style`: whether it commits by itself, from how fast it notices rebalances
- `poll_gap`: the time between two polls, from such waits: a likelihood for each value
- `callbacks`: how long rebalance callbacks take, each time or for each partition
- `program`: Program: what is known of one member's application, and one draw of it
- `programs`: the programs of all members
"""
