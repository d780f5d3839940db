"""Families of recordings: one story under two to four choices, with settings of its own, on a real Kafka.

`groupsim conformance predict` scores what-ifs with them. Families with an even number may be looked at while what-ifs
are worked on; those with an odd number are put aside and scored at the end, when nothing is changed any more.

- `family`: a family of stories, settings and choices; its actions, written as text
- `looked_at`, `put_aside`: the families, as data; `for_delays`: those that only `recorders.delays` scores
- `catalogue`: all of them
- `old_groups`: groups of six that are left alone for minutes, with all their heartbeats; not among the families
- `planned`: one run of a family under one choice, for real consumers
- `recorder`: records them, two groups side by side, and goes on where it was stopped
- `logs`: the logs of a run's broker and clients, without what came before and after it
- `cpu`: what share of the processors was busy during a run, and with what
- `contents`: README.md beside the recordings: families, settings, what was recorded
- `__main__`: `record FOLDER` and `readme FOLDER`
"""
