"""What happened, why, and what to change: the diagnosis of any log.

The lines:

- `group_log`: the lines of one group in order: who spoke, who came and went, how it rebalanced; `said`: one line
- `incarnations`: the processes of a client, each from a start to a close
- `moves`: who went and who came, each once, by all lines; `membership`: what became of each departure, and who is new
- `rebalances`: those of a classic group, as its broker prints them
- `shared_ids`: a name for each of several members with one client id; `short_names`: names as sentences say them
- `from_facts`: a stored run as the rows that its logs would give; of those, `topics_in_run`: topics that grew,
  `workers_in_run`: what Connect's workers print

What is found:

- `causes`: one file a cause: how it is found, what is said of it, what helps
- `known/`: known defects that may be behind a finding; `versions`: which versions logs print
- `errors`: causes that an error names, a row each
- `failures`, `thrown`: tasks, workers and stream threads that failed, and the exceptions that ended them: a row each
- `connect_work`, `data_lost`, `listener_gaps`, `not_stored`: what single causes rest on: connectors without a
  worker, a group that its coordinator forgot, listeners that took long, a coordinator that cannot write
- `after_a_session`: what to do where a session ended, by what became of the member
- `order`: which finding stands first, and which follows from another
- `notes`: what lines say beside any cause; `not_shown`: what they can't show; `at_the_end`: how the group is when they
  end; `doubts`: why it may not be well although no cause was found

How long:

- `stopped`: how long nobody could read, in bounds; `stopped_by_broker`, `held`, `silences`: what it rests on, of which
  the last two ask `incidents.account`
- `stopped_in_run`: the same by the facts of a run; `waits_in_run`: what partitions waited for that no log shows;
  `outages`: how long one partition or more could not be read
- `topics_given`: what the number of a topic's partitions would add where no log names one

The answer:

- `explain`: all of it; `kept`: the explanation of an import, kept with its run
- `answer`: the first sentence
- `trying`: remedies that were tried in a simulation; `already_tried`: those that what-ifs show to be worse are not
  proposed; `what_if`: the what-ifs that a run can answer, as commands
- `to_text`, `to_json`, `to_report`: an explanation for people, for programs, and as a report begins
- `codes`, `finding`, `cause`, `times`: types and words
"""
