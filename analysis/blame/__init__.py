"""What unavailable time waited for.

- `blame`: every unavailable interval in pieces, each with its phase, the member waited for, and what decides the length
- `reasons`: the rules, by a partition's label, its group's condition and the activities of the processes
- `phases`: what a partition can wait for, with the meaning of each phase
- `critical_path`: which step of which member ended each rebalance, and what it cost
- `lever`: what most of it depends on, in a sentence
- `steps`: a step as a value, and what the steps are called
- `undated_deaths`: members that were gone at some time, and no log shows since when
"""
