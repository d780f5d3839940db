"""Scripts of the classic group protocol.

- `commands`: a step as a command of the simulated coordinator, and its answer back
- `player`: play a script against the simulated coordinator
"""
