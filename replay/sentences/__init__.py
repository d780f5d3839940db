"""The sentences of a what-if: all that it says of choices is worded here, and decided in `verdict` and `trust`.

- `all_choices`: the headline; `one_choice`: the answer about one; `migration`: about a change of the protocol
- `parts`: the pieces of these
"""
