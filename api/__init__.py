"""What `import groupsim` offers: everything that the commands do, as functions that give objects.

- `run`: the run of a store, with its tables, its answer, its pictures, its report
- `running`, `importing`, `explaining`, `asking`, `advising`, `sweeping`, `assigning`: one file a function
- `examples`: recorded incidents that come with the package
- `scenarios`: a scenario by name, by file, or as a function; `cells`: of a notebook's cell; `question`: which part of a
  run is meant, and what the user knows of it; `values`: what may be given for settings and seeds, and what the rest of
  the project takes for them
- `progress`: bars for long work; `html`, `timeline_svg`: how an object shows itself in a notebook
- `errors`: what a caller can get wrong

The commands of `cli/` parse their options, call these functions and print what they give: both have the same figures.
"""
