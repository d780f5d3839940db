"""What happened, why, and what to change: the diagnosis of any log.

- `group_log`: the lines of one group in order: who spoke, who came and went, how it rebalanced
- `membership`: what became of each departure, and who is new
- `causes`: one file a cause: how it is found, what is said of it, what helps
- `failures`, `thrown`: tasks, workers and stream threads that failed, and the exceptions that ended them: a row each
- `order`: which finding stands first, and which follows from another
- `stopped`: how long nobody could read, in bounds; `stopped_by_broker`, `held`, `silences`: what it rests on, of which
  the last two ask `incidents.account`
- `explain`: all of it; `kept`: the explanation of an import, kept with its run
- `notes`: what lines say beside any cause; `not_shown`: what they can't show
- `codes`, `finding`, `cause`, `times`: types and words
"""
