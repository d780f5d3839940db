"""One story per file; its docstring is its documentation."""
