"""What `import groupsim` offers: everything that the commands do, as functions that give objects.

- `run`: the run of a store, with its tables, its answer, its pictures, its report
- `running`, `importing`, `explaining`, `asking`, `advising`, `sweeping`, `assigning`, `checking`: one file a function
- `delaying`, `pictures`, `reporting`: one file a method of a run: its records' delays, its plots, its report
- `testing`, `pytest_plugin`: limits that many runs have to keep, for tests; the fixture `groupsim_run`
- `examples`: recorded incidents that come with the package
- `scenarios`: a scenario by name, by file, or as a function; `cells`: of a notebook's cell; `question`: which part of a
  run is meant, and what the user knows of it; `values`: what may be given for settings and seeds, and what the rest of
  the project takes for them
- `choices`: what settings, an assignor and a protocol mean as choices of a what-if; `migrating`: the change of the
  protocol itself; `what_if_rows`: the answers as rows of JSON
- `spreading`: where the runs of an advice happen, and the folder that keeps them
- `check_plan`: the TOML file of `groupsim check`; `check_output`: its answer as JUnit XML and as Markdown
- `numbers`: the numbers of a run as JSON; `in_python`: sentences that name a command's options, in Python's words
- `progress`: bars for long work; `html`, `timeline_svg`: how an object shows itself in a notebook
- `errors`: what a caller can get wrong

The commands of `cli/` parse their options, call these functions and print what they give: both have the same figures.
"""
