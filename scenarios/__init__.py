"""Built-in scenarios, one per file; a scenario's docstring is its documentation (docs/scenarios.md).

Besides them:

- `dsl`: what a scenario file imports.
- `probe`: facts and availability so far, for the assertions of a scenario.
- `rolling`: the rolling restart of groups beside each other.
- `pods_on_nodes`: pods on nodes that are drained or lost.
- `reported`: what a run shows beside what a public thread reports.
- `catalogue`: finds a scenario by its name or in a file.
- `scenario_of_run`: the scenario of a stored run, to run it again.
- `old_imports`: scenario files written for release 0.1 keep working.
"""
